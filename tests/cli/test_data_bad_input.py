"""Data that are wrong: exit code 2, what is wrong and what to do about it, and nothing written."""

import io
import os
import shutil
import struct
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pytest
from PIL import Image

SIZE = "--plan.data.resize", "Cover(8)"
LIMITED = """
import resource, signal, sys
from pseudocore.__main__ import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
sys.exit(main(sys.argv[1:]))
"""


def fill(folder, names=("a", "b"), each=6, suffix="png"):
    """Noise as pictures, of so many a class."""
    random = np.random.default_rng(0)
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number in range(each):
            picture = Image.fromarray(random.integers(0, 256, (8, 8, 3)).astype(np.uint8))
            picture.save(folder / name / f"{number}.{suffix}")
    return folder


@pytest.fixture
def mine(tmp_path):
    """Pictures of two classes, six a class in each part."""
    for part in ("train", "test"):
        fill(tmp_path / "mine" / part)
    return tmp_path / "mine"


@pytest.fixture
def images():
    """Arrays of 12 colour images of 8 x 6 bytes."""
    x = np.random.default_rng(0).integers(0, 256, (12, 8, 6, 3)).astype(np.uint8)
    y = np.arange(12) % 2
    return {"x_train": x, "y_train": y, "x_test": x[:6], "y_test": y[:6]}


@pytest.fixture
def archive(tmp_path, images):
    """An .npz file of those, with other arrays for some."""

    def write(**others):
        np.savez(tmp_path / "mine.npz", **images | others)
        return tmp_path / "mine.npz"

    return write


@pytest.fixture
def out(tmp_path):
    """A folder that wrong data must not make."""
    return tmp_path / "out" / "run"


@pytest.fixture
def wrong(call, refused, out):
    """Check that all verbs that read data refuse these for the same reason, writing nothing."""

    def check(data, *said, flags=()):
        below = [flag.replace("--data.", "--plan.data.") for flag in map(str, flags)]
        for told in (
            call("distill", "--data", data, *below, "--out", out),
            call("data", "check", data, *flags),
            call("data", "preview", data, *flags, "--out", out),
            call("data", "corrupt", data, *flags, "--out", out),
        ):
            refused(told, *said)
        assert not out.parent.exists()

    return check


def chunk(kind, content):
    end = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + end


def bomb(width, height):
    """A grey PNG of so many black pixels, which are few bytes."""
    packer = zlib.compressobj(9)
    row = bytes(1 + width)
    packed = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    sizes = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", sizes) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
    )


def test_a_path_that_is_not_there(wrong, tmp_path):
    wrong(tmp_path / "none", f"no folder {tmp_path}/none", "Check the path")
    wrong(tmp_path / "none.npz", f"no file {tmp_path}/none.npz", "Check the path")
    wrong(tmp_path / "none.csv", f"no file {tmp_path}/none.csv", "Check the path")
    wrong("none.npz", f"no file {os.getcwd()}/none.npz", "Check the path")
    wrong(f"cifar10:{tmp_path}/none", f"no {tmp_path}/none", "data get cifar10", "cifar10:FOLDER")


def test_a_file_of_no_known_kind(wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "foo.xyz").write_text("mine")
    wrong("foo.xyz", "'foo.xyz'", "FILE.npz, FILE.csv, FILE.libsvm or FOLDER")


def test_an_empty_folder(wrong, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").write_text("mine")
    wrong(tmp_path / "empty", "no folders with pictures in them", "empty/CLASS/1.png", ".webp")


def test_data_as_the_last_word(call, refused, out):
    said = "--data is the last word", "cifar10[:FOLDER]", "FILE.npz", "FOLDER"
    refused(call("distill", "--out", out, "--data"), *said)
    refused(call("distill", "digits/ipc1-fkl", "--out", out, "--data"), *said)
    refused(call("experts", "digits", "--out", out, "--data"), *said)
    for told in (call("distill", "--data=", "--out", out), call("data", "check", "")):
        assert told.code == 2
    assert not out.parent.exists()


def test_data_and_its_value_as_one_word(call, mine, out):
    told = call("distill", f"--data={mine}", *SIZE, "--ipc", 99, "--out", out)
    assert "ipc 99 is more than the 5 points of class" in told.err
    told = call("experts", "digits", f"--data={mine}", "--network", "MLP(4)", "--count", 1,
                "--epochs", 1, "--data.resize=Cover(8)", "--out", out)  # fmt: skip
    assert told.code == 0, told.err


def test_a_missing_test_part_and_the_remedies_that_are_named(call, wrong, mine, out):
    shutil.rmtree(mine / "test")
    wrong(mine, f"{mine} has no test or val folder", "add one", "--data.cut 0.2", "--plan.data.cut")
    told = call("experts", "digits", "--data", mine, "--data.cut", 0.2, "--network", "MLP(4)",
                "--count", 1, "--epochs", 1, "--data.resize", "Cover(8)", "--out", out)  # fmt: skip
    assert told.code == 0, told.err
    assert "0.2 of every class, 2 pictures, is tested" in told.err
    told = call("distill", "--data", mine, "--plan.data.cut", 0.2, *SIZE, "--ipc", 99, "--out", out)
    assert "0.2 of every class, 2 pictures, is tested" in told.err
    assert "ipc 99" in told.err  # it came so far
    fill(mine / "test")
    assert call("data", "check", mine).code == 0


def test_a_missing_train_part(wrong, mine):
    shutil.rmtree(mine / "train")
    wrong(mine, f"{mine} has a test folder and no train folder", f"{mine}/train/CLASS/")


def test_a_class_that_is_only_tested(wrong, mine):
    fill(mine / "test", ["c"])
    wrong(mine, "the test part has classes that train does not have: c", "needs training pictures")


def test_one_class_only(wrong, tmp_path, archive):
    for part in ("train", "test"):
        fill(tmp_path / "one" / part, ["apples"])
    wrong(tmp_path / "one", "only one class, apples: to classify takes two")
    zeros = {"y_train": np.zeros(12, int), "y_test": np.zeros(6, int)}
    wrong(archive(**zeros), "only one class, 0")


def test_a_class_of_fewer_pictures_than_are_to_be_learned(call, refused, mine, out):
    for file in list((mine / "train" / "b").iterdir())[3:]:
        file.unlink()
    words = "distill", "--data", mine, *SIZE, "--out", out
    refused(call(*words, "--ipc", 3), "ipc 3 is more than the 2 points of class b", "ipc 2 or less")
    assert not out.parent.exists()


def test_broken_files_are_listed_ten_at_most(call, wrong, mine):
    files = sorted((mine / "train").rglob("*.png"))
    for file in files[:9]:
        file.write_bytes(file.read_bytes()[:60])
    files[9].write_text("no picture")
    files[10].write_bytes(b"")
    (mine / "test" / "a" / "gone.jpg").symlink_to(mine / "nowhere.jpg")
    listed = [f"train/{file.parent.name}/{file.name} (" for file in files[:10]]
    wrong(mine, "12 of 25 pictures cannot be read", *listed, "; and 2 more", "Repair them, or move")
    assert files[10].name not in call("data", "check", mine).err.split("train/b/3.png")[1]
    files[0].unlink()
    wrong(mine, "11 of 24", *listed[1:], "; and 1 more")


def test_a_picture_of_far_too_many_pixels(wrong, mine, tmp_path):
    content = bomb(20_000, 20_000)
    assert len(content) < 500_000
    (mine / "train" / "a" / "bomb.png").write_bytes(content)
    wrong(mine, "1 of 25 pictures cannot be read: train/a/bomb.png (", "64 million")
    (mine / "train" / "a" / "bomb.png").write_bytes(bomb(9_000, 9_000))
    wrong(mine, "train/a/bomb.png (", "64 million")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_what_may_not_be_read(wrong, mine, archive):
    (mine / "train" / "a" / "0.png").chmod(0)
    wrong(mine, "train/a/0.png (no permission to read it)")
    (mine / "train" / "a").chmod(0)
    wrong(mine, "train/a", "Change its rights")
    file = archive()
    file.chmod(0)
    wrong(file, str(file), "Change its rights")


def test_a_cache_without_room_is_no_error(mine, tmp_path):
    """A limit on files in a process of its own stands for a full disk."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "data", "check", str(mine)],
        capture_output=True,
        text=True,
        env={**os.environ, "PSEUDOCORE_CACHE": str(tmp_path / "cache")},
    )
    assert done.returncode == 0, done.stderr
    assert "12 points, 6 a class" in done.stdout
    assert "Decoded pictures are not kept (" in done.stderr
    assert "set PSEUDOCORE_CACHE to another folder" in done.stderr
    assert not [file for file in (tmp_path / "cache").rglob("*") if file.is_file()]


def test_a_cache_that_cannot_be_made_is_no_error(call, mine, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("PSEUDOCORE_CACHE", str(tmp_path / "file"))
    told = call("data", "check", mine)
    assert told.code == 0, told.err
    assert "Decoded pictures are not kept (" in told.err
    assert (tmp_path / "file").read_text() == "mine"
    assert call("data", "list").code == 0


def test_labels_that_are_words(wrong, archive):
    names = np.array(["cat", "dog"])
    words = {"y_train": names[np.arange(12) % 2], "y_test": names[np.arange(6) % 2]}
    said = "The train labels are text, the first is 'cat'", "np.unique(labels, return_inverse=True)"
    wrong(archive(**words), *said)


def test_labels_that_are_no_classes(wrong, archive):
    y = np.arange(12) % 2
    wrong(archive(y_train=y + 1), "The train labels hold 2", "from 0 to 1, without gaps")
    wrong(archive(y_train=y + 0.5), "The train labels are float64", "whole numbers")
    wrong(archive(y_train=y[:7]), "12 train points but labels of shape (7,)")
    wrong(archive(y_train=np.array([{}] * 12)), "is no .npz archive of plain numbers", "pickle")


def test_images_that_are_standardised_already(wrong, archive, images):
    x = images["x_train"].astype(np.float32)
    x = (x - x.mean()) / x.std()
    said = "with mean 0.00 and deviation 1.00", "standardised already", "Give the pixels"
    wrong(archive(x_train=x, x_test=x[:6]), "mine.npz run from -1.", *said)


def test_the_order_of_channels_is_seen_and_said(call, archive, images):
    last = call("data", "check", archive(), "--json")
    assert last.code == 0
    assert "Images of 8 x 6 x 3 are read as height x width x channels (NHWC)." in last.out
    turned = {name: images[name].transpose(0, 3, 1, 2) for name in ("x_train", "x_test")}
    first = call("data", "check", archive(**turned), "--json")
    said = "Images of 3 x 8 x 6 are read as channels x height x width (NCHW)."
    assert said in first.out
    swapped = first.out.replace(said, "Images of 8 x 6 x 3 are read as height x width x channels "
                                      "(NHWC).")  # fmt: skip
    assert swapped == last.out  # its content and all
    told = call("data", "check", archive(**turned))
    assert said in told.err
    assert said not in told.out


def test_the_order_of_channels_is_said_when_learning(call, archive, images, out):
    turned = {name: images[name].transpose(0, 3, 1, 2) for name in ("x_train", "x_test")}
    told = call("distill", "--data", archive(**turned), "--ipc", 99, "--out", out)
    assert "(NCHW)." in told.err
    assert "ipc 99" in told.err
    assert not out.parent.exists()


def test_a_damaged_archive_of_arrays(wrong, archive, tmp_path):
    content = archive().read_bytes()
    for damaged in (b"", content[:1000], content[:-400], b"x" + content[1:]):
        (tmp_path / "mine.npz").write_bytes(damaged)
        wrong(tmp_path / "mine.npz", "mine.npz is no .npz archive of plain numbers")
    spoilt = io.BytesIO()
    with zipfile.ZipFile(spoilt, "w") as made:
        made.writestr("../x_train.npy", b"x")
    (tmp_path / "mine.npz").write_bytes(spoilt.getvalue())
    wrong(tmp_path / "mine.npz", "has no x_train, y_train, x_test, y_test")


def test_cifar_that_is_pickled_or_half_there(wrong, tmp_path):
    python = tmp_path / "cifar-10-batches-py"
    python.mkdir()
    (python / "data_batch_1").write_bytes(b"never opened")
    (python / "batches.meta").write_bytes(b"never opened")
    said = "version for Python", "would run code", "cifar-10-binary.tar.gz", "data get cifar10"
    for data in (tmp_path, python, f"cifar10:{tmp_path}", f"cifar10:{python}"):
        wrong(data, *said)
    half = tmp_path / "half"
    half.mkdir()
    np.zeros(3073, np.uint8).tofile(half / "data_batch_1.bin")
    wrong(half, f"no {half}/data_batch_2.bin", "data get cifar10")
    np.zeros(3000, np.uint8).tofile(half / "data_batch_1.bin")
    wrong(half, f"{half}/data_batch_1.bin has 3000 bytes", "cut short", "Fetch it again")


def test_a_table_that_is_no_table(wrong, tmp_path):
    file = tmp_path / "mine.csv"
    for content, said in (
        ("", "is empty"),
        ("1,2,a\n3,b\n", "line 2 has 2 fields, the first line 3"),
        ("x,y,label\n1,two,a\n3,4,b\n", "line 2 holds 'two' where a number should be"),
    ):
        file.write_text(content)
        wrong(file, str(file), said)
    file.write_text("1,2,a\n3,4,b\n" * 9)
    wrong(file, "no column 'c' for the label", flags=("--data.label", "c"))
    wrong(file, "cut=1.5 must be the fraction", flags=("--data.cut", 1.5))
