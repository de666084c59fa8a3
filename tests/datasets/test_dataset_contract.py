"""What every dataset promises. A newcomer adds one row to `ROWS` and inherits the suite."""

import dataclasses
import inspect

import equinox as eqx
import numpy as np
import pytest
from tests.datasets import made

import pseudocore.datasets
from pseudocore.datasets import (
    ZCA,
    Cifar10,
    Cifar100,
    Corrupted,
    Csv,
    Dataset,
    Digits,
    FashionMnist,
    Folder,
    ImageNette,
    Libsvm,
    Mnist,
    Npy,
    Npz,
    Parquet,
    Part,
    Raw,
    Squash,
    Svhn,
    TinyImageNet,
    Unwhitened,
    Whiten,
    form_of,
    named,
)
from pseudocore.datasets.parts import fingerprint as fingerprint_of
from pseudocore.datasets.preprocess import scaled
from pseudocore.errors import UserError
from pseudocore.progress import silent
from pseudocore.store.values import from_json, to_json

TINY = Squash(4)
FRACTION, SEED = 0.3, 1


def arrays():
    train, test = made.points(0, 3, 8, 4, 5, 3), made.points(1, 3, 2, 4, 5, 3)
    return {
        "x_train": train.values,
        "y_train": train.labels,
        "x_test": test.values,
        "y_test": test.labels,
    }


def cifar10(folder):
    made.cifar10(folder)
    return Cifar10(str(folder))


def cifar100(folder):
    made.cifar100(folder, each=4)
    return Cifar100(str(folder))


def mnist(folder):
    made.mnist(folder, packed=True, each=5)
    return Mnist(str(folder))


def fashion(folder):
    made.mnist(folder, each=5)
    return FashionMnist(str(folder))


def svhn(folder):
    made.svhn(folder, each=5)
    return Svhn(str(folder))


def pictures(folder):
    parts = {"train": made.points(0, 3, 8, 4, 5, 3), "test": made.points(1, 3, 2, 5, 4, 3)}
    return Folder(str(made.class_folders(folder, parts, ("ape", "bee", "cat"))), TINY)


def npz(folder):
    np.savez(folder / "mine.npz", **arrays())
    return Npz(str(folder / "mine.npz"))


def npy(folder):
    for name, values in arrays().items():
        np.save(folder / f"{name}.npy", values)
    return Npy(str(folder))


def table(folder, separator):
    random = np.random.default_rng(0)
    return [separator(number % 3, random.normal(3, 2, 4).tolist()) for number in range(45)]


def csv(folder):
    lines = table(folder, lambda label, row: ",".join(map(str, [*row, label])))
    made.put(folder / "mine.csv", "\n".join(lines).encode())
    return Csv(str(folder / "mine.csv"))


def libsvm(folder):
    def line(label, row):
        return f"{label} " + " ".join(f"{i}:{value}" for i, value in enumerate(row, 1))

    made.put(folder / "mine.libsvm", "\n".join(table(folder, line)).encode())
    return Libsvm(str(folder / "mine.libsvm"))


def parquet(folder):
    pytest.importorskip("pyarrow")
    made.shards(folder, "train", made.points(0, 3, 8, 4, 4, 3), 2, names=("ape", "bee", "cat"))
    made.shards(folder, "test", made.points(1, 3, 2, 4, 4, 3), names=("ape", "bee", "cat"))
    return Parquet(str(folder), resize=TINY)


def corrupted(folder):
    np.save(folder / "fog.npy", made.levels(9, 50, 32, 32, 3))
    np.save(folder / "labels.npy", np.tile(np.arange(10, dtype=np.uint8), 5))
    return Corrupted(cifar10(folder / "clean"), str(folder), "fog", 3)


# A tiny dataset of every kind, in an empty folder.
ROWS = {
    Digits: lambda folder: Digits(),
    Cifar10: cifar10,
    Cifar100: cifar100,
    Mnist: mnist,
    FashionMnist: fashion,
    Svhn: svhn,
    ImageNette: None,  # of thousands of files, laid out by a fixture
    TinyImageNet: lambda folder: TinyImageNet(str(made.tiny_imagenet(folder, each=4)), TINY),
    Folder: pictures,
    Npz: npz,
    Npy: npy,
    Csv: csv,
    Libsvm: libsvm,
    Parquet: parquet,
    Corrupted: corrupted,
}
NAMELESS = {Corrupted}  # nothing that is typed behind --data makes one


def test_every_exported_dataset_has_a_row():
    exported = {
        kind
        for kind in vars(pseudocore.datasets).values()
        if inspect.isclass(kind) and issubclass(kind, Dataset) and kind is not Dataset
    }
    assert exported == set(ROWS), "give the newcomer a row"


@pytest.fixture(scope="session", params=ROWS, ids=lambda kind: kind.__name__)
def data(request, tmp_path_factory):
    kind = request.param
    if kind is ImageNette:
        made_here = ImageNette(str(request.getfixturevalue("imagenette")), TINY)
    else:
        made_here = ROWS[kind](tmp_path_factory.mktemp(kind.__name__.lower()))
    return decided(made_here, FRACTION, SEED)


def decided(data, held_out, seed):
    if isinstance(data, Corrupted):
        return dataclasses.replace(data, clean=decided(data.clean, held_out, seed))
    return dataclasses.replace(data, held_out=held_out, seed=seed)


@pytest.fixture(scope="session")
def raw(data):
    return data.read()


@pytest.fixture(scope="session")
def split(data):
    return data.load()


class Held(Dataset):
    """What was read before, under other decisions."""

    raw: Raw = eqx.field(static=True)
    held_out: float = eqx.field(static=True, default=FRACTION)
    seed: int = eqx.field(static=True, default=SEED)
    whiten: Whiten = Unwhitened()

    def read(self, say=silent):
        return self.raw


def rows(part, preprocess):
    """Stored points as they reach a learner, with their labels, in no order."""
    return made.multiset(preprocess(part.values), part.labels)


def points(data):
    return made.multiset(np.asarray(data.x), np.asarray(data.y).argmax(-1))


def test_parts_have_mass_one_and_whole_labels(split):
    for part in (split.train, split.held_out, split.test):
        assert len(part) > 0
        assert float(part.mass) == pytest.approx(1, abs=1e-5)
        np.testing.assert_array_equal(part.w, part.w[0])
        assert part.x.dtype == part.y.dtype == np.float32
        assert part.x.shape == (len(part), *split.shape)
        assert np.isfinite(part.x).all()
        y = np.asarray(part.y)
        assert y.shape == (len(part), split.classes)
        np.testing.assert_array_equal(np.sort(y, -1)[:, -2:], [[0, 1]] * len(part))
    assert split.represents == len(split.train)


def test_classes_have_names_and_labels_are_in_range(raw, split):
    assert 2 <= len(raw.classes) == split.classes
    assert len(set(raw.classes)) == len(raw.classes)
    assert all(isinstance(name, str) and name for name in raw.classes)
    np.testing.assert_array_equal(np.unique(raw.train.labels), np.arange(len(raw.classes)))
    assert set(np.unique(raw.test.labels)) <= set(range(len(raw.classes)))


def test_stored_values_are_of_the_kinds_that_are_known(raw):
    for part in (raw.train, raw.test):
        values = part.values
        assert values.ndim in (2, 4)
        assert values.dtype == np.uint8 or values.dtype.kind == "f"
        assert len(values) == len(part.labels) == len(part)
    assert raw.train.values.ndim == 2 or raw.train.values.shape[-1] in (1, 3)
    assert all(note.endswith(".") for note in raw.notes)


def test_the_held_out_part_is_cut_from_train(raw, split):
    """Every point is in one of the two, as often as it was."""
    both = points(split.train) + points(split.held_out)
    assert sorted(both) == rows(raw.train, split.preprocess)
    assert points(split.test) == rows(raw.test, split.preprocess)


def test_the_held_out_part_is_the_same_of_every_class(raw, split):
    before = np.bincount(raw.train.labels)
    gone = np.bincount(np.asarray(split.held_out.y).argmax(-1), minlength=len(before))
    assert (np.abs(gone - FRACTION * before) <= 0.5).all()


def test_the_cut_is_that_of_the_seed(data, raw):
    opened = data.open()
    again, other = (Held(raw, seed=seed).open() for seed in (SEED, SEED + 1))
    np.testing.assert_array_equal(again.gone, opened.gone)
    np.testing.assert_array_equal(again.kept, opened.kept)
    assert again.fingerprint == opened.fingerprint
    assert not np.array_equal(other.gone, opened.gone)
    assert len(np.intersect1d(opened.kept, opened.gone)) == 0
    assert len(opened.kept) + len(opened.gone) == len(raw.train)


@pytest.mark.parametrize("whiten", [Unwhitened(), ZCA()], ids=["plain", "whitened"])
def test_points_come_back_as_they_were_stored(raw, whiten):
    if raw.train.values[0].size > 3000 and whiten != Unwhitened():
        pytest.skip("the matrix is of thousands of pixels: smaller images have shown it")
    preprocess = Held(raw, whiten=whiten).open().preprocess
    for part in (raw.train, raw.test):
        expected = scaled(part.values[:50])
        back = preprocess.undo(preprocess(part.values[:50]))
        np.testing.assert_allclose(back, expected, atol=3e-6 * max(1, np.abs(expected).max()))


def marked(part):
    """The points, every one another: some of the tiny datasets hold one picture many times."""
    values = np.array(part.values)
    if values.dtype == np.uint8:
        rows = values.reshape(len(values), -1)
        rows[:, 1], rows[:, 2] = np.divmod(np.arange(len(rows)), 256)
    return Part(values, part.labels)


def test_the_fingerprint_is_of_what_may_be_learned_from(raw):
    raw = dataclasses.replace(raw, train=marked(raw.train))
    base = Held(raw).open()

    def fingerprint(values=raw.train.values, labels=raw.train.labels, test=raw.test, **decisions):
        other = dataclasses.replace(raw, train=Part(values, labels), test=test)
        return Held(other, **decisions).open().fingerprint

    def nudged(values, number):
        other = np.array(values)
        point = other[number].reshape(-1)
        point[0] = point[0] + 1 if point[0] < 100 else point[0] - 1
        return other

    def exchanged(first):
        """Two labels exchanged among points that are learned from: the cut could be another."""
        labels = np.array(raw.train.labels)
        second = base.kept[np.flatnonzero(labels[base.kept] != labels[first])[0]]
        labels[[first, second]] = labels[[second, first]]
        return labels

    kept, gone = base.kept[0], base.gone[0]
    assert fingerprint() == base.fingerprint
    assert fingerprint(nudged(raw.train.values, kept)) != base.fingerprint
    assert fingerprint(labels=exchanged(kept)) != base.fingerprint
    assert fingerprint(seed=SEED + 1) != base.fingerprint
    assert fingerprint(held_out=FRACTION + 0.25) != base.fingerprint
    assert fingerprint(nudged(raw.train.values, gone)) == base.fingerprint
    labels = np.array(raw.train.labels)
    labels[gone] = (labels[gone] + 1) % len(raw.classes)
    assert fingerprint_of(Part(raw.train.values, labels), base.kept) == base.fingerprint
    test = Part(nudged(raw.test.values, 0), raw.test.labels[::-1].copy())
    assert fingerprint(test=test) == base.fingerprint


def test_reading_again_gives_the_same(data, raw):
    again = data.read()
    for part in ("train", "test"):
        one, other = getattr(raw, part), getattr(again, part)
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.labels, other.labels)
    assert (again.classes, again.notes, again.tested) == (raw.classes, raw.notes, raw.tested)


def test_it_can_be_typed_behind_data(data):
    form = form_of(data)
    assert (form is None) == (type(data) in NAMELESS)
    if form is not None:
        again = named(form)
        assert type(again) is type(data)
        assert getattr(again, "path", None) == getattr(data, "path", None)
        assert form_of(again) == form


def test_it_is_recorded_and_read_back(data):
    known = {kind.__name__: kind for kind in (*ROWS, Squash, Unwhitened)}
    assert from_json(to_json(data), known) == data


WRECKS = {
    "emptied": lambda file: file.write_bytes(b""),
    "noise": lambda file: file.write_bytes(np.random.default_rng(0).bytes(3000)),
    "gone": lambda file: file.unlink(),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
    "a link to nowhere": lambda file: (file.unlink(), file.symlink_to("nowhere")),
    "locked": lambda file: file.chmod(0),
}


@pytest.mark.parametrize("wreck", WRECKS)
@pytest.mark.parametrize(
    "kind", [kind for kind in ROWS if kind not in (Digits, ImageNette)], ids=lambda k: k.__name__
)
def test_wrecked_files_are_told_in_words(kind, wreck, tmp_path):
    """A person sees what is wrong, never a traceback."""
    if wreck == "locked" and made.reads_all():
        pytest.skip("permissions are nothing to root")
    data = ROWS[kind](tmp_path)
    for file in [file for file in tmp_path.rglob("*") if file.is_file()]:
        if file.exists():  # links to one file go together
            WRECKS[wreck](file)
    with pytest.raises(UserError) as error:
        data.read()
    assert str(tmp_path) in str(error.value) or "cannot be read" in str(error.value)


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("kind", [k for k in ROWS if k is not Digits], ids=lambda k: k.__name__)
def test_a_folder_without_the_dataset_is_told_in_words(kind, there, tmp_path):
    if kind is Parquet:
        pytest.importorskip("pyarrow")
    place = str(tmp_path if there else tmp_path / "none")
    data = Corrupted(Digits(), place, "fog") if kind is Corrupted else kind(place)
    with pytest.raises(UserError, match=place):
        data.read()
