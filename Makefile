# make        set up .venv and do the default run     make smoke   a quick look at every stage
# make test   set up .venv and run the tests          make lint    the style checks alone
#
# On Linux, `make TORCH_INDEX=https://download.pytorch.org/whl/cpu` takes the CPU build of torch, which is enough and
# much smaller than the default one.

SHELL := /bin/bash
PYTHON ?= python3
TORCH_INDEX ?=
ACTIVATE := . .venv/bin/activate
TORCH = $(shell grep '^torch==' requirements.txt)

.PHONY: run smoke test lint setup

run: setup
	$(ACTIVATE) && snakemake

smoke: setup
	$(ACTIVATE) && snakemake --configfile config/smoke.yaml

# Two processes; the tests that share a finished run of Snakemake are in one of them (tests/conftest.py).
test: setup
	$(ACTIVATE) && python -m pytest -n 2

lint: setup
	$(ACTIVATE) && ruff check && ruff format --check && snakefmt --check Snakefile workflow/rules && snakemake --lint

setup: .venv/installed

# The stamp is written last, so that an interrupted installation is taken up again.
.venv/installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "error: $(PYTHON) is older than Python 3.11; name a newer one: make PYTHON=python3.12" >&2; exit 2; }
	$(PYTHON) -m venv .venv
	$(if $(TORCH_INDEX),.venv/bin/python -m pip install $(TORCH) --index-url $(TORCH_INDEX))
	.venv/bin/python -m pip install -r requirements.txt
	touch $@
