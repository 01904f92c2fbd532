import json

import pytest
import torch
from safetensors.torch import save_file

from tests.model.conftest import VOCABULARY, small_config
from trex.training.data import Rows

SETTINGS = {
    "tokens": 4000,
    "batch_rows": 2,
    "lr": 0.01,
    "adamw_lr": 0.01,
    "weight_decay": 0.1,
    "muon_fast_steps": 8,
    "muon_exact_steps": 2,
    "clip": 1.0,
    "warmup_fraction": 0.1,
    "decay_fraction": 0.3,
    "final_lr_fraction": 0.1,
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
