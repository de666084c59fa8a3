"""Published datasets as facts: what is in them, where they are, how to tell the real ones."""

import dataclasses

CIFAR_PAGE = "https://www.cs.toronto.edu/~kriz"
MNIST_PAGE = "https://ossci-datasets.s3.amazonaws.com/mnist"  # the mirror that torchvision reads
FASHION_PAGE = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com"
SVHN_PAGE = "http://ufldl.stanford.edu/housenumbers"


@dataclasses.dataclass(frozen=True)
class Source:
    """A file to fetch: where from, its checksum as published, and about how many MiB."""

    url: str
    checksum: str
    size: int

    @property
    def file(self) -> str:
        return self.url.rpartition("/")[2].partition("?")[0]


@dataclasses.dataclass(frozen=True)
class Known:
    """What is published of a dataset; `content` is the hash of `inspect.content`.

    It stands only where it was taken from files whose checksums are the published ones.
    """

    sources: tuple[Source, ...]
    counts: tuple[int, int]  # train and test
    classes: int
    shape: str
    terms: str  # what its authors say of its use
    mean: tuple[float, ...] = ()  # of train's channels, on the scale 0 to 1
    content: str = ""


KNOWN = {
    "cifar10": Known(
        (
            Source(
                f"{CIFAR_PAGE}/cifar-10-binary.tar.gz", "md5:c32a1d4ab5d03f1284b67883e8d87530", 162
            ),
        ),
        (50_000, 10_000),
        10,
        "32 x 32 RGB",
        "no licence stated; cite Krizhevsky 2009",
        (0.4914, 0.4822, 0.4465),
        "05c5893e973ffb8f853ac52ac4823a72c3950e64fb86f4bbe97afb6c52e9523a",
    ),
    "cifar100": Known(
        (
            Source(
                f"{CIFAR_PAGE}/cifar-100-binary.tar.gz", "md5:03b5dce01913d631647c71ecec9e9cb8", 161
            ),
        ),
        (50_000, 10_000),
        100,
        "32 x 32 RGB",
        "no licence stated; cite Krizhevsky 2009",
        (0.5071, 0.4865, 0.4409),
    ),
    "mnist": Known(
        (
            Source(
                f"{MNIST_PAGE}/train-images-idx3-ubyte.gz",
                "md5:f68b3c2dcbeaaa9fbdd348bbdeb94873",
                10,
            ),
            Source(
                f"{MNIST_PAGE}/train-labels-idx1-ubyte.gz",
                "md5:d53e105ee54ea40749a09fcbcd1e9432",
                1,
            ),
            Source(
                f"{MNIST_PAGE}/t10k-images-idx3-ubyte.gz", "md5:9fb629c4189551a2d022fa330f9573f3", 2
            ),
            Source(
                f"{MNIST_PAGE}/t10k-labels-idx1-ubyte.gz", "md5:ec29112dd5afa0611ce80d1b7f02629c", 1
            ),
        ),
        (60_000, 10_000),
        10,
        "28 x 28 gray",
        "CC BY-SA 3.0; LeCun, Cortes, Burges",
        (0.1307,),
        "6ff831a23f5ae5a69dd296acecffc766a343ed74e598c5bc94a07a7ca3172ef2",
    ),
    "fashion-mnist": Known(
        (
            Source(
                f"{FASHION_PAGE}/train-images-idx3-ubyte.gz",
                "md5:8d4fb7e6c68d591d4c3dfef9ec88bf0d",
                26,
            ),
            Source(
                f"{FASHION_PAGE}/train-labels-idx1-ubyte.gz",
                "md5:25c81989df183df01b3e8a0aad5dffbe",
                1,
            ),
            Source(
                f"{FASHION_PAGE}/t10k-images-idx3-ubyte.gz",
                "md5:bef4ecab320f06d8554ea6380940ec79",
                5,
            ),
            Source(
                f"{FASHION_PAGE}/t10k-labels-idx1-ubyte.gz",
                "md5:bb300cfdad3c16e7a12a480ee83cd310",
                1,
            ),
        ),
        (60_000, 10_000),
        10,
        "28 x 28 gray",
        "MIT; Zalando Research",
        (0.2860,),
    ),
    "svhn": Known(
        (
            Source(f"{SVHN_PAGE}/train_32x32.mat", "md5:e26dedcc434d2e4c54c9b2d4a06d8373", 174),
            Source(f"{SVHN_PAGE}/test_32x32.mat", "md5:eb5a983be6a315427106f1b164d9cef3", 62),
        ),
        (73_257, 26_032),
        10,
        "32 x 32 RGB",
        "non-commercial use; Netzer et al. 2011",
    ),
    "imagenette": Known(
        (
            Source(
                "https://s3.amazonaws.com/fast-ai-imageclas/imagenette2-160.tgz",
                "md5:e793b78cc4c9e9a4ccc0c1155377a412",
                95,
            ),
        ),
        (9_469, 3_925),
        10,
        "128 x 128 RGB",
        "images of ImageNet, for research; fast.ai",
    ),
    "tiny-imagenet": Known(
        (
            Source(
                "http://cs231n.stanford.edu/tiny-imagenet-200.zip",
                "md5:90528d7ca1a48142e341f4ef8d21d0de",
                237,
            ),
        ),
        (100_000, 10_000),
        200,
        "64 x 64 RGB",
        "images of ImageNet, for research; Stanford CS231n",
    ),
    "cifar10-c": Known(
        (
            Source(
                "https://zenodo.org/records/2535967/files/CIFAR-10-C.tar",
                "md5:56bf5dcef84df0e2308c6dcbcbbd8499",
                2784,
            ),
        ),
        (0, 10_000),
        10,
        "32 x 32 RGB",
        "CC BY 4.0; Hendrycks and Dietterich 2019",
    ),
}
