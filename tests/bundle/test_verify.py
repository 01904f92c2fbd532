import gzip
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.bundle import build, verify

FILES = {"config.json": b"{}\n", "a/b.csv": b"x,y\n1,2\n", "a/weights": bytes(range(256)) * 20}


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """The members of an archive as it was built: name -> content, in order."""
    folder = tmp_path_factory.mktemp("run")
    for name, content in FILES.items():
        (folder / "results/tiny" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "results/tiny" / name).write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        build.build("results/tiny", [f"results/tiny/{name}" for name in FILES], "tiny.tar.gz")
    return read_members(folder / "tiny.tar.gz")


def read_members(path):
    with tarfile.open(path) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


def pack(entries, form=tarfile.USTAR_FORMAT):
    """A tar of (name or TarInfo, content) pairs."""
    stream = io.BytesIO()
    with tarfile.open(mode="w", fileobj=stream, format=form) as archive:
        for entry, content in entries:
            member = entry if isinstance(entry, tarfile.TarInfo) else tarfile.TarInfo(entry)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def problems(tmp_path, tar):
    path = tmp_path / "x.tar.gz"
    path.write_bytes(gzip.compress(tar))
    return verify.verify(str(path))[0]


def test_an_archive_as_built_has_no_problem(tmp_path, members):
    assert problems(tmp_path, pack(members.items())) == []


def test_changed_missing_extra_and_duplicate_files_are_named(tmp_path, members):
    changed = members | {"tiny/a/b.csv": b"x,y\n1,3\n"}
    assert [line.split(" (")[0] for line in problems(tmp_path, pack(changed.items()))] == ["changed: a/b.csv"]
    shorter = members | {"tiny/a/weights": members["tiny/a/weights"][:-1]}
    assert [line.split(" (")[0] for line in problems(tmp_path, pack(shorter.items()))] == ["changed: a/weights"]
    missing = {name: content for name, content in members.items() if name != "tiny/config.json"}
    assert problems(tmp_path, pack(missing.items())) == ["missing: config.json"]
    extra = [*members.items(), ("tiny/a/new", b""), ("other/config.json", b"{}\n")]
    assert problems(tmp_path, pack(extra)) == ["extra: tiny/a/new", "extra: other/config.json"]
    double = [*members.items(), ("tiny/config.json", b"{}\n")]
    assert problems(tmp_path, pack(double)) == ["there 2 times: config.json"]
    second_manifest = [*members.items(), ("tiny/manifest.json", b"{}")]
    assert problems(tmp_path, pack(second_manifest)) == ["extra: tiny/manifest.json"]


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/passwd", "tiny/../../evil", "tiny//config.json", "tiny/a\\b", "tiny/\x1b[2J"]
)
def test_a_path_that_leads_elsewhere_is_refused(tmp_path, members, name):
    (line,) = problems(tmp_path, pack([*members.items(), (name, b"x")]))
    assert line.startswith("malformed: ") and "no safe relative path" in line and "\x1b" not in line


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_folders_and_devices_are_refused(tmp_path, members, kind):
    member = tarfile.TarInfo("tiny/config.json")
    member.type, member.linkname = kind, "/etc/passwd"
    (line,) = problems(tmp_path, pack([*members.items(), (member, b"")]))
    assert "is no plain file" in line


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_extended_headers_are_refused(tmp_path, members, form):
    (line,) = problems(tmp_path, pack([*members.items(), ("tiny/" + "long" * 80, b"")], form))
    assert line.startswith("malformed: ")


def header_claiming(name, size):
    member = tarfile.TarInfo(name)
    member.size = size
    return member.tobuf(tarfile.USTAR_FORMAT)


def test_a_claim_of_gigabytes_is_refused_at_once(tmp_path, members):
    (line,) = problems(tmp_path, header_claiming("tiny/manifest.json", 8**11 - 1))
    assert "the first file is not manifest.json" in line
    whole = pack(members.items()).rstrip(b"\0")
    padded = whole + bytes(-len(whole) % 512)
    (line,) = problems(tmp_path, padded + header_claiming("tiny/a/more", 8**11 - 1) * 3)
    assert "ends early" in line or "more than" in line


def test_a_manifest_that_is_none_is_refused(tmp_path, members):
    rest = [(name, content) for name, content in members.items() if name != "tiny/manifest.json"]
    entry = {"path": "a", "size": 1, "sha256": "0" * 64, "class": "exact"}
    bad = [
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"files": 3}',
        b'{"files": ["a"]}',
        json.dumps({"files": [entry, entry]}).encode(),
        json.dumps({"files": [entry | {"path": "../a"}]}).encode(),
        json.dumps({"files": [entry | {"path": "manifest.json"}]}).encode(),
        json.dumps({"files": [entry | {"size": True}]}).encode(),
        json.dumps({"files": [entry | {"sha256": "\x1b[2J"}]}).encode(),
        json.dumps({"files": [entry | {"class": "sound"}]}).encode(),
    ]
    for manifest in bad:
        (line,) = problems(tmp_path, pack([("tiny/manifest.json", manifest), *rest]))
        assert line.startswith("malformed: manifest.json"), manifest[:40]
    (line,) = problems(tmp_path, pack([*rest, *members.items()]))
    assert "the first file is not manifest.json" in line
    assert "the archive ends early" in problems(tmp_path, b"")[0]


def test_what_follows_the_end_is_refused(tmp_path, members):
    tar = pack(members.items())
    assert "does not end" in problems(tmp_path, tar + b"hidden".ljust(512, b"\0"))[0]
    path = tmp_path / "x.tar.gz"
    for extra in (gzip.compress(b"hidden"), b"hidden"):
        path.write_bytes(gzip.compress(tar) + extra)
        assert verify.verify(str(path))[0][0].startswith("malformed: ")


@given(data=st.data())
def test_no_damage_is_taken_for_the_original(tmp_path_factory, members, data):
    """Cut anywhere, or any byte changed: either a problem is named or every file still reads the same."""
    whole = gzip.compress(pack(members.items()), mtime=0)
    place = data.draw(st.integers(0, len(whole) - 1))
    damaged = bytearray(whole)
    damaged[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.tar.gz"
    for content in (whole[:place], bytes(damaged)):
        path.write_bytes(content)
        if not verify.verify(str(path))[0]:
            assert read_members(path) == members


def test_it_is_a_plain_script_with_exit_codes(tmp_path, members):
    """Run as a newcomer would: the copy in the archive, no installed package in reach."""
    (tmp_path / "verify.py").write_bytes(members["tiny/verify.py"])
    good, bad = tmp_path / "good ü.tar.gz", tmp_path / "bad.tar.gz"
    good.write_bytes(gzip.compress(pack(members.items())))
    bad.write_bytes(random.Random(1).randbytes(100))

    def code_and_text(*arguments):
        command = [sys.executable, "-I", "-S", "verify.py", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout + done.stderr

    code, text = code_and_text(good.name)
    assert code == 0 and "all 4 files as built" in text
    assert code_and_text(bad.name)[0] == 1
    assert code_and_text("absent.tar.gz")[0] == 2
    assert code_and_text(".")[0] == 2
    assert code_and_text()[0] == 2
    assert sorted(os.listdir(tmp_path)) == ["bad.tar.gz", "good ü.tar.gz", "verify.py"]
    shutil.rmtree(tmp_path)
