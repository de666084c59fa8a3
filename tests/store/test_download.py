"""Against a real server on this machine, which is told how each of its answers goes wrong."""

import hashlib
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import URLError

import pytest

from pseudocore.errors import UserError
from pseudocore.progress import silent
from pseudocore.store import download as module
from pseudocore.store import fetch as fetching
from pseudocore.store.download import download

CONTENT = bytes(range(256)) * 4000
CHECKSUM = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
QUICK = (0.001, 0.001, 0.001, 0.001)
CUT = 300_000
GOOD = {"status": 200}


LIMITED = """
import resource, signal, sys
from pathlib import Path
from pseudocore.progress import silent
from pseudocore.errors import UserError
from pseudocore.store.download import download
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    download(sys.argv[1], Path(sys.argv[2]), sys.argv[3], silent)
except UserError as error:
    print(error)
"""


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        web = self.server
        web.seen.append(dict(self.headers))
        web.how = web.plan[min(len(web.seen), len(web.plan)) - 1]
        if web.how.get("hang") == "before":
            web.released.wait(10)
            return
        content = web.how.get("content", CONTENT)
        start = self.start(web.how, content)
        if start is None:
            return
        self.send_header("Content-Length", web.how.get("length", len(content) - start))
        self.close_headers(web.how)
        self.body(web.how, content[start:])

    def start(self, how, content):
        """Answers the head; the byte the body begins with, or None where there is none."""
        if how.get("status", 200) not in (200, 206):
            self.send_response(how["status"])
            for name, value in how.get("headers", {}).items():
                self.send_header(name, value)
            self.end_headers()
            return None
        asked = self.headers.get("Range") if how.get("ranges", True) else None
        condition = self.headers.get("If-Range", how.get("etag", '"1"'))
        known = (how.get("etag", '"1"'), how.get("modified"))
        if not asked or (condition not in known and not how.get("stubborn")):
            self.send_response(how.get("status", 200))
            return 0
        start = int(asked.removeprefix("bytes=").removesuffix("-"))
        if start >= len(content):
            self.send_response(416)
            self.end_headers()
            return None
        self.send_response(206)
        start, total = how.get("from", start), how.get("total", len(content))
        self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{total}")
        return start

    def close_headers(self, how):
        if how.get("etag", '"1"'):
            self.send_header("ETag", how.get("etag", '"1"'))
        if "modified" in how:
            self.send_header("Last-Modified", how["modified"])
        if how.get("chunked"):
            self.send_header("Transfer-Encoding", "chunked")
        if how.get("length", 0) is None:
            # Sent as a stream that only the connection's end ends.
            self._headers_buffer = [
                line for line in self._headers_buffer if b"Content-Length" not in line
            ]
        self.end_headers()

    def body(self, how, content):
        content = content[: how.get("cut", len(content))]
        if how.get("chunked"):
            content = b"%x\r\n%s\r\n" % (len(content), content) + how["chunked"]
        self.wfile.write(content)
        if how.get("hang") == "within":
            self.server.released.wait(10)
        if how.get("reset"):
            self.wfile.flush()
            time.sleep(0.05)
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
        while how.get("endless") and not self.server.released.is_set():
            self.wfile.write(bytes(2**16))

    def log_message(self, *_):
        pass


class Web(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.plan = [GOOD]
        self.seen = []
        self.released = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}/file"

    def handle_error(self, *_):
        """The client went away, as it may."""


@pytest.fixture
def web(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with Web() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def target(tmp_path):
    return tmp_path / "data" / "file.gz"


def get(web, target, checksum=CHECKSUM, say=silent, size=None, timeout=5.0, pauses=QUICK):
    return download(web.url, target, checksum, say, size, timeout, pauses)


def leave_part(target, content, note=None):
    target.parent.mkdir()
    target.with_name("file.gz.part").write_bytes(content)
    if note is not None:
        target.with_name("file.gz.part.json").write_text(note)


def on_disk(target):
    return {path.name: path.stat().st_size for path in target.parent.iterdir()}


def assert_whole(target):
    assert target.read_bytes() == CONTENT
    assert os.listdir(target.parent) == ["file.gz"]


def ranges(web):
    return [headers.get("Range") for headers in web.seen]


@pytest.mark.parametrize("algorithm", ["md5", "sha256"])
def test_a_file_is_fetched_once(web, target, algorithm):
    digest = hashlib.new(algorithm, CONTENT).hexdigest()
    assert get(web, target, f"{algorithm}:{digest}") == target
    assert get(web, target, f"{algorithm.upper()}:{digest.upper()}") == target
    assert_whole(target)
    assert len(web.seen) == 1


def test_another_file_of_the_user_is_left_alone(web, target):
    target.parent.mkdir()
    target.write_text("mine")
    with pytest.raises(UserError, match=rf"file\.gz is another file.*not {CHECKSUM}\. Move or del"):
        get(web, target)
    assert target.read_text() == "mine"
    assert web.seen == []


def test_a_folder_in_the_way_is_named(web, target):
    target.mkdir(parents=True)
    with pytest.raises(UserError, match=r"file\.gz is in the way"):
        get(web, target)


def test_what_is_no_checksum_is_refused(web, target):
    for checksum in ("", "md5:12", "sha1:" + "0" * 40, "md5:" + "g" * 32, f"{CHECKSUM}0"):
        with pytest.raises(UserError, match="is no checksum: write md5: and 32 digits"):
            get(web, target, checksum)
    assert web.seen == []


def test_only_web_addresses_are_fetched(target):
    for url in ("file:///x", "ftp://a/b", "data:,x", "/x", "", "http://", "http://[1", "http:/x"):
        with pytest.raises(UserError, match=r"is no web address: .*--url"):
            download(url, target, CHECKSUM, silent)
    assert not target.parent.exists()


def test_an_address_that_is_spelled_wrong_is_named(web, target):
    for url in (f"{web.url}a b", f"{web.url}é", f"{web.url}a\nb", "http://127.0.0.1:x/file"):
        with pytest.raises(UserError, match=r"is no web address: .*--url"):
            download(url, target, CHECKSUM, silent, pauses=QUICK)
    assert on_disk(target) == {}


def test_an_interrupted_download_goes_on_where_it_ended(web, target):
    leave_part(target, CONTENT[:CUT], '{"version": "\\"1\\""}')
    get(web, target)
    assert_whole(target)
    assert ranges(web) == [f"bytes={CUT}-"]
    assert web.seen[0]["If-Range"] == '"1"'


@pytest.mark.parametrize("note", [None, "", "{}", "[]", '{"version": 3}'])
def test_a_part_of_unknown_version_goes_on_too(web, target, note):
    leave_part(target, CONTENT[:CUT], note)
    get(web, target)
    assert_whole(target)
    assert ranges(web) == [f"bytes={CUT}-"]
    assert "If-Range" not in web.seen[0]


def test_a_server_without_ranges_starts_again(web, target):
    leave_part(target, b"x" * CUT, '{"version": "\\"1\\""}')
    web.plan = [{"ranges": False}]
    get(web, target)
    assert_whole(target)
    assert len(web.seen) == 1


def test_a_complete_part_is_only_verified(web, target):
    leave_part(target, CONTENT)
    get(web, target)
    assert_whole(target)
    assert len(web.seen) == 1


@pytest.mark.parametrize("size", [len(CONTENT), len(CONTENT) + 9])
def test_a_part_of_another_file_as_long_or_longer_starts_again(web, target, size):
    leave_part(target, b"x" * size)
    get(web, target)
    assert_whole(target)
    assert ranges(web) == [f"bytes={size}-", None]


@pytest.mark.parametrize("broken", [{"cut": CUT}, {"cut": CUT, "reset": True}])
def test_a_broken_connection_is_taken_up_again(web, target, broken):
    web.plan = [broken, GOOD]
    get(web, target)
    assert_whole(target)
    first, second = ranges(web)
    assert first is None
    assert second is not None


def test_a_hanging_server_is_left_and_taken_up_again(web, target):
    web.plan = [{"hang": "before"}, {"cut": CUT, "hang": "within"}, GOOD]
    get(web, target, timeout=0.2)
    assert_whole(target)
    assert ranges(web) == [None, None, f"bytes={CUT}-"]


def test_whatever_brings_something_new_counts_as_no_failure(web, target):
    web.plan = [{"cut": 100_000}]
    get(web, target)
    assert_whole(target)
    assert len(web.seen) == 11


def test_what_arrived_is_kept_when_no_more_comes(web, target):
    web.plan = [{"cut": CUT}, {"cut": 0}]
    part = target.with_name("file.gz.part")
    with pytest.raises(UserError) as caught:
        get(web, target)
    assert f"{web.url} broke off 5 times in a row: the connection ended at {CUT}" in str(
        caught.value
    )
    assert f"0.3 MiB are kept in {part}: run the same command again" in str(caught.value)
    assert f"--url, or fetch the file by hand and put it at {target}" in str(caught.value)
    assert part.read_bytes() == CONTENT[:CUT]
    assert json.loads(target.with_name("file.gz.part.json").read_text()) == {"version": '"1"'}
    assert len(web.seen) == 5
    web.plan = [GOOD]
    get(web, target)
    assert_whole(target)
    assert len(web.seen) == 6


def test_starting_again_each_time_is_no_progress(web, target):
    web.plan = [{"ranges": False, "cut": CUT}]
    with pytest.raises(UserError, match="broke off 5 times in a row"):
        get(web, target)
    assert len(web.seen) == 5


def test_the_pauses_grow(web, target, monkeypatch):
    pauses = []
    clock = types.SimpleNamespace(monotonic=time.monotonic, sleep=pauses.append)
    monkeypatch.setattr(fetching, "time", clock)
    web.plan = [{"cut": 0}]
    with pytest.raises(UserError, match="broke off 5 times"):
        get(web, target, pauses=module.PAUSES)
    assert pauses == list(module.PAUSES) == sorted(pauses)
    assert sum(pauses) < 10


OLD = b"o" * len(CONTENT)


DATED = {"etag": 'W/"1"', "modified": "Tue, 01 Oct 2019 00:00:00 GMT"}


@pytest.mark.parametrize(
    ("old", "new"),
    [({}, {"etag": '"2"'}), ({}, {"etag": '"2"', "stubborn": True}), (DATED, {"etag": '"2"'})],
)
def test_a_changed_file_is_not_glued_to_its_old_part(web, target, old, new):
    web.plan = [{"content": OLD, "cut": CUT, **old}, new]
    get(web, target)
    assert_whole(target)
    assert web.seen[1]["If-Range"] == old.get("modified", '"1"')


def test_a_weak_tag_is_not_asked_for(web, target):
    web.plan = [{"etag": 'W/"1"', "cut": CUT}, {"etag": 'W/"1"'}]
    get(web, target)
    assert_whole(target)
    assert "If-Range" not in web.seen[1]


def test_an_answer_that_begins_elsewhere_is_not_appended(web, target):
    leave_part(target, CONTENT[:CUT])
    web.plan = [{"from": CUT - 5}, GOOD]
    get(web, target)
    assert_whole(target)
    assert ranges(web) == [f"bytes={CUT}-", None]


@pytest.mark.parametrize("status", [404, 503, 204, 416])
def test_a_refusal_is_told_at_once(web, target, status):
    web.plan = [{"status": status}]
    with pytest.raises(UserError) as caught:
        get(web, target)
    assert f"{web.url} answered {status} " in str(caught.value)
    assert f"--url, or fetch the file by hand and put it at {target}" in str(caught.value)
    assert on_disk(target) == {}
    assert len(web.seen) == 1


def test_a_refusal_keeps_the_part(web, target):
    leave_part(target, CONTENT[:CUT])
    web.plan = [{"status": 503}]
    with pytest.raises(UserError, match="answered 503"):
        get(web, target)
    assert on_disk(target) == {"file.gz.part": CUT}


def test_a_redirect_is_followed(web, target):
    web.plan = [{"status": 302, "headers": {"Location": "/elsewhere"}}, GOOD]
    get(web, target)
    assert_whole(target)


@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x"])
def test_a_redirect_out_of_the_web_is_refused(web, target, place):
    web.plan = [{"status": 302, "headers": {"Location": place}}]
    with pytest.raises(UserError, match=r"/file (answered 302 .*not allowed|could not be reached)"):
        get(web, target)
    assert on_disk(target) == {}
    assert len(web.seen) == 1


def test_redirects_in_a_circle_end(web, target):
    web.plan = [{"status": 302, "headers": {"Location": "/file"}}]
    with pytest.raises(UserError, match=r"answered 302 .*infinite loop"):
        get(web, target)


def test_nobody_there_is_told_at_once(web, target):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    leave_part(target, CONTENT[:CUT])
    for host in (f"127.0.0.1:{port}", "nobody.invalid"):
        with pytest.raises(UserError) as caught:
            download(f"http://{host}/f", target, CHECKSUM, silent, pauses=(60.0,))
        assert f"http://{host}/f could not be reached: " in str(caught.value)
        assert "Check the network, try another source with --url, or fetch" in str(caught.value)
        assert on_disk(target) == {"file.gz.part": CUT}


def test_a_network_lost_on_the_way_is_waited_for(web, target, monkeypatch):
    ask = module._ask
    tries = iter([ask, no_network, ask])
    monkeypatch.setattr(module, "_ask", lambda *request: next(tries)(*request))
    web.plan = [{"cut": CUT}, GOOD]
    get(web, target)
    assert_whole(target)


def no_network(*_):
    raise URLError("no network")


@pytest.mark.parametrize("part", [b"", b"x" * CUT])
def test_wrong_bytes_are_removed(web, target, part):
    leave_part(target, part)
    web.plan = [{"content": CONTENT[:-1] + b"x"}, GOOD]
    with pytest.raises(UserError) as caught:
        get(web, target)
    assert f"{web.url} sent has the checksum sha256:" in str(caught.value)
    assert f"not {CHECKSUM}, and was removed. Run the same command again" in str(caught.value)
    assert on_disk(target) == {}
    get(web, target)
    assert_whole(target)


def test_a_disk_too_small_is_told_before_anything_is_written(web, target, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: types.SimpleNamespace(free=2**19))
    with pytest.raises(UserError, match=r"file\.gz needs 1\.0 MiB, 0\.5 MiB are free in .*data\. "):
        get(web, target)
    assert on_disk(target) == {}
    target.with_name("file.gz.part").write_bytes(CONTENT[: 2**19])
    get(web, target)
    assert_whole(target)


def test_a_length_that_lies_beyond_the_disk_writes_nothing(web, target):
    web.plan = [{"length": 2**60}]
    with pytest.raises(UserError, match=r"needs 1099511627776\.0 MiB"):
        get(web, target)
    assert on_disk(target) == {}


def test_more_than_the_file_has_is_refused_at_once(web, target):
    with pytest.raises(UserError, match=r"promises 1024000 bytes, more than the file's 999.*--url"):
        get(web, target, size=999)
    assert on_disk(target) == {}


def test_bytes_beyond_the_promised_length_are_not_taken(web, target):
    web.plan = [{"content": CONTENT + b"x" * 10**6, "length": len(CONTENT)}]
    get(web, target)
    assert_whole(target)


def test_an_endless_stream_ends_at_the_size_of_the_file(web, target):
    web.plan = [{"length": None, "endless": True}]
    with pytest.raises(UserError, match=r"sends more than 1024000 bytes.*--url"):
        get(web, target, size=len(CONTENT))
    assert on_disk(target) == {}


def test_an_endless_stream_of_unknown_size_leaves_room_on_the_disk(web, target, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: types.SimpleNamespace(free=8 * 2**20))
    web.plan = [{"length": None, "endless": True}]
    with pytest.raises(UserError, match="sends more than 4194304 bytes"):
        get(web, target)
    assert on_disk(target) == {}


@pytest.mark.parametrize("size", [None, len(CONTENT)])
def test_a_stream_of_unknown_length_is_taken_to_its_end(web, target, size):
    web.plan = [{"length": None}]
    get(web, target, size=size)
    assert_whole(target)


def test_a_rest_of_a_file_of_unknown_length_is_taken_to_its_end(web, target):
    leave_part(target, CONTENT[:100])
    web.plan = [{"total": "*", "cut": CUT}, {"total": "*"}]
    get(web, target)
    assert_whole(target)
    assert ranges(web) == ["bytes=100-", f"bytes={100 + CUT}-"]


def test_a_stream_in_chunks_is_whole_after_the_last_of_them(web, target):
    web.plan = [{"chunked": b"9\r\n", "cut": CUT}, {"chunked": b"0\r\n\r\n"}]
    get(web, target)
    assert_whole(target)
    assert ranges(web) == [None, f"bytes={CUT}-"]


def test_a_stream_that_ends_before_the_size_is_taken_up_again(web, target):
    web.plan = [{"length": None, "cut": CUT}, GOOD]
    get(web, target, size=len(CONTENT))
    assert_whole(target)
    assert ranges(web) == [None, f"bytes={CUT}-"]


def test_a_full_disk_is_explained_and_keeps_the_part(web, target):
    code = LIMITED, web.url, target, CHECKSUM
    done = subprocess.run(
        [sys.executable, "-c", *map(str, code)], capture_output=True, text=True, check=True
    )
    assert f"No space left to write {target}.part (1.0 MiB)" in done.stdout
    assert "then run the same command again: what has arrived is kept" in done.stdout
    assert "--resume" not in done.stdout
    assert len(web.seen) == 1
    assert on_disk(target)["file.gz.part"] == 100_000
    get(web, target)
    assert_whole(target)
    assert ranges(web)[1] == "bytes=100000-"


def test_what_the_system_refuses_is_explained_and_not_tried_again(web, target, monkeypatch):
    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "write_text", refused)
    with pytest.raises(UserError, match=r"Not allowed to write .*file\.gz\.part\.json"):
        get(web, target)
    assert len(web.seen) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_named(web, target):
    target.parent.mkdir()
    target.parent.chmod(0o500)
    with pytest.raises(UserError, match=r"Not allowed to write .*file\.gz"):
        get(web, target)


def test_an_interrupt_keeps_the_part_and_its_version(web, target):
    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get(web, target, say=interrupt)
    kept = on_disk(target)["file.gz.part"]
    assert 0 < kept < len(CONTENT)
    get(web, target)
    assert_whole(target)
    assert ranges(web) == [None, f"bytes={kept}-"]
    assert web.seen[1]["If-Range"] == '"1"'


def test_an_interrupt_in_the_last_moment_keeps_the_part(web, target, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            get(web, target)
    assert on_disk(target)["file.gz.part"] == len(CONTENT)
    get(web, target)
    assert_whole(target)


def test_progress_is_told_in_mebibytes_and_seldom(web, target):
    content = bytes(5 * 2**20 + 1)
    web.plan = [{"content": content, "cut": 2 * 2**20}, {"content": content}]
    told = []
    get(web, target, f"md5:{hashlib.md5(content).hexdigest()}", say=lambda *what: told.append(what))
    assert told[-1] == ("file.gz", 6, 6, {})
    first = told[0]
    assert (first[0], first[2], set(first[3])) == ("file.gz", 6, {"MiB_per_second"})
    assert first[3]["MiB_per_second"] > 0
    assert [done for _, done, _, _ in told] == sorted(done for _, done, _, _ in told)
    assert len(told) < 12
