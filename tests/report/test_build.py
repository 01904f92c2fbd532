"""The page as a whole: complete, self-contained, safe, the same bytes again."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from trex.common import files
from trex.report import build
from trex.report.load import load

PAPER = Path(__file__).parents[2] / "config/paper.yaml"
SECTIONS = ["claims", "pass-at-1", "public", "diagnostics", "failures", "retention", "training", "speed", "sizes"]
SECTIONS += ["validation", "projection", "cost", "data", "example", "environment"]
VOID = {"meta", "br", "hr", "img", "input", "link"}


def run_step(folder, out):
    command = [sys.executable, "-m", "trex.report.build", "--run-dir", str(folder), "--paper", str(PAPER)]
    return subprocess.run([*command, "--out", str(out)], capture_output=True, text=True)


class Balance(HTMLParser):
    """Open elements, those that close wrongly, and all attributes that can load something."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.loads, self.tags, self.text = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.loads += [(tag, name, value) for name, value in attrs if name in ("src", "srcset", "data", "xlink:href")]
        self.loads += [(tag, name, value) for name, value in attrs if name == "href" and tag != "a"]

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def parsed(page):
    balance = Balance()
    balance.feed(page)
    return balance


@pytest.fixture(scope="module")
def page(pristine_run, tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "report.html"
    done = run_step(pristine_run, out)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("report: ") and done.stdout.count("\n") == 1
    return out.read_text(encoding="utf-8")


def test_page_is_well_formed_and_loads_nothing(page):
    balance = parsed(page)
    assert (balance.open, balance.wrong, balance.loads) == ([], [], [])
    assert "script" not in balance.tags
    assert not re.search(r"url\(\s*['\"]?(?!#)|@import", page)


def test_text_from_models_stays_text(page):
    hostile = "<script>alert('from a model')</script> & </pre>"
    assert hostile not in page
    assert hostile in "".join(parsed(page).text)


def test_every_figure_says_how_it_was_got(page):
    figures = re.findall(r"<figure>.*?</figure>", page, re.S)
    assert len(figures) >= 17
    for figure in figures:
        for word in ("How this was got", "<i>File</i>", "<i>n</i>", "<i>Method</i>", "<i>Cannot show</i>"):
            assert word in figure, figure[:200]


def test_sections_and_charts_are_there(page):
    balance = parsed(page)
    ids = re.findall(r'<section id="([\w-]+)"', page)
    assert ids == SECTIONS
    assert re.findall(r'href="#([\w-]+)"', page)[4:] == ids
    assert balance.tags.count("svg") == page.count('role="img"') == 15
    text = "".join(balance.text)
    for expected in (
        "same direction",
        "1,572,997,179,491",
        "Not of this run, and scored beside its arms: theirs",
        "An Invented CPU",
    ):
        assert expected in text
    assert "reproduced" not in text and "refuted" not in text
    assert not re.search(r"\bnan\b", text)


def test_same_inputs_same_bytes(page, run_folder, tmp_path):
    assert run_step(run_folder, tmp_path / "again.html").returncode == 0  # a copy in another folder
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize("missing", ["evaluation/pass_at_1.csv", "models/sft/metrics.jsonl", "audit/claims.csv"])
def test_missing_file_is_one_clear_line(run_folder, tmp_path, missing):
    (run_folder / missing).unlink()
    done = run_step(run_folder, tmp_path / "report.html")
    assert done.returncode == 2
    assert missing in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "report.html").exists()


def test_without_public_benchmarks_their_section_is_left_out(run_folder):
    for name in ("pass_at_1", "pass_at_k", "comparisons", "diagnostics", "failures"):
        path = run_folder / f"evaluation/{name}.csv"
        frame = files.read_csv(path)
        frame[frame["suite"].isin(["in_distribution", "heldout_family"])].to_csv(path, index=False)
    page = build.render(load(run_folder, PAPER), {})
    assert "No public benchmark was evaluated" in page
    assert 'id="public"' not in page and "nl4opt (" not in page
