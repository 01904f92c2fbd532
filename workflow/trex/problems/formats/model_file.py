"""Reading a model from a file, by its suffix: .lp (module `lp`) or .mps (module `mps`)."""

from pathlib import Path

from trex.common.errors import UserError
from trex.problems.formats import lp, mps
from trex.problems.ir import Model

READERS = {".lp": lp.read, ".mps": mps.read}


def read_file(path: Path) -> Model:
    """The model in a file. Raises UserError `FILE, line N: what is wrong`, or why the file cannot be read."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"{path}: a model file ends in {' or '.join(READERS)}")
    try:
        return reader(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not a text in UTF-8") from error
    except ValueError as error:
        raise UserError(f"{path}, {error}") from error
