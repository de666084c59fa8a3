"""Archives as they are, as they arrive when something went wrong, and as an enemy makes them."""

import gzip
import io
import os
import stat
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
import zlib

import pytest

from pseudocore.errors import UserError
from pseudocore.store import archive as module
from pseudocore.store import members
from pseudocore.store.archive import unpack

NOISE = os.urandom(50_000)
FILES = {"top/a.bin": NOISE, "top/deep/er/b.txt": b"b" * 3_000_000, "top/none": b""}
SUFFIXES = ["tar", "tar.gz", "zip"]
LIMITED = """
import resource, signal, sys
from pathlib import Path
from pseudocore.errors import UserError
from pseudocore.store.archive import unpack
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    unpack(Path(sys.argv[1]), Path(sys.argv[2]))
except UserError as error:
    print(error)
"""


def packed(path, files, folders=()):
    """An archive of the kind that its name says, holding `files`, pairs of name and content."""
    files = list(files.items()) if isinstance(files, dict) else files
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in folders:
                archive.writestr(f"{name}/", b"")
            for name, content in files:
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        return path
    with tarfile.open(path, "w" if path.suffix == ".tar" else "w:gz") as archive:
        for name in folders:
            archive.addfile(member(name, type=tarfile.DIRTYPE))
        for name, content in files:
            archive.addfile(member(name, size=len(content)), io.BytesIO(content))
    return path


def member(name, **fields):
    info = tarfile.TarInfo(name)
    for field, value in fields.items():
        setattr(info, field, value)
    return info


def tar_of(path, *members):
    with tarfile.open(path, "w") as archive:
        for info in members:
            archive.addfile(info, io.BytesIO(bytes(info.size)) if info.size else None)
    return path


def tree(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def refused(archive, words, **options):
    """Unpacking it is a user's error with these words, which leaves nothing anywhere."""
    before = sorted(archive.parent.rglob("*"))
    with pytest.raises(UserError, match=words) as caught:
        unpack(archive, archive.parent / "out", **options)
    assert str(archive) in str(caught.value)
    assert "fetch it again" in str(caught.value).lower()
    assert sorted(archive.parent.rglob("*")) == before


@pytest.fixture(params=SUFFIXES)
def path(request, tmp_path):
    return tmp_path / f"archive.{request.param}"


@pytest.fixture
def archive(tmp_path):
    """For what is the same whatever kind the archive is of."""
    return packed(tmp_path / "a.zip", FILES)


@pytest.mark.filterwarnings("ignore:Duplicate name")
class TestEither:
    """What holds of a .tar, a .tar.gz and a .zip alike."""

    def test_all_of_it_is_there(self, path, tmp_path):
        out = tmp_path / "new" / "out"
        unpack(packed(path, FILES, ["top", "top/empty"]), out)
        assert tree(out) == FILES
        assert (out / "top" / "empty").is_dir()
        assert os.listdir(out.parent) == ["out"]

    def test_names_that_lead_out_are_refused(self, path):
        absolute = "/etc/x", "C:x", "c:/x", "\\x", "//h/s/x"
        for name in (*absolute, "../x", "a/../../x", "a/../x", "..", "a\\..\\x"):
            refused(packed(path, [("good", b"1"), (name, b"2")]), "leads out of the folder")

    def test_backslashes_part_folders(self, path, tmp_path):
        unpack(packed(path, {"a\\b": b"1"}), tmp_path / "out")
        assert tree(tmp_path / "out") == {"a/b": b"1"}

    def test_a_name_twice_is_refused(self, path):
        for names in (("a", "a"), ("a", "./a"), ("a/b", "a//b"), ("a/b", "a\\b")):
            refused(packed(path, [(name, b"1") for name in names]), "is in it twice")

    def test_a_file_as_a_folder_is_refused(self, path):
        for names in (("a", "a/b"), ("a/b", "a"), (".", "b"), (".",)):
            refused(packed(path, [(name, b"1") for name in names]), "both a file and a folder")

    def test_a_name_too_long_is_refused(self, path):
        refused(packed(path, {"a/" * 2100 + "a": b"1"}), "is no name of a file")

    def test_more_than_the_limit_is_refused(self, path, tmp_path):
        size = sum(map(len, FILES.values()))
        refused(packed(path, FILES), r"unpacked it would be larger than 2\.9 MiB", limit=size - 1)
        unpack(path, tmp_path / "out", limit=size)

    def test_too_many_members_are_refused(self, path, monkeypatch):
        monkeypatch.setattr(module, "MOST", 50)
        refused(packed(path, {str(number): b"" for number in range(51)}), "more than 50 files")

    def test_nothing_in_it_is_refused(self, path):
        refused(packed(path, {}), "it is empty")

    def test_what_is_no_archive_is_refused(self, path):
        for content in (b"", b"<html>404</html>", bytes(10_000), NOISE):
            path.write_bytes(content)
            refused(path, "is damaged or unsafe: .*Nothing of it was kept. Delete it and fetch")

    def test_a_part_of_an_archive_is_refused(self, path):
        content = packed(path, FILES).read_bytes()
        for share in (0.01, 0.3, 0.6, 0.9, 0.97, 0.99):
            path.write_bytes(content[: int(share * len(content))])
            refused(path, "is damaged or unsafe")

    def test_a_full_disk_is_explained(self, path, tmp_path):
        code = LIMITED, packed(path, FILES), tmp_path / "out"
        done = subprocess.run(
            [sys.executable, "-c", *map(str, code)], capture_output=True, text=True, check=True
        )
        assert f"No space left to write {tmp_path}/out/top/deep/er/b.txt (2.9 MiB)" in done.stdout
        assert "then run the same command again: what has arrived is kept" in done.stdout
        assert "--resume" not in done.stdout
        assert os.listdir(tmp_path) == [path.name]

    def test_every_spoilt_byte_is_found_or_harmless(self, path, tmp_path):
        """A plain tar has no checksum over contents: there the names and sizes must be right."""
        small = {"top/a": NOISE[:300], "top/b": b"b" * 700}
        content = packed(path, small).read_bytes()
        for place in range(0, len(content), 1 + len(content) // 150):
            spoilt = bytearray(content)
            spoilt[place] ^= 0x10
            path.write_bytes(spoilt)
            out = tmp_path / "out"
            try:
                unpack(path, out)
            except UserError:
                assert not out.exists()
                continue
            found = tree(out)
            if path.suffix == ".tar":
                assert {n: len(c) for n, c in found.items()} == {"top/a": 300, "top/b": 700}
            else:
                assert sorted(found.values()) == sorted(small.values())
            for file in found:
                (out / file).unlink()
            (out / "top").rmdir()
            out.rmdir()
        assert os.listdir(tmp_path) == [path.name]


def test_rights_are_those_of_any_new_file(archive, tmp_path):
    unpack(archive, tmp_path / "out")
    (tmp_path / "dir").mkdir()
    (tmp_path / "file").write_bytes(b"")
    for ours, plain in (("out", "dir"), ("out/top/deep", "dir"), ("out/top/a.bin", "file")):
        assert (tmp_path / ours).stat().st_mode == (tmp_path / plain).stat().st_mode


def test_an_empty_folder_is_filled(archive, tmp_path):
    (tmp_path / "out").mkdir()
    unpack(archive, tmp_path / "out")
    assert tree(tmp_path / "out") == FILES


def test_a_link_to_an_empty_folder_stays(archive, tmp_path):
    (tmp_path / "disk" / "there").mkdir(parents=True)
    (tmp_path / "out").symlink_to("disk/there")
    unpack(archive, tmp_path / "out")
    assert (tmp_path / "out").is_symlink()
    assert tree(tmp_path / "disk" / "there") == FILES
    assert os.listdir(tmp_path / "disk") == ["there"]


def test_a_folder_with_something_in_it_is_left_alone(archive, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine")
    with pytest.raises(UserError, match=r"out is not empty\. Move or delete it"):
        unpack(archive, tmp_path / "out")
    assert tree(tmp_path / "out") == {"mine": b"mine"}
    assert sorted(os.listdir(tmp_path)) == sorted(["out", archive.name])


def test_a_file_in_the_way_is_named(archive, tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UserError, match="out is in the way"):
        unpack(archive, tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_a_part_of_a_name_too_long_for_the_disk_is_named(tmp_path):
    archive = packed(tmp_path / "a.tar", {"good": b"1", "a" * 300: b"1"})
    with pytest.raises(UserError, match="aaa: File name too long"):
        unpack(archive, tmp_path / "out")
    assert os.listdir(tmp_path) == [archive.name]


def test_folders_that_are_only_implied_count(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 50)
    refused(packed(tmp_path / "a.tar", {"a/" * 60 + "a": b""}), "more than 50 files and folders")


def test_a_missing_archive_is_told(tmp_path):
    refused(tmp_path / "a.tar", "cannot be read: No such file or directory. Fetch it again")


def test_a_system_that_refuses_is_explained(archive, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module.Path, "replace", refuse)
    with pytest.raises(UserError, match=r"Not allowed to write .*out: Permission denied"):
        unpack(archive, tmp_path / "out")
    assert os.listdir(tmp_path) == [archive.name]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_named(archive, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(UserError, match=r"Not allowed to write .*out"):
        unpack(archive, tmp_path / "out")


def test_an_interrupt_leaves_nothing(archive, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module.Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        unpack(archive, tmp_path / "out")
    assert os.listdir(tmp_path) == [archive.name]


def test_what_killed_calls_left_is_swept_away(archive, tmp_path):
    end = f"{'0f' * 8}.unpacking"
    old, other = tmp_path / f".out.{end}", tmp_path / f".out.b.{end}"
    young = tmp_path / f".out.{'f0' * 8}.unpacking"
    for leftover in (old, young, other):
        (leftover / "deep").mkdir(parents=True)
        (leftover / "deep" / "x").write_bytes(b"1")
        age = module.ABANDONED + (-60 if leftover == young else 60)
        os.utime(leftover, (time.time() - age,) * 2)
    unpack(archive, tmp_path / "out")
    assert tree(tmp_path / "out") == FILES
    assert not old.exists()
    assert (young / "deep" / "x").exists()
    assert (other / "deep" / "x").exists()


def test_the_kind_is_told_by_the_name_however_it_is_written(tmp_path):
    for name in ("a.tgz", "a.TAR.GZ"):
        path = packed(tmp_path / "a.tar.gz", FILES).rename(tmp_path / name)
        unpack(path, tmp_path / f"{name}.out")
        assert tree(tmp_path / f"{name}.out") == FILES


def test_other_kinds_are_refused(tmp_path):
    for name in ("a.rar", "a.gz", "tar", "a.tar.bz2"):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(UserError, match=rf"{name} is no \.tar, .*unpack it by hand"):
            unpack(tmp_path / name, tmp_path / "out")


def test_a_tar_of_here_has_its_own_folder_in_it(tmp_path):
    archive = tar_of(tmp_path / "a.tar", member(".", type=tarfile.DIRTYPE), member("./x", size=3))
    unpack(archive, tmp_path / "out")
    assert tree(tmp_path / "out") == {"x": bytes(3)}


def test_a_tar_holds_files_and_folders_only(tmp_path):
    devices = tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, *devices, b"?"):
        evil = member("x", type=kind, linkname="good", devmajor=1, devminor=3)
        refused(tar_of(tmp_path / "a.tar", member("good", size=9), evil), "is a link, a device or")


def test_a_write_through_a_link_goes_nowhere(tmp_path):
    (tmp_path / "outside").mkdir()
    link = member("door", type=tarfile.SYMTYPE, linkname="../outside")
    refused(tar_of(tmp_path / "a.tar", link, member("door/x", size=3)), "'door' is a link")


def test_a_tar_of_a_file_with_holes_is_refused(tmp_path):
    fields = {"GNU.sparse.map": "0,1", "GNU.sparse.size": str(2**50)}
    info = member("x", size=1, pax_headers=fields)
    refused(tar_of(tmp_path / "a.tar", info), "a file with holes")


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ("-512", "'x' has no size"),
        ("-1", "'x' has no size"),
        ("nine", "invalid literal"),
        ("9" * 5000, "digits"),
        (str(2**60), "unexpected end of data|larger than|cut off"),
    ],
)
def test_a_tar_that_lies_about_a_size_is_refused(tmp_path, size, words):
    info = member("x", size=1, pax_headers={"size": size})
    refused(tar_of(tmp_path / "a.tar", member("good", size=9), info), words)


def test_a_nul_in_a_tar_name_is_refused(tmp_path):
    info = member("x", size=1, pax_headers={"path": "a\0b"})
    refused(tar_of(tmp_path / "a.tar", info), "is no name of a file")


def test_a_name_in_no_encoding_can_be_told(tmp_path):
    info = member("../\udce9", size=1)
    refused(tar_of(tmp_path / "a.tar", info), r"'\.\./\\udce9' leads out")


def test_a_header_that_would_fill_the_memory_is_refused(tmp_path):
    path = tmp_path / "a.tar.gz"
    for kind in (tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE):
        with gzip.open(path, "wb", 1) as file:
            file.write(member("x", type=kind, size=2**40).tobuf(tarfile.GNU_FORMAT))
            file.write(bytes(2**20))
        refused(path, "a header of 1099511627776 bytes")


def test_a_map_of_holes_that_would_fill_the_memory_is_refused(tmp_path):
    fields = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
    content = b"99999999\n" + b"1\n" * 2**20
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        info = member("x", size=len(content), pax_headers=fields)
        archive.addfile(info, io.BytesIO(content))
    refused(tmp_path / "a.tar.gz", "a header of 512 bytes")


def test_many_small_headers_are_no_large_one(tmp_path, monkeypatch):
    monkeypatch.setattr(members, "RATION", 10 * tarfile.BLOCKSIZE)
    archive = tar_of(tmp_path / "a.tar", *(member(str(number)) for number in range(300)))
    unpack(archive, tmp_path / "out")
    assert len(tree(tmp_path / "out")) == 300


def test_headers_upon_headers_are_refused(tmp_path):
    path = tmp_path / "a.tar.gz"
    header = member("x", type=tarfile.GNUTYPE_LONGNAME, size=2).tobuf() + b"x".ljust(512, b"\0")
    with gzip.open(path, "wb") as file:
        file.write(header * 5000)
    refused(path, "is damaged or unsafe")


def test_a_tar_without_an_end_is_refused(tmp_path):
    path = tar_of(tmp_path / "a.tar", member("x", size=512), member("y", size=512))
    content = path.read_bytes()
    for end in (1024, 1025, 1500, 2048):
        path.write_bytes(content[:end])
        refused(path, f"cut off or spoilt at byte {min(end, 2048) // 1024 * 1024}|unexpected end")
    path.write_bytes(content[:1024] + b"?" + content[1025:])
    refused(path, "cut off or spoilt at byte 1024")


def test_a_spoilt_gzip_checksum_behind_a_sound_tar_is_found(tmp_path):
    path = packed(tmp_path / "a.tar.gz", FILES)
    content = bytearray(path.read_bytes())
    content[-8] ^= 1
    path.write_bytes(content)
    refused(path, "CRC check failed")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    for suffix in ("tar.gz", "zip"):
        path = packed(tmp_path / f"bomb.{suffix}", {"zeros": bytes(2**25)})
        assert path.stat().st_size < 2**16
        refused(path, r"larger than 1\.0 MiB", limit=2**20)
        path.unlink()


def test_a_zip_holds_files_and_folders_only(tmp_path):
    for kind in (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK):
        info = zipfile.ZipInfo("door")
        info.external_attr = (kind | 0o777) << 16
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
            archive.writestr(info, "../outside")
        refused(tmp_path / "a.zip", "'door' is a link or a device")


def test_a_zip_of_a_unix_file_is_unpacked(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x").write_bytes(NOISE)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(tmp_path / "in", "in")
        archive.write(tmp_path / "in" / "x", "in/x")
    unpack(tmp_path / "a.zip", tmp_path / "out")
    assert tree(tmp_path / "out") == {"in/x": NOISE}


def central(path, offset, form, value):
    """Write a value into the first entry of the directory of a zip."""
    content = bytearray(path.read_bytes())
    struct.pack_into(form, content, content.index(b"PK\1\2") + offset, value)
    path.write_bytes(content)
    return path


def test_a_zip_whose_directory_breaks_off_is_refused(tmp_path):
    path = packed(tmp_path / "a.zip", {"a": b"1", "b": b"2"})
    content = bytearray(path.read_bytes())
    end, start = content.rindex(b"PK\5\6"), content.index(b"PK\1\2")
    second = content.rindex(b"PK\1\2")
    struct.pack_into("<I", content, end + 12, second - start)
    del content[second:end]
    path.write_bytes(content)
    refused(path, "its directory has 1 of 2 members")


@pytest.mark.parametrize("count", [1, 65_536])
def test_a_zip_with_a_comment_or_many_members_is_sound(tmp_path, count):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.comment = b"a comment"
        for number in range(count):
            archive.writestr(zipfile.ZipInfo(f"{number}/"), b"")
    with members.entries(tmp_path / "a.zip") as found:
        assert len(list(found)) == count


def test_a_zip_whose_count_of_members_begins_again_is_sound(tmp_path, monkeypatch):
    monkeypatch.setattr(members, "MANY", 0b11)
    path = packed(tmp_path / "a.zip", dict.fromkeys("abcde", b"1"))
    content = bytearray(path.read_bytes())
    struct.pack_into("<H", content, content.rindex(b"PK\5\6") + 10, 0b01)
    path.write_bytes(content)
    unpack(path, tmp_path / "out")
    assert len(tree(tmp_path / "out")) == 5


def test_an_encrypted_zip_is_refused(tmp_path):
    path = central(packed(tmp_path / "a.zip", {"x": b"1"}), 8, "<H", 1)
    refused(path, "'x' is encrypted")


def test_a_zip_that_cannot_be_streamed_is_refused(tmp_path):
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 9, 99):
        path = central(packed(tmp_path / "a.zip", {"x": b"1"}), 10, "<H", method)
        refused(path, "'x' is compressed in an unusual way")


def test_a_nul_in_a_zip_name_is_refused(tmp_path):
    path = packed(tmp_path / "a.zip", {"a.b": b"1"})
    path.write_bytes(path.read_bytes().replace(b"a.b", b"a\0b"))
    refused(path, "is no name of a file")


@pytest.mark.parametrize("claimed", [0, 10, 999_999, 1_000_001, 2**31])
def test_a_zip_that_lies_about_a_size_is_refused(tmp_path, claimed):
    path = packed(tmp_path / "a.zip", {"good": b"1", "x": bytes(1_000_000)})
    content = path.read_bytes()
    path.write_bytes(content.replace(struct.pack("<I", 1_000_000), struct.pack("<I", claimed)))
    refused(path, "Bad CRC-32|is not as long as it says")


def test_a_zip_that_lies_never_writes_more_than_it_says(tmp_path):
    path = packed(tmp_path / "a.zip", {"x": bytes(2**25)})
    short = struct.pack("<I", 1000)
    content = path.read_bytes().replace(struct.pack("<I", 2**25), short)
    honest = struct.pack("<I", zlib.crc32(bytes(2**25)))
    path.write_bytes(content.replace(honest, struct.pack("<I", zlib.crc32(bytes(1000)))))
    unpack(path, tmp_path / "out", limit=1000)
    assert tree(tmp_path / "out") == {"x": bytes(1000)}


def test_a_reader_that_gives_more_than_the_header_says_is_stopped(tmp_path):
    class Endless(io.BytesIO):
        def read(self, size=-1):
            return bytes(size)

    content = module._chunks(tmp_path / "a.tar", members.Entry("x", 1000, Endless))
    with pytest.raises(UserError, match="'x' is not as long as it says"):
        next(content)


def test_spoilt_zip_content_is_found_by_its_checksum(tmp_path):
    path = packed(tmp_path / "a.zip", {"good": b"1", "x": NOISE})
    content = bytearray(path.read_bytes())
    content[content.index(NOISE[1000:1010])] ^= 1
    path.write_bytes(content)
    refused(path, "Bad CRC-32 for file 'x'")
