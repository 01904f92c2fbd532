import importlib.metadata
import json
import os
from pathlib import Path

import pytest

from trex.common import provenance

SOURCES = {
    "__init__.py": "",
    "step.py": "from toy.room import helper\n\n\ndef late():\n    import toy.other\n",
    "other.py": "import numpy as np\n",
    "unrelated.py": "",
    "room/__init__.py": '"""Room."""\n',
    "room/helper.py": "import toy.room.deeper as deeper\n",
    "room/deeper.py": 'DISCOVERS = "toy.kinds"\n',
    "kinds/__init__.py": "",
    "kinds/first.py": "",
}


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A package named toy; returns a function that edits one of its files and gives the step's new digest."""
    for name, source in SOURCES.items():
        (tmp_path / "toy" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "toy" / name).write_text(source)
    monkeypatch.setattr(provenance, "PACKAGE", tmp_path / "toy")

    def forget():
        for cached in (provenance.import_closure, provenance.code_digest, provenance.libraries):
            cached.cache_clear()

    def digest(name=None, source=""):
        if name:
            (tmp_path / "toy" / name).write_text(source)
        forget()
        return provenance.code_digest("toy.step")

    yield digest
    forget()


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "unrelated.py"])
def test_an_edit_anywhere_in_the_import_closure_changes_the_digest(toy, name):
    before = toy()
    assert toy(name, SOURCES[name] + "# edited\n") != before
    assert toy(name, SOURCES[name]) == before


def test_a_new_member_of_a_discovered_folder_changes_the_digest(toy):
    assert toy("kinds/second.py") != toy("kinds/third.py")


def test_an_edit_elsewhere_and_a_touch_change_nothing(toy, tmp_path):
    before = toy()
    os.utime(tmp_path / "toy/room/helper.py", (1, 1))
    assert toy("unrelated.py", "x = 1\n") == before


def test_relative_imports_are_refused(toy):
    with pytest.raises(ValueError, match="relative import"):
        toy("step.py", "from . import other\n")


def test_libraries_are_those_of_the_closure(toy):
    toy()
    assert provenance.libraries("toy.step") == ("numpy",)
    assert f"numpy=={importlib.metadata.version('numpy')}" in provenance.library_versions("toy.step")
    assert "torch" not in provenance.library_versions("toy.step")


def test_the_closure_of_a_real_step_crosses_rooms():
    found = {str(path.relative_to(provenance.PACKAGE)) for path in provenance.import_closure("trex.bundle.build")}
    assert {"bundle/build.py", "bundle/verify.py", "common/files.py", "common/__init__.py"} <= found


def test_a_block_depends_on_contents_only(tmp_path):
    one, other = tmp_path / "a", tmp_path / "b"
    one.write_text("same")
    other.write_text("same")
    blocks = [provenance.provenance("trex.common.config", {"y": 1, "x": 2}, {"text": path}, 3) for path in (one, other)]
    assert blocks[0] == blocks[1]
    assert blocks[0] == provenance.provenance("trex.common.config", {"x": 2, "y": 1}, {"text": one}, 3)
    assert str(tmp_path) not in json.dumps(blocks) and str(Path.home()) not in json.dumps(blocks)


def test_several_files_are_one_input(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    files = [tmp_path / "a", tmp_path / "b"]
    found = {
        kind: provenance.provenance("trex.evaluation.score", {}, {"items": inputs})["inputs"]["items"]
        for kind, inputs in {"both": files, "again": list(files), "swapped": files[::-1], "one": files[:1]}.items()
    }
    assert found["both"] == found["again"]
    assert len(set(found.values())) == 3
