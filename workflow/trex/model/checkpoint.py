"""A model in a folder: model.safetensors with all parameters and buffers, config.json with its shape."""

import json
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from trex.common import files
from trex.common.errors import UserError
from trex.model.config import ModelConfig
from trex.model.transformer import Transformer


def save(model: Transformer, folder: str | Path, provenance: dict) -> None:
    """Writes config.json, then the weights in one move: a folder with weights is whole."""
    folder = Path(folder)
    files.write_json(folder / "config.json", {"model": model.config.to_dict()}, provenance)
    tensors = {name: tensor.detach().contiguous() for name, tensor in model.state_dict().items()}
    with files.replacing(folder / "model.safetensors") as temporary:
        save_file(tensors, temporary, metadata={"trex": json.dumps(files.metadata(provenance), sort_keys=True)})


def load(folder: str | Path) -> Transformer:
    """Raises UserError when a file is missing or damaged, or does not fit its config."""
    folder = Path(folder)
    model = Transformer(ModelConfig.read(folder / "config.json"))
    weights = folder / "model.safetensors"
    try:
        model.load_state_dict(load_file(weights))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise UserError(f"{weights}: cannot be loaded ({str(error).splitlines()[0]}); train this arm again") from error
    return model.eval()
