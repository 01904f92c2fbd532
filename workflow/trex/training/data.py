"""Packed rows, in an order that depends on the seed alone."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from trex.common import seeds
from trex.common.errors import UserError

FIELDS = ("tokens", "document", "position", "loss")


@dataclasses.dataclass
class Rows:
    """All [N, S]. document: 1.. within the row, 0 for padding; position: within the document; loss: 1 on targets."""

    tokens: torch.Tensor
    document: torch.Tensor
    position: torch.Tensor
    loss: torch.Tensor

    def __len__(self) -> int:
        return len(self.tokens)

    def take(self, index: torch.Tensor) -> "Rows":
        return Rows(**{name: getattr(self, name)[index] for name in FIELDS})

    def targets(self, ahead: int = 1) -> tuple[torch.Tensor, torch.Tensor]:
        """Position t predicts token t+ahead of its document: where that is a target (a mask [N, S-ahead]), and those
        tokens."""
        same = self.document[:, ahead:] == self.document[:, :-ahead]
        chosen = same & (self.document[:, ahead:] > 0) & (self.loss[:, ahead:] > 0)
        return chosen, self.tokens[:, ahead:][chosen]


def read(path: str | Path) -> Rows:
    """Raises UserError when the file is not one of packed rows, or has nothing to learn."""
    try:
        tensors = load_file(path)
        rows = Rows(**{name: tensors[name].long() for name in FIELDS})
    except (OSError, SafetensorError, KeyError) as error:
        raise UserError(f"{path}: not a file of packed rows ({error}); make it with trex.corpus.pack") from error
    shapes = {name: list(tensors[name].shape) for name in FIELDS}
    if any(len(shape) != 2 or shape != shapes["tokens"] for shape in shapes.values()):
        raise UserError(f"{path}: not rows of one length in every field ({shapes}); make it with trex.corpus.pack")
    if len(rows) == 0:
        raise UserError(f"{path}: holds no rows; ask for more text in the config's corpus section")
    if negative := [name for name in FIELDS if tensors[name].numel() and tensors[name].min() < 0]:
        raise UserError(f"{path}: {negative[0]} below 0; make it with trex.corpus.pack")
    if not len(rows.targets()[1]):
        raise UserError(
            f"{path}: no token to learn: none that its document has one before and that the loss mask chooses; "
            "make it with trex.corpus.pack"
        )
    return rows


def batches(rows: Rows, batch_rows: int, steps: int, seed: int) -> Iterator[Rows]:
    """`steps` batches; each pass over the rows has a new order, and a batch may end one pass and begin the next."""
    needed = steps * batch_rows
    passes = -(-needed // len(rows))
    order = []
    for epoch in range(passes):
        generator = torch.Generator().manual_seed(seeds.derive(seed, "order", epoch))
        order.append(torch.randperm(len(rows), generator=generator))
    for index in torch.cat(order)[:needed].split(batch_rows):
        yield rows.take(index)
