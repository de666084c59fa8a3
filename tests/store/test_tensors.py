"""Arrays come back as they were; every damage to a file is found and named."""

import hashlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import safetensors
import safetensors.numpy

from pseudocore.errors import UserError
from pseudocore.store.tensors import digest, read_rows, read_tensors, write_tensors

BASE = np.random.default_rng(0).normal(size=(6, 4))
ARRAYS = {
    "float32": BASE.astype(np.float32),
    "float64": BASE,
    "half": BASE.astype(np.float16),
    "key": np.array([[0, 2**32 - 1]], np.uint32),
    "long": np.array([-(2**62)]),
    "truth": np.array([True, False, True]),
    "scalar": np.array(0.1),
    "empty": np.zeros((0, 3), np.float32),
    "transposed": BASE.T,
    "strided": BASE[::2, ::-1],
    "big_endian": np.arange(3, dtype=">i4"),
}
METADATA = {name: f"{name} é" for name in "fbdace"}
SAVE = """
import sys
import numpy as np
from pseudocore.store.tensors import write_tensors
write_tensors(sys.argv[1], {"x": np.arange(3.0)}, {name: name for name in "fbdace"})
"""


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "x.safetensors"
    write_tensors(path, ARRAYS, METADATA)
    return path


def test_round_trip_of_every_layout_and_type(stored):
    arrays, metadata = read_tensors(stored, ARRAYS)
    assert metadata == METADATA
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].shape == array.shape
        assert arrays[name].dtype == array.dtype.newbyteorder("=")


def test_only_the_names_asked_for_are_read(stored):
    assert set(read_tensors(str(stored), iter(["key", "scalar"]))[0]) == {"key", "scalar"}


def test_other_readers_of_the_format_agree(stored):
    theirs = safetensors.numpy.load(stored.read_bytes())
    assert set(theirs) == set(ARRAYS)
    np.testing.assert_array_equal(theirs["transposed"], BASE.T)


def test_library_itself_would_misplace_a_transpose(tmp_path):
    """Why `write_tensors` lays arrays out anew; where this fails, it no longer needs to."""
    theirs = safetensors.numpy.load(safetensors.numpy.save({"x": BASE.T}))["x"]
    assert not np.array_equal(theirs, BASE.T)


def test_equal_content_gives_equal_bytes_in_every_process(tmp_path):
    digests = set()
    for i in range(3):
        path = tmp_path / f"{i}.safetensors"
        subprocess.run([sys.executable, "-c", SAVE, str(path)], check=True)
        digests.add(digest(path))
    write_tensors(tmp_path / "here", {"x": np.arange(3.0)}, {name: name for name in "abcdef"})
    assert digests == {digest(tmp_path / "here")}


def test_arrays_lie_aligned_in_the_file(tmp_path):
    for n in range(8):
        write_tensors(tmp_path / "x", {"x": np.ones(1)}, {"a": "é" * n})
        content = (tmp_path / "x").read_bytes()
        assert int.from_bytes(content[:8], "little") % 8 == 0
        assert read_tensors(tmp_path / "x", ["x"])[1] == {"a": "é" * n}


def test_order_of_names_does_not_matter(stored, tmp_path):
    write_tensors(tmp_path / "y", dict(reversed(ARRAYS.items())), dict(sorted(METADATA.items())))
    assert digest(tmp_path / "y") == digest(stored)


def test_no_arrays_and_no_metadata(tmp_path):
    write_tensors(tmp_path / "x", {}, {})
    assert read_tensors(tmp_path / "x", []) == ({}, {})


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([None]), np.array([1j])])
def test_arrays_that_are_not_numbers_are_refused(tmp_path, array):
    with pytest.raises(TypeError, match=r"'x' is .*not plain numbers"):
        write_tensors(tmp_path / "x", {"x": array}, {})
    assert not (tmp_path / "x").exists()


def test_rows_are_the_window(stored):
    for start in range(7):
        for stop in range(start, 7):
            rows = read_rows(stored, "float32", start, stop)
            np.testing.assert_array_equal(rows, ARRAYS["float32"][start:stop])
            assert rows.dtype == np.float32
    assert read_rows(stored, "empty", 0, 0).shape == (0, 3)


@pytest.mark.parametrize("window", [(-1, 2), (3, 2), (0, 7), (7, 7)])
def test_rows_beyond_the_array_are_refused(stored, window):
    with pytest.raises(UserError, match=r"x\.safetensors holds 6 rows of 'float32'"):
        read_rows(stored, "float32", *window)


def test_scalar_has_no_rows(stored):
    with pytest.raises(UserError, match="holds 0 rows"):
        read_rows(stored, "scalar", 0, 1)


def test_rows_read_only_their_window(tmp_path):
    """A window of a large file costs memory for the window: the rest of the file is a hole."""
    write_tensors(tmp_path / "x", {"x": np.ones((4, 10))}, {})
    content = (tmp_path / "x").read_bytes()
    rows = 2**30 // 80
    old = b'"shape":[4,10],"data_offsets":[0,320]'
    new = f'"shape":[{rows},10],"data_offsets":[0,{rows * 80}]'.encode()
    end = 8 + int.from_bytes(content[:8], "little")
    header = content[8:end].rstrip().replace(old, new)
    header += b" " * (-len(header) % 8)
    with open(tmp_path / "x", "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header + content[end:])
        file.truncate(8 + len(header) + rows * 80)
    code = """
import resource, sys
from pseudocore.store.tensors import read_rows
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rows = read_rows(sys.argv[1], "x", 3, 6)
assert rows.sum() == 10 and rows.shape == (3, 10)
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "x")], check=True)


def read_all(path):
    return read_tensors(path, ARRAYS)


def read_one(path):
    return read_rows(path, "float32", 0, 1)


@pytest.fixture(params=[read_all, read_one])
def read(request):
    return request.param


@pytest.mark.parametrize("share", [0.0, 0.001, 0.2, 0.5, 0.9, 0.9999])
def test_truncated_file_is_named(stored, read, share):
    content = stored.read_bytes()
    stored.write_bytes(content[: int(share * len(content))])
    with pytest.raises(UserError, match=r"x\.safetensors is cut short.*compute it again"):
        read(stored)


@pytest.mark.parametrize(
    "content",
    [
        np.random.default_rng(1).bytes(5000),
        pickle.dumps({"x": 1}),
        b"\0" * 100,
        b"PK\x03\x04" + b"\0" * 60,
    ],
    ids=["random", "pickle", "zeros", "zip"],
)
def test_foreign_file_is_named(tmp_path, read, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(UserError, match=r"x is cut short or no safetensors file.*compute it"):
        read(tmp_path / "x")


def test_bytes_behind_the_end_are_refused(stored, read):
    stored.write_bytes(stored.read_bytes() + b"x")
    with pytest.raises(UserError, match="cut short or no safetensors"):
        read(stored)


def test_other_names_are_said(tmp_path, read):
    write_tensors(tmp_path / "x", {"weight": np.ones(2)}, {})
    with pytest.raises(UserError, match=r"has no .*float32.*it holds weight"):
        read(tmp_path / "x")


def test_missing_file_is_named(tmp_path, read):
    with pytest.raises(UserError, match=r"no file .*nowhere.*compute it first"):
        read(tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"no file .*nowhere"):
        digest(tmp_path / "nowhere")


def test_folder_is_no_file(tmp_path, read):
    with pytest.raises(UserError, match="cannot be read as a file"):
        read(tmp_path)
    with pytest.raises(UserError, match="cannot be read as a file"):
        digest(tmp_path)


def test_digest_is_sha256(tmp_path):
    content = np.random.default_rng(2).bytes(3_000_001)
    (tmp_path / "x").write_bytes(content)
    assert digest(tmp_path / "x") == hashlib.sha256(content).hexdigest()
