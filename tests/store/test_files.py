"""Faults are made for real: a size limit on a process, a kill during a write, a file in the way."""

import os
import signal
import subprocess
import sys
import time

import pytest

from pseudocore.errors import UserError
from pseudocore.store.files import (
    append,
    finite,
    parse_json,
    read_json,
    sweep,
    write_atomically,
    write_json,
)

LIMITED = """
import resource, signal, sys
from pathlib import Path
from pseudocore.errors import UserError
from pseudocore.store.files import append, write_atomically
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
for write in (write_atomically, append):
    try:
        write(Path(sys.argv[1]), b"n" * 3_000_000)
    except UserError as error:
        print(error)
"""
ENDLESS = """
import sys
from pseudocore.store.files import write_atomically
contents = [letter * 2_000_000 for letter in (b"a", b"b")]
while True:
    for content in contents:
        write_atomically(sys.argv[1], content)
"""


def run_python(code, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_write_makes_folders_replaces_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "a" / "b" / "file"
    write_atomically(path, b"old")
    write_atomically(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(path.parent) == ["file"]


def test_written_files_have_the_rights_of_any_new_file(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    write_atomically(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_full_disk_keeps_the_old_file_and_says_what_to_do(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    first, second = run_python(LIMITED, path).splitlines()
    for message in (first, second):
        assert f"No space left to write {path} (2.9 MiB)" in message
        assert "--out" in message
        assert "--resume" in message
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_failing_rename_removes_the_temporary(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "file", b"new")
    assert os.listdir(tmp_path) == []


def test_kill_at_any_moment_leaves_a_whole_file(tmp_path):
    path = tmp_path / "file"
    for pause in (0.05, 0.1, 0.15):
        writer = subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)])
        try:
            deadline = time.monotonic() + 10
            while not path.exists() and time.monotonic() < deadline:
                time.sleep(0.005)
            end = time.monotonic() + pause
            while time.monotonic() < end:
                assert_whole(path)
        finally:
            writer.send_signal(signal.SIGKILL)
            writer.wait()
        assert_whole(path)
    (tmp_path / ".left.partial").write_bytes(b"")
    sweep(tmp_path)
    assert os.listdir(tmp_path) == ["file"]


def assert_whole(path):
    content = path.read_bytes()
    assert len(content) == 2_000_000
    assert content.count(content[:1]) == len(content)


@pytest.mark.parametrize("below", ["", "sub", "sub/deeper"])
def test_file_in_place_of_a_folder_is_named(tmp_path, below):
    obstacle = tmp_path / "out"
    obstacle.write_text("mine")
    with pytest.raises(UserError, match=r"out is in the way.*another --out"):
        write_atomically(obstacle / below / "file", b"new")
    assert obstacle.read_text() == "mine"


def test_folder_in_place_of_a_file_is_named(tmp_path):
    (tmp_path / "file").mkdir()
    with pytest.raises(UserError, match="file is in the way"):
        write_atomically(tmp_path / "file", b"new")
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder_is_named(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(UserError, match=r"Not allowed to write .*file: .*--out"):
        write_atomically(tmp_path / "file", b"new")


def test_refusal_by_the_system_is_explained(tmp_path, monkeypatch):
    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(UserError, match=r"Not allowed to write .*file: .*--out"):
        write_atomically(tmp_path / "file", b"new")
    assert os.listdir(tmp_path) == []


def test_a_name_that_is_too_long_is_named(tmp_path):
    with pytest.raises(UserError, match=r"xxx: File name too long\. Choose a shorter one"):
        write_atomically(tmp_path / ("x" * 300), b"new")


def test_any_other_refusal_names_the_path_too(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(UserError, match=r"Cannot write .*file: Input/output error\. .*--out"):
        write_atomically(tmp_path / "file", b"new")


@pytest.mark.parametrize("below", ["", "sub"])
def test_a_link_to_nowhere_is_named(tmp_path, below):
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    said = rf"\({tmp_path}/link, a link to {tmp_path}/gone, which is not there, is in the way\)"
    with pytest.raises(UserError, match=said):
        write_atomically(tmp_path / "link" / below / "file", b"new")


def test_append_adds(tmp_path):
    append(tmp_path / "log", b"a\n")
    append(tmp_path / "log", b"b\n")
    assert (tmp_path / "log").read_bytes() == b"a\nb\n"


def test_json_round_trip_is_strict(tmp_path):
    path = tmp_path / "x.json"
    write_json(path, {"a": [1, 0.1, None, "é"]})
    assert read_json(path, "") == {"a": [1, 0.1, None, "é"]}
    with pytest.raises(ValueError, match="JSON"):
        write_json(path, float("nan"))
    with pytest.raises(ValueError, match="NaN is no JSON number"):
        parse_json(b"[NaN]")


@pytest.mark.parametrize("content", [b"", b'{"a": 1', b"[Infinity]", b"\xff\xfe", b"[" * 100_000])
def test_damaged_json_is_named(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"x\.json is damaged.*Do this\."):
        read_json(path, "Do this.")


def test_missing_json_is_named(tmp_path):
    with pytest.raises(UserError, match=r"x\.json is missing\. Do this\."):
        read_json(tmp_path / "x.json", "Do this.")
    with pytest.raises(UserError, match=r"cannot be read.*Do this\."):
        read_json(tmp_path, "Do this.")


def test_finite_turns_arrays_to_lists_and_nan_to_null():
    import numpy as np

    row = {"a": np.float32(0.5), "b": float("nan"), "c": (np.array([1.0, np.inf]), True), 3: None}
    assert finite(row) == {"a": 0.5, "b": None, "c": [[1.0, None], True], "3": None}
