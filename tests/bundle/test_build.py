import gzip
import json
import os
import tarfile

import pytest

from trex.bundle import build, verify
from trex.common.errors import UserError

CONTENT = {
    "config.json": b"{}\n",
    "models/base/model.safetensors": bytes(range(256)) * 9,
    "models/base/metrics.jsonl": b"",
    "models/oracle.csv": b"",
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run's files below a working directory; returns their paths."""
    monkeypatch.chdir(tmp_path)
    for name, content in CONTENT.items():
        path = tmp_path / "results/tiny" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return [f"results/tiny/{name}" for name in CONTENT]


def test_the_archive_holds_the_files_a_manifest_and_the_verifier(run):
    build.build("results/tiny", run, "tiny.crate.tar.gz")
    with tarfile.open("tiny.crate.tar.gz") as archive:
        found = {member.name: archive.extractfile(member).read() for member in archive}
        assert {(member.mtime, member.uid, member.gid, member.uname) for member in archive.getmembers()} == {
            (0, 0, 0, "")
        }
    manifest = json.loads(found.pop("tiny/manifest.json"))
    assert found.pop("tiny/verify.py").startswith(b'"""Verify the archive')
    assert found == {f"tiny/{name}": content for name, content in CONTENT.items()}
    classes = {entry["path"]: entry["class"] for entry in manifest["files"]}
    assert classes == {
        "config.json": "exact",
        "models/base/metrics.jsonl": "informational",
        "models/oracle.csv": "numeric",
        "models/base/model.safetensors": "exact",
        "verify.py": "exact",
    }


def test_the_bytes_depend_on_the_files_alone(run):
    build.build("results/tiny", run, "a.tar.gz")
    for path in run:
        os.utime(path, (1, 1))
        os.chmod(path, 0o600)
    build.build("results/tiny", run[::-1], "another name.tar.gz")
    with open("a.tar.gz", "rb") as one, open("another name.tar.gz", "rb") as other:
        assert one.read() == other.read()


def test_what_is_built_verifies(run):
    assert build.build("results/tiny", run, "a.tar.gz") == len(CONTENT) + 1
    assert verify.verify("a.tar.gz") == ([], len(CONTENT) + 1)


def refused(paths, run_dir="results/tiny"):
    with pytest.raises(UserError) as error:
        build.build(run_dir, paths, "out/a.tar.gz")
    assert not os.path.exists("out/a.tar.gz")
    return str(error.value)


def test_files_from_elsewhere_are_refused(run, tmp_path):
    (tmp_path / "results/other.json").write_text("{}")
    assert "not a relative path below" in refused([str(tmp_path / run[0])])
    assert "not a relative path below" in refused(["results/other.json"])
    assert "not a relative path below" in refused(["results/tiny/../other.json"])
    assert "given twice" in refused([run[0], run[0]])
    assert "no such file" in refused(["results/tiny/absent.json"])
    assert "no such file" in refused(["results/tiny/models"])


def test_links_and_reserved_names_are_refused(run, tmp_path):
    os.symlink(tmp_path / run[0], "results/tiny/link.json")
    os.symlink("models", "results/tiny/linked")
    assert "symbolic link" in refused(["results/tiny/link.json"])
    assert "symbolic link" in refused(["results/tiny/linked/base/model.safetensors"])
    for name in ("manifest.json", "verify.py", "ü.json"):
        (tmp_path / "results/tiny" / name).write_text("{}")
        assert "not a name for the archive" in refused([f"results/tiny/{name}"])


def test_a_file_that_names_a_folder_of_this_machine_is_refused(run, tmp_path, monkeypatch):
    (tmp_path / "results/tiny/a.json").write_text(json.dumps({"path": str(tmp_path / "results")}))
    assert "names a folder of this machine" in refused(["results/tiny/a.json"])
    monkeypatch.setenv("HOME", "/home/somebody")
    (tmp_path / "results/tiny/a.json").write_text('{"path": "/home/somebody/x"}')
    assert "names a folder of this machine" in refused(["results/tiny/a.json"])


def test_the_archive_does_not_name_its_own_file(run):
    build.build("results/tiny", run, "secret-name.tar.gz")
    with open("secret-name.tar.gz", "rb") as stream:
        packed = stream.read()
    assert b"secret-name" not in packed + gzip.decompress(packed)
