"""The configs, their schema and their documentation agree."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
from snakemake.utils import update_config

from trex.common.config import fill_defaults, read, yaml
from trex.common.config_errors import ANY_NAME, check, schema_keys

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "workflow/schemas/config.schema.json").read_text(encoding="utf-8"))
KEYS = dict(schema_keys(SCHEMA))
OVERLAYS = [ROOT / f"config/{name}.yaml" for name in ("engine", "smoke")]
OVERLAYS += sorted((ROOT / "tests/pipeline").glob("*.yaml"))


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("overlay", [None, *OVERLAYS], ids=lambda path: path.stem if path else "default")
def test_every_shipped_config_is_valid(overlay):
    config = load(ROOT / "config/config.yaml")
    if overlay:
        assert read(overlay)[1] == []
        update_config(config, load(overlay))
    assert check(config, SCHEMA, {}) == []


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", KEYS, ids=".".join)
def test_every_key_has_a_description_and_a_default_that_is_allowed(path):
    """Below a name that the user chooses, a key may be required, or be as another one."""
    inner = KEYS[path]
    assert len(inner["description"]) > 10
    assert "default" in inner or ANY_NAME in path
    assert check(inner.get("default"), inner, {}) == [] or "default" not in inner
    if inner.get("type") == "object":
        assert "additionalProperties" in inner, "say which keys are allowed"


def test_the_default_config_says_what_the_schema_defaults_to():
    """So that leaving a key out, or the whole file, changes nothing."""
    assert fill_defaults({}, SCHEMA) == fill_defaults(load(ROOT / "config/config.yaml"), SCHEMA)


def test_every_key_is_explained():
    explained = set(re.findall(r"^\| `([\w.]+)` \|", (ROOT / "config/README.md").read_text(encoding="utf-8"), re.M))
    leaves = {".".join(path) for path in KEYS if not any(path == other[: len(path)] != other for other in KEYS)}
    assert leaves - explained == set(), "not explained in config/README.md"
    assert explained - {".".join(path) for path in KEYS} == set(), "explained, but no key of the schema"


@pytest.mark.parametrize(
    ("endpoint", "wrong"),
    [
        ({"base_url": "http://localhost:8000/v1", "model": "some/model:1"}, None),
        ({"base_url": "https://me:secret@host/v1", "model": "m"}, "base_url"),
        ({"base_url": "https://host/v1?key=secret", "model": "m"}, "base_url"),
        ({"base_url": "https://host/v1", "model": "m", "key_env": "sk-secret"}, "key_env"),
        ({"base_url": "https://host/v1", "model": "m", "key": "sk-secret"}, "key"),
        ({"base_url": "https://host/v1"}, "'model' is a required property"),
    ],
)
def test_no_key_stands_in_a_config(endpoint, wrong):
    lines = check({"evaluation": {"models": {"remote": {"endpoint": endpoint}}}}, SCHEMA, {})
    assert len(lines) == (wrong is not None)
    assert all(wrong in line for line in lines)
