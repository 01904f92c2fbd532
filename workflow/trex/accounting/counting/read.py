"""A model to count, by its name or from its config.json. Free of torch."""

from pathlib import Path

from trex.accounting.counting import deepseek_v4
from trex.accounting.counting.part import Architecture
from trex.accounting.counting.published import FLASH, PRO
from trex.common.errors import UserError
from trex.model.huggingface_config import read_config

KNOWN = {
    "v4-flash": (FLASH, "config.json of deepseek-ai/DeepSeek-V4-Flash; arXiv 2606.19348"),
    "v4-pro": (PRO, "config.json of deepseek-ai/DeepSeek-V4-Pro; arXiv 2606.19348"),
}


def architecture(name_or_path: str | Path) -> Architecture:
    """A known model by its name, or the shape that a config.json tells: ours or Hugging Face's.

    Raises UserError that lists the names, or says what is wrong in the file.
    """
    if str(name_or_path) in KNOWN:
        config, source = KNOWN[str(name_or_path)]
        return deepseek_v4.architecture(str(name_or_path), config, source)
    path = Path(name_or_path)
    if not path.is_file():
        raise UserError(f"{name_or_path}: neither a file nor a known model; known are {', '.join(KNOWN)}")
    return deepseek_v4.architecture(path.stem, read_config(path), str(path))
