"""`pip install .` in an empty environment is enough to score responses, validate training files and account a run."""

import shutil
import subprocess
import sys

import pytest

HEAVY = ("torch", "snakemake", "transformers", "tokenizers", "altair")
MODULES = (
    "trex.evaluation.score",
    "trex.corpus.validate",
    "trex.accounting.count",
    "trex.accounting.mfu",
    "trex.accounting.models",
    "trex.bundle.verify",
)


@pytest.fixture(scope="module")
def python(tmp_path_factory, source):
    """The interpreter of an empty environment with this package, installed as a user would from the checkout."""
    folder = tmp_path_factory.mktemp("installation")
    checkout = shutil.copytree(source, folder / "checkout")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv/bin/python"
    done = subprocess.run([python, "-m", "pip", "install", checkout], capture_output=True, text=True, check=False)
    if done.returncode and ("Temporary failure in name resolution" in done.stderr or "Connection" in done.stderr):
        pytest.skip("no package index in reach")
    assert done.returncode == 0, done.stderr
    return python


def run(python, *arguments):
    """From a folder without the source, so that what is installed is what runs."""
    done = subprocess.run([python, *arguments], cwd=python.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_neither_torch_nor_snakemake_is_installed(python):
    code = f"import importlib.util; print([name for name in {HEAVY} if importlib.util.find_spec(name)])"
    assert run(python, "-c", code) == "[]\n"


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_scoring_and_accounting_work_without_them(python, module):
    run(python, "-c", f"import {module}")
    if hasattr(__import__(module, fromlist=["main"]), "main"):
        assert "usage:" in run(python, "-m", module, "--help")


@pytest.mark.slow
def test_the_hardware_file_is_installed_too(python):
    flags = "--model v4-pro --sequence-length 4096 --tokens-per-second 308 --devices 1 --device ascend-910c-die"
    assert run(python, "-m", "trex.accounting.mfu", *flags.split()).startswith("MFU 25.6% of 376 TFLOP/s")
