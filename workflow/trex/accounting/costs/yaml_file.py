"""A YAML file that a JSON schema checks, all its errors in one line."""

import json
from pathlib import Path

from trex.common import files
from trex.common.config_errors import check
from trex.common.errors import UserError
from trex.common.provenance import PACKAGE

# Of links to workflow/schemas and config, so that an installation without the checkout has them too.
FOLDER = PACKAGE / "accounting/costs"


def load(path: str | Path, schema: str) -> dict:
    """Raises UserError naming the file and every key that is wrong."""
    import yaml

    def parse(source: str | Path) -> object:
        try:
            return yaml.safe_load(Path(source).read_text(encoding="utf-8"))
        except yaml.YAMLError as error:
            raise UserError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error

    content = files.open_input(path, parse)
    if errors := check(content, json.loads((FOLDER / schema).read_text(encoding="utf-8")), {}):
        raise UserError(f"{path}: {'; '.join(errors)}")
    return content
