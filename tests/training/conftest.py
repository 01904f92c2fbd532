import json

import pytest
import torch
from safetensors.torch import save_file

from tests.model.conftest import VOCABULARY, small_config
from trex.training.data import Rows

SETTINGS = {
    "tokens": 4000,
    "batch_rows": 2,
    "micro_batch_rows": None,
    "lr": 0.01,
    "adamw_lr": 0.01,
    "weight_decay": 0.1,
    "muon_fast_steps": 8,
    "muon_exact_steps": 2,
    "clip": 1.0,
    "warmup_fraction": 0.1,
    "decay_fraction": 0.3,
    "final_lr_fraction": 0.1,
    "mtp_weight": 0.3,
    "mtp_decay_weight": 0.1,
    "indexer_weight": 1.0,
    "sequence_balance_weight": 0.0001,
    "balance_speed": 0.001,
}


def counting_rows(rows: int = 12, length: int = 64) -> Rows:
    """Documents of a period of three tokens: what follows can be learnt."""
    generator = torch.Generator().manual_seed(0)
    starts = torch.randint(5, VOCABULARY - 3, (rows, length // 16, 1), generator=generator)
    tokens = (starts + torch.arange(16) % 3).flatten(1)
    document = torch.arange(length).div(16, rounding_mode="floor").add(1).expand(rows, -1)
    position = torch.arange(length).remainder(16).expand(rows, -1)
    return Rows(tokens, document.contiguous(), position.contiguous(), (position > 0).long())


def uneven_rows() -> Rows:
    """Four rows whose documents, targets and padding differ: no term has as many places in one as in another."""
    lengths = ((64,), (20, 2, 1, 12), (7, 30, 3, 24), (5,))
    generator = torch.Generator().manual_seed(1)
    shape = (len(lengths), 64)
    tokens = torch.randint(5, VOCABULARY, shape, generator=generator)
    document, position = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
    for row, documents in enumerate(lengths):
        start = 0
        for number, length in enumerate(documents, start=1):
            document[row, start : start + length] = number
            position[row, start : start + length] = torch.arange(length)
            start += length
    answers = torch.rand(shape, generator=generator) < torch.tensor([[0.1], [0.9], [0.5], [1.0]])
    return Rows(tokens, document, position, (answers & (document > 0)).long())


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """The matrices are too small for two threads to help, and other tests run beside these."""
    torch.set_num_threads(1)


@pytest.fixture
def packed(tmp_path):
    rows = counting_rows()
    tensors = {name: getattr(rows, name).to(torch.int32) for name in ("tokens", "document", "position")}
    save_file(tensors | {"loss": rows.loss.to(torch.uint8)}, tmp_path / "sft.safetensors")
    return tmp_path / "sft.safetensors"


@pytest.fixture
def model_json():
    return json.dumps(small_config().to_dict())
