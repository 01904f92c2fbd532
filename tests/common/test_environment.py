import json
import sys
from pathlib import Path

from trex.common import environment, provenance

REQUIREMENTS = Path(__file__).parents[2] / "requirements.txt"


def test_it_names_versions_processor_and_threads_but_no_person_or_folder(tmp_path, monkeypatch, capsys):
    out = tmp_path / "environment.json"
    isolation = {"level": "namespaces", "seccomp": True, "landlock": None, "refused": {"bubblewrap": "not installed"}}
    arguments = ["--requirements", str(REQUIREMENTS), "--threads", "3", "--isolation", json.dumps(isolation)]
    arguments += ["--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["environment", *arguments])
    environment.main()
    found = json.loads(out.read_text())
    assert found["threads"] == 3
    assert found["sandbox"] == isolation
    assert found["cores"]["logical"] >= 1
    assert found["stack"] == provenance.stack() and found["stack_digest"] == found["provenance"]["stack"]
    assert found["torch"]["version"].startswith("2.")
    assert "python" in found["provenance"]["versions"]
    assert str(REQUIREMENTS.parent) not in out.read_text() and str(Path.home()) + "/" not in out.read_text()
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_departures_from_the_pins_are_told(tmp_path):
    (tmp_path / "pins.txt").write_text("# a comment==1\n-e .[run]\npytest==0.1\nno-such-library==2\n")
    departures = environment.requirements(str(tmp_path / "pins.txt"))["departures"]
    assert departures.keys() == {"pytest", "no-such-library"}
    assert departures["pytest"]["pinned"] == "0.1" and departures["no-such-library"]["installed"] is None
