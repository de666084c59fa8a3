"""data check and data list: what is in a dataset, and the help of all that `data` can do."""

import dataclasses
import json
import re

import numpy as np
import pytest
from PIL import Image

from pseudocore.cli.data import VERBS
from pseudocore.datasets.cache import cache_folder
from pseudocore.datasets.known import KNOWN

FACTS = {"kind", "counts", "shape", "channels", "mean", "deviation", "doubles", "content", "notes"}


@pytest.fixture
def shades(tmp_path):
    """Grey pictures of two classes and two sizes; each is of one level, 10 apart."""
    for part, names in (("train", "abbb"), ("test", "ab")):
        for number, name in enumerate(names):
            folder = tmp_path / "shades" / part / name
            folder.mkdir(parents=True, exist_ok=True)
            level = 10 * number + (5 if part == "test" else 0)
            picture = np.full((4 + number, 6, 1), level, np.uint8)
            Image.fromarray(picture[..., 0]).save(folder / f"{number}.png")
    return tmp_path / "shades"


@pytest.fixture
def archive(tmp_path):
    """An .npz file of these arrays."""

    def write(**arrays):
        np.savez(tmp_path / "mine.npz", **arrays)
        return tmp_path / "mine.npz"

    return write


@pytest.fixture
def fake(tmp_path):
    """A folder as CIFAR-10 has it, with two images a class of 1 and of 2."""
    folder = tmp_path / "cifar"
    folder.mkdir()
    record = np.full((20, 3073), 51, np.uint8)
    record[:, 0] = np.arange(20) % 10
    for number in range(1, 6):
        record[:, 1] = number
        record.tofile(folder / f"data_batch_{number}.bin")
    record.tofile(folder / "test_batch.bin")
    return folder


def rows(out):
    """The rows of a table."""
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]
    return dict(line for line in cells if len(line) == 2)


def checked(call, *words):
    told = call("data", "check", *words, "--json")
    assert told.code in (0, 1), told.err
    return json.loads(told.out)


def test_digits_as_a_table(call):
    told = call("data", "check", "digits")
    assert (told.code, told.err) == (0, "")
    said = rows(told.out)
    assert said["read as"] == "Digits"
    assert said["train"].startswith("1347 points, 134 of 0, 136 of 1, ")
    assert said["test"].startswith("450 points, 44 of 0, ")
    assert said["classes"] == "10: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
    assert said["shape"] == "8 x 8 x 1, gray"
    assert (said["mean of train"], said["deviation"]) == ("0.3057", "0.3762")
    assert said["copies"] == "0 within train, 0 within test, 0 of test in train"


def test_a_folder_of_pictures(call, shades):
    told = call("data", "check", shades)
    assert told.code == 0, told.err
    said = rows(told.out)
    assert said["read as"] == "Folder"
    assert said["train"] == "4 points, 1 of a, 3 of b"
    assert said["test"] == "2 points, 1 a class"
    assert said["classes"] == "2: a, b"
    assert said["shape"] == "32 x 32 x 1, gray"
    assert said["mean of train"] == f"{15 / 255:.4f}"
    assert said["deviation"] == f"{np.std([0, 10, 20, 30]) / 255:.4f}"
    assert "Pictures of 6 x 4 to 6 x 7 pixels were brought to 32 x 32 by Cover(32)." in told.err


def test_flags_are_those_of_the_data(call, shades):
    flags = "--data.resize", "Squash(5)"
    assert checked(call, shades, *flags)["shape"] == [5, 5, 1]
    found = checked(call, shades / "train", "--data.cut", 0.4)
    assert found["counts"] == {"train": {"a": 1, "b": 2}, "test": {"a": 0, "b": 1}}
    cut = "There is no test folder: 0.4 of every class, 1 pictures, is tested, but none of a, of "
    assert f"{cut}which there are too few." in found["notes"]


def test_json_has_all_facts(call, shades):
    found = checked(call, shades)
    assert found.keys() == FACTS | {"name", "faults"}
    assert found["counts"] == {"train": {"a": 1, "b": 3}, "test": {"a": 1, "b": 1}}
    assert (found["kind"], found["shape"], found["channels"]) == ("Folder", [32, 32, 1], "gray")
    assert found["mean"] == pytest.approx([15 / 255])
    assert found["deviation"] == pytest.approx([np.std([0, 10, 20, 30]) / 255])
    assert found["doubles"] == {"within train": 0, "within test": 0, "of test in train": 0}
    assert re.fullmatch("[0-9a-f]{64}", found["content"])
    assert (found["name"], found["faults"]) == (None, [])
    (note,) = found["notes"]
    assert "were brought to 32 x 32" in note


def test_content_is_that_of_the_points_and_labels_in_any_order(call, archive):
    random = np.random.default_rng(0)
    x, y = random.integers(0, 256, (12, 4, 4, 3)).astype(np.uint8), np.arange(12) % 3
    test = {"x_test": x[:3], "y_test": y[:3]}
    before = checked(call, archive(x_train=x, y_train=y, **test))["content"]
    turned = archive(x_train=x[::-1], y_train=y[::-1], **test)
    assert checked(call, turned)["content"] == before
    other = archive(x_train=x, y_train=np.roll(y, 1), **test)
    assert checked(call, other)["content"] != before


def test_arrays_and_their_copies(call, archive):
    """Two copies within train, one within test, and two points of test that train has."""
    x = np.random.default_rng(0).integers(0, 256, (12, 5, 4, 3)).astype(np.uint8)
    y = np.arange(12) % 3
    x[3], x[6] = x[0], x[0]
    test = {"x_test": np.stack([x[0], x[0], x[1] + 1]), "y_test": y[:3]}
    told = call("data", "check", archive(x_train=x, y_train=y, **test))
    assert told.code == 0, told.err
    said = rows(told.out)
    assert said["read as"] == "Npz"
    assert (said["train"], said["test"]) == ("12 points, 4 a class", "3 points, 1 a class")
    assert said["copies"] == "2 within train, 1 within test, 2 of test in train"
    assert "Images of 5 x 4 x 3 are read as height x width x channels (NHWC)." in told.err


def test_a_table_of_rows(call, tmp_path):
    lines = [f"{i},{2 * i},{'xyz'[i % 3]}" for i in range(15)]
    (tmp_path / "mine.csv").write_text("\n".join(["first,second,label", *lines]))
    told = call("data", "check", tmp_path / "mine.csv")
    assert told.code == 0, told.err
    said = rows(told.out)
    assert said["train"] == "12 points, 4 a class"
    assert (said["classes"], said["shape"]) == ("3: x, y, z", "2, features")
    assert len(said["mean of train"].split(", ")) == 2
    assert "There is no test file: 0.2 of every class, 3 rows, is tested." in told.err


def test_what_should_be_cifar_10_and_is_not_ends_with_1(call, fake):
    for words in ([f"cifar10:{fake}"], [fake]):  # by name, and recognised
        told = call("data", "check", *words)
        assert told.code == 1
        assert rows(told.out)["train"] == "100 points, 10 a class"
        assert "as published" not in told.out
        said = "warning: This is not cifar10 as published: it has 100 + 20 points, published are "
        assert said + "50000 + 10000; its channel means are " in told.err
    told = call("data", "check", fake, "--json")
    assert told.code == 1
    found = json.loads(told.out)
    assert found["name"] == "cifar10"
    assert len(found["faults"]) == 2


def test_list_has_every_known_name_and_the_cache(call, tmp_path):
    told = call("data", "list", "--root", tmp_path)
    assert told.code == 0
    listed = [line.split("│")[1].strip() for line in told.out.splitlines() if line[:1] == "│"]
    assert listed == ["digits", *KNOWN]
    assert f"Decoded pictures are kept in {cache_folder()}: " in told.err
    assert str(tmp_path) not in told.out


def test_list_says_what_is_here(call, tmp_path):
    (tmp_path / "mnist").mkdir()
    (tmp_path / "svhn").write_text("a file")
    told = call("data", "list", "--root", tmp_path, "--json")
    assert (told.code, told.err) == (0, "")
    here = {row["name"]: row["here"] for row in json.loads(told.out)}
    assert here == dict.fromkeys(KNOWN) | {
        "digits": "inside the package",
        "mnist": str(tmp_path / "mnist"),
    }
    assert all(row["terms"] and row["classes"] for row in json.loads(told.out))
    assert str(tmp_path / "mnist") in call("data", "list", "--root", tmp_path).out


def test_help_of_data_lists_its_verbs_and_examples(call):
    for words in (["--help"], ["-h"], ["help"], []):
        told = call("data", *words)
        assert (told.code, told.err) == (0, "")
        assert all(re.search(rf"^  {verb} ", told.out, re.MULTILINE) for verb in VERBS)
        assert "  pseudocore data check my-pictures\n" in told.out


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("data", [[], ["cifar10"]])
def test_each_verb_has_help_with_examples_and_loads_nothing(
    call, verb, data, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)  # there is no data/cifar10 here
    told = call("data", verb, *(data if verb != "list" else []), "--help")
    assert (told.code, told.err) == (0, "")
    assert told.out.count("usage:") == 1
    assert len(re.findall(rf"^ +pseudocore data {verb}", told.out, re.MULTILINE)) >= 2
    assert "Examples:" in told.out


def test_help_has_the_flags_of_the_data_that_are_named(call, shades):
    for verb in ("check", "preview", "corrupt"):
        mine, other = (call("data", verb, of, "--help").out for of in (shades, "digits"))
        assert "--data.cut FLOAT" in mine
        assert "--data.cut FLOAT" not in other
        assert "--data.seed INT" in other


def test_wrong_words_are_refused(call, refused):
    refused(call("data", "nonsense"), "no verb of data 'nonsense'", *VERBS)
    refused(call("data", "chek", "digits"), "Did you mean 'check'?")
    for verb in ("check", "preview", "corrupt"):
        refused(call("data", verb), f"Name the data: pseudocore data {verb} digits", "FILE.npz")
        refused(call("data", verb, "--seed", 1), "Name the data")
        refused(call("data", verb, "digitz"), "'digitz'", "Did you mean 'digits'?", "FOLDER")
        refused(call("data", verb, "digits", "--nonsense"), "--nonsense")
    refused(call("data", "list", "more"), "more")


def test_content_tells_what_it_is_and_that_it_is_all_there(call, archive, monkeypatch):
    random = np.random.default_rng(0)
    x, y = random.integers(0, 256, (20, 4, 4)).astype(np.uint8), np.arange(20) % 10
    test = {"x_test": x[:10], "y_test": y[:10]}
    found = checked(call, archive(x_train=x, y_train=y, **test))
    assert found["name"] is None
    facts = {"counts": (20, 10), "mean": tuple(found["mean"]), "content": found["content"]}
    monkeypatch.setitem(KNOWN, "mnist", dataclasses.replace(KNOWN["mnist"], **facts))
    told = call("data", "check", archive(x_train=x, y_train=y, **test))
    assert told.code == 0
    assert "This is mnist: every point and every label is as published." in told.out


def test_one_changed_label_is_found(call, fake, monkeypatch):
    found = checked(call, fake)
    facts = {"counts": (100, 20), "mean": tuple(found["mean"]), "content": found["content"]}
    monkeypatch.setitem(KNOWN, "cifar10", dataclasses.replace(KNOWN["cifar10"], **facts))
    assert call("data", "check", fake).code == 0
    records = np.fromfile(fake / "test_batch.bin", np.uint8)
    records[0] = 1
    records.tofile(fake / "test_batch.bin")
    told = call("data", "check", fake)
    assert told.code == 1
    said = "This is not cifar10 as published: single points or labels differ from those published."
    assert said in told.err
