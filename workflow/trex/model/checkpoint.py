"""A model in a folder: the weights as safetensors, and config.json with its shape.

Our own folders have model.safetensors with all parameters and buffers under our names. Read, but not written here, are
Hugging Face folders of DeepSeek-V4, too: released names, in one file or several with an index (`trex.model.export`
writes such a folder).
"""

import json
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from trex.common import files
from trex.common.errors import UserError
from trex.model import huggingface_config, huggingface_weights
from trex.model.transformer import Transformer

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"


def save(model: Transformer, folder: str | Path, provenance: dict) -> None:
    """Writes config.json, then the weights in one move: a folder with weights is whole."""
    folder = Path(folder)
    files.write_json(folder / "config.json", {"model": model.config.to_dict()}, provenance)
    write_weights(folder / WEIGHTS, model.state_dict(), {"trex": describe(provenance)})


def describe(provenance: dict) -> str:
    """What the metadata of a file of weights say of where they come from."""
    return json.dumps(files.metadata(provenance), sort_keys=True)


def write_weights(path: Path, state: dict[str, torch.Tensor], metadata: dict[str, str]) -> None:
    tensors = {name: tensor.detach().contiguous() for name, tensor in state.items()}
    with files.replacing(path) as temporary:
        save_file(tensors, temporary, metadata=metadata)


def load(folder: str | Path) -> Transformer:
    """Raises UserError when a file is missing or damaged, or does not fit its config."""
    folder = Path(folder)
    path = folder / "config.json"
    model = Transformer(huggingface_config.read_config(path))
    if huggingface_config.is_hf(files.read_json(path)):
        model.load_state_dict(imported(folder, model))
        return model.eval()
    weights = folder / WEIGHTS
    try:
        tensors = load_file(weights)
    except (OSError, SafetensorError) as error:
        raise UserError(f"{weights}: cannot be loaded ({str(error).splitlines()[0]}); train this arm again") from error
    if misfit := first_misfit(model.state_dict(), tensors):
        raise UserError(f"{weights}: does not fit its config.json ({misfit}); train this arm again")
    model.load_state_dict(tensors)
    return model.eval()


def first_misfit(wanted: dict[str, torch.Tensor], found: dict[str, torch.Tensor]) -> str | None:
    """Which tensor is missing, left over or of another shape than the model wants."""
    for name in sorted(wanted | found):
        if name not in found:
            return f"{name} is missing"
        if name not in wanted:
            return f"{name} is no part of that model"
        if found[name].shape != wanted[name].shape:
            return f"{name} has shape {list(found[name].shape)}, that model {list(wanted[name].shape)}"
    return None


def imported(folder: Path, model: Transformer) -> dict[str, torch.Tensor]:
    """The weights of a Hugging Face folder under our names, for a model of its config."""
    tensors = {}
    for path in shards(folder):
        try:
            tensors |= load_file(path)
        except (OSError, SafetensorError) as error:
            raise UserError(f"{path}: cannot be loaded ({str(error).splitlines()[0]}); fetch it again") from error
    try:
        return huggingface_weights.from_hf_state(tensors, model.state_dict())
    except UserError as error:
        raise UserError(f"{folder}: {error}") from error


def weight_files(folder: str | Path) -> Path | list[Path]:
    """The file of a folder's weights, or the files, as `provenance` takes its inputs."""
    found = shards(Path(folder))
    return found[0] if len(found) == 1 else found


def shards(folder: Path) -> list[Path]:
    """The files of a Hugging Face folder's weights."""
    if not (folder / INDEX).exists():
        return [folder / WEIGHTS]
    index = files.read_json(folder / INDEX)
    try:
        return [folder / Path(name).name for name in sorted(set(index["weight_map"].values()))]
    except (AttributeError, KeyError, TypeError) as error:
        raise UserError(f"{folder / INDEX}: names no files of weights; fetch it again") from error
