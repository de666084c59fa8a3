"""Published datasets fetched, against a real server on this machine that does not always serve."""

import dataclasses
import gzip
import hashlib
import io
import json
import os
import re
import shlex
import struct
import subprocess
import sys
import tarfile
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from pseudocore.datasets import fetching
from pseudocore.datasets.known import KNOWN
from pseudocore.store.download import download

RECORDS = np.random.default_rng(0).integers(0, 256, (6, 10, 3073)).astype(np.uint8)
RECORDS[..., 0] = np.arange(10)
BATCHES = [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]
INSIDE = "cifar-10-batches-bin"
ARCHIVE = "cifar-10-binary.tar.gz"
LIMITED = """
import dataclasses, json, resource, signal, sys
from pseudocore.__main__ import main
from pseudocore.datasets.known import KNOWN
source = dataclasses.replace(KNOWN["cifar10"].sources[0], checksum=sys.argv[1])
KNOWN["cifar10"] = dataclasses.replace(KNOWN["cifar10"], sources=(source,))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
sys.exit(main(sys.argv[2:]))
"""


class Answer(BaseHTTPRequestHandler):
    """A file of the server's, from the byte asked for on; `cut` is where every answer ends."""

    def do_GET(self):
        path = self.path.lstrip("/").partition("?")[0]
        self.server.seen.append((path, self.headers.get("Range")))
        content = self.server.files.get(path)
        if content is None:
            self.send_error(404)
            return
        start = int((self.headers.get("Range") or "bytes=0-")[len("bytes=") : -1])
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start : self.server.cut])
        self.server.cut = self.server.cuts_on and self.server.cut

    def log_message(self, *_):
        pass


class Web(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.files, self.seen = {}, []
        self.cut, self.cuts_on = None, None
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_):
        """The client went away, as it may."""


@pytest.fixture
def web(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    # Half a second and more between tries is for the web.
    monkeypatch.setattr(fetching, "download", partial(download, pauses=(0.001, 0.001)))
    with Web() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def published(web, monkeypatch):
    """Let the server hold files, and their checksums be what is published of a dataset."""

    def publish(name, files, **facts):
        web.files |= files
        sources = tuple(
            dataclasses.replace(source, url=f"{web.url}/{source.file}", checksum=md5(content))
            for source, content in zip(KNOWN[name].sources, files.values(), strict=True)
        )
        known = dataclasses.replace(KNOWN[name], sources=sources, content="", **facts)
        monkeypatch.setitem(KNOWN, name, known)

    return publish


@pytest.fixture
def out(tmp_path):
    return tmp_path / "there" / "cifar"


def md5(content):
    return f"md5:{hashlib.md5(content, usedforsecurity=False).hexdigest()}"


def packed(files, mode="w:gz"):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode=mode) as archive:
        for name, held in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(held)
            archive.addfile(info, io.BytesIO(held))
    return content.getvalue()


def cifar():
    parts = zip(BATCHES, RECORDS, strict=True)
    return packed({f"{INSIDE}/{name}": records.tobytes() for name, records in parts})


def mnist():
    random = np.random.default_rng(1)
    files = {}
    for part, count in (("train", 40), ("t10k", 20)):
        images = random.integers(0, 256, (count, 28, 28)).astype(np.uint8)
        head = struct.pack(">4B3I", 0, 0, 8, 3, *images.shape)
        files[f"{part}-images-idx3-ubyte.gz"] = gzip.compress(head + images.tobytes())
        labels = (np.arange(count) % 10).astype(np.uint8)
        head = struct.pack(">4BI", 0, 0, 8, 1, count)
        files[f"{part}-labels-idx1-ubyte.gz"] = gzip.compress(head + labels.tobytes())
    return files


def below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_an_archive_is_fetched_unpacked_and_read(
    call, refused, web, published, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    means = RECORDS[:5, :, 1:].reshape(-1, 3, 1024).mean((0, 2)) / 255
    published("cifar10", {ARCHIVE: cifar()}, counts=(50, 10), mean=tuple(means.tolist()))
    told = call("data", "get", "cifar10")
    assert told.code == 0, told.err
    assert told.out == ""
    assert f"{ARCHIVE} 1/1" in told.err
    assert "Look at it: pseudocore data check cifar10\n" in told.err
    assert below(tmp_path / "data") == sorted(f"cifar10/{INSIDE}/{name}" for name in BATCHES)
    told = call("data", "check", "cifar10")
    assert told.code == 0, told.err
    assert "This is cifar10: counts and channel means are as published." in told.out
    seen = list(web.seen)
    refused(call("data", "get", "cifar10"), "data/cifar10 is not empty", "data check", "--out")
    assert web.seen == seen


def test_what_was_fetched_elsewhere_is_read_there(call, web, published, tmp_path):
    out = tmp_path / "my data"
    published("cifar10", {ARCHIVE: cifar()})
    told = call("data", "get", "cifar10", "--out", out)
    assert told.code == 0, told.err
    (said,) = re.findall(r"Look at it: pseudocore (.*)", told.err)
    told = call(*shlex.split(said), "--json")
    assert told.code == 1  # not the 60,000 that were published
    assert sum(json.loads(told.out)["counts"]["train"].values()) == 50


def test_corrupted_pictures_are_not_looked_at_but_judged_on(call, web, published, tmp_path):
    published("cifar10-c", {"CIFAR-10-C.tar": packed({"CIFAR-10-C/fog.npy": b"1"}, "w")})
    told = call("data", "get", "cifar10-c", "--out", tmp_path / "c")
    assert told.code == 0, told.err
    assert below(tmp_path) == ["c/CIFAR-10-C/fog.npy"]
    assert f"pseudocore evaluate RUN --corrupted {tmp_path}/c --corruption fog\n" in told.err


def test_a_file_that_breaks_off_goes_on_in_the_same_call(call, web, published, out):
    content = cifar()
    published("cifar10", {ARCHIVE: content})
    web.cut = len(content) // 3
    told = call("data", "get", "cifar10", "--out", out)
    assert told.code == 0, told.err
    assert web.seen == [(ARCHIVE, None), (ARCHIVE, f"bytes={len(content) // 3}-")]
    assert below(out) == sorted(f"{INSIDE}/{name}" for name in BATCHES)


def test_half_a_download_goes_on_at_the_second_call(call, refused, web, published, out):
    content = cifar()
    published("cifar10", {ARCHIVE: content})
    web.cut, web.cuts_on = len(content) // 2, True
    told = call("data", "get", "cifar10", "--out", out)
    refused(told, "broke off", "MiB are kept in", f"{ARCHIVE}.part", "the same command again")
    assert not out.exists()
    before, web.cut = len(web.seen), None
    told = call("data", "get", "cifar10", "--out", out)
    assert told.code == 0, told.err
    assert web.seen[before:] == [(ARCHIVE, f"bytes={len(content) // 2}-")]
    assert below(out.parent) == sorted(f"cifar/{INSIDE}/{name}" for name in BATCHES)
    for name, records in zip(BATCHES, RECORDS, strict=True):
        assert (out / INSIDE / name).read_bytes() == records.tobytes()


def test_ctrl_c_keeps_what_has_arrived(call, web, published, out, stop_after):
    published("cifar10", {ARCHIVE: cifar()})
    stop_after(1)
    told = call("data", "get", "cifar10", "--out", out)
    assert told.code == 130
    assert "What is done is kept: run the same command again" in told.err
    assert "--resume" not in told.err
    assert f"{ARCHIVE}.part" in below(out.parent)


def test_wrong_bytes_are_refused_and_removed(call, refused, web, out):
    """The published checksum is what counts, wherever the file comes from."""
    web.files["mirror"] = cifar()
    told = call("data", "get", "cifar10", "--url", f"{web.url}/mirror", "--out", out)
    published = KNOWN["cifar10"].sources[0].checksum
    refused(told, f"{web.url}/mirror", md5(cifar()), f"not {published}, and was removed", "--url")
    assert below(out.parent) == []


@pytest.mark.parametrize("name", ["cifar10", "mnist", "tiny-imagenet"])
def test_a_missing_file_is_named_with_what_to_do(call, refused, web, out, name):
    told = call("data", "get", name, "--url", f"{web.url}/gone", "--out", out)
    refused(told, f"{web.url}/gone", "answered 404", "another source with --url", "by hand")
    assert below(out.parent) == []


def test_a_server_that_is_not_there_is_named(call, refused, web, out):
    with Web() as gone:
        url = gone.url
    told = call("data", "get", "cifar10", "--url", f"{url}/x", "--out", out)
    refused(told, f"{url}/x could not be reached", "Check the network", "--url")
    refused(call("data", "get", "cifar10", "--url", "ftp://x/y", "--out", out), "'ftp://x/y' is no")
    assert not out.exists()


def test_an_address_with_another_ending_is_unpacked_all_the_same(call, web, published, out):
    published("cifar10", {ARCHIVE: cifar()})
    web.files["content"] = web.files.pop(ARCHIVE)
    told = call("data", "get", "cifar10", "--url", f"{web.url}/content?n=1", "--out", out)
    assert told.code == 0, told.err
    assert below(out.parent) == sorted(f"cifar/{INSIDE}/{name}" for name in BATCHES)


def test_several_files_go_on_with_those_that_are_missing(call, refused, web, published, tmp_path):
    files, out = mnist(), tmp_path / "mnist"
    published("mnist", files, counts=(40, 20), mean=())
    third = list(files)[2]
    del web.files[third]
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    refused(call("data", "get", "mnist", "--out", out), f"{third} answered 404")
    assert below(out) == sorted([*list(files)[:2], "notes.txt"])
    web.files[third], web.seen[:] = files[third], []
    words = "--url", f"{web.url}/", "--out", out
    told = call("data", "get", "mnist", *words)
    assert told.code == 0, told.err
    assert [path for path, _ in web.seen] == list(files)[2:]
    assert {name: (out / name).read_bytes() for name in files} == files
    assert (out / "notes.txt").read_text() == "mine"
    told = call("data", "check", f"mnist:{out}")
    assert told.code == 0, told.err
    assert "This is mnist: counts and classes are as published." in told.out
    before = len(web.seen)
    assert call("data", "get", "mnist", *words).code == 0
    assert len(web.seen) == before


def test_one_wrong_file_of_several_is_refused(call, refused, web, published, tmp_path):
    files = mnist()
    published("mnist", files)
    second = list(files)[1]
    web.files[second] = b"wrong"
    refused(call("data", "get", "mnist", "--out", tmp_path), md5(b"wrong"), "was removed")
    assert below(tmp_path) == [next(iter(files))]


def test_a_file_of_the_user_is_left_alone(call, refused, web, published, tmp_path):
    published("mnist", mnist())
    mine = tmp_path / next(iter(mnist()))
    mine.write_text("mine")
    refused(call("data", "get", "mnist", "--out", tmp_path), f"{mine} is another file", "Move")
    assert (mine.read_text(), web.seen) == ("mine", [])


def test_what_is_in_the_way_is_said_before_anything_is_fetched(
    call, refused, web, published, tmp_path, monkeypatch
):
    published("cifar10", {ARCHIVE: cifar()})
    (tmp_path / "notes.txt").write_text("mine")
    refused(call("data", "get", "cifar10", "--out", tmp_path), f"{tmp_path} is not empty", "--out")
    file = tmp_path / "notes.txt"
    refused(call("data", "get", "cifar10", "--out", file), f"{file} is in the way", "--out")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    refused(call("data", "get", "cifar10", "--out", "."), "--out . is the folder that you are in")
    assert web.seen == []
    assert below(tmp_path) == ["notes.txt"]


def test_names(call, refused, web, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(call("data", "get", "cifr10"), "'cifr10'", "Did you mean 'cifar10'?")
    refused(call("data", "get"), "Name what to fetch: pseudocore data get NAME", *KNOWN)
    refused(call("data", "get", "--out", "x"), "Name what to fetch")
    refused(call("data", "get", "cifar10", "more"), "more")
    told = call("data", "get", "digits")
    assert told.code == 0
    assert "inside the package: pseudocore data check digits" in told.err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (packed({"../outside": b"1"}), "'../outside' leads out of the folder"),
        (packed({f"{INSIDE}/x": b"1", "/tmp/outside": b"1"}), "leads out of the folder"),
        (cifar()[:-2000], "end-of-stream"),
        (b"no archive", "Not a gzipped file"),
    ],
)
def test_an_archive_that_escapes_or_is_damaged_leaves_nothing(
    call, refused, web, published, out, tmp_path, content, said
):
    published("cifar10", {ARCHIVE: content})
    told = call("data", "get", "cifar10", "--out", out)
    refused(told, f"{ARCHIVE} is damaged or unsafe", said, "Nothing of it was kept", "another")
    assert below(tmp_path) == [f"there/{ARCHIVE}"]
    assert os.listdir(out.parent) == [ARCHIVE]


def test_a_full_disk_keeps_what_has_arrived(told, refused, web, out):
    content = cifar()
    web.files[ARCHIVE] = content
    words = "data", "get", "cifar10", "--url", f"{web.url}/{ARCHIVE}", "--out", out
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, md5(content), *map(str, words)],
        capture_output=True,
        text=True,
    )
    answer = told(done.returncode, done.stdout, done.stderr)
    refused(answer, "No space left to write", f"{ARCHIVE}.part", "what has arrived is kept")
    assert "--resume" not in done.stderr
    assert not out.exists()
    assert 0 < (out.parent / f"{ARCHIVE}.part").stat().st_size <= 50_000


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_named(call, refused, web, published, tmp_path):
    published("cifar10", {ARCHIVE: cifar()})
    tmp_path.chmod(0o500)
    told = call("data", "get", "cifar10", "--out", tmp_path / "cifar")
    refused(told, "Not allowed to write", str(tmp_path), "--out")
