import pytest
import torch
from safetensors.torch import save_file

from tests.model.conftest import VOCABULARY
from tests.training.conftest import counting_rows
from trex.common.errors import UserError
from trex.training import data


def test_targets_stay_within_documents_and_on_the_loss_mask():
    rows = data.Rows(
        tokens=torch.tensor([[11, 12, 13, 21, 22, 0]]),
        document=torch.tensor([[1, 1, 1, 2, 2, 0]]),
        position=torch.tensor([[0, 1, 2, 0, 1, 0]]),
        loss=torch.tensor([[0, 0, 1, 0, 1, 0]]),
    )
    chosen, tokens = rows.targets()
    assert chosen.tolist() == [[False, True, False, True, False]]
    assert tokens.tolist() == [13, 22]
    chosen, tokens = rows.targets(ahead=2)
    assert chosen.tolist() == [[True, False, False, False]]
    assert tokens.tolist() == [13]


def test_every_row_is_taken_once_a_pass_in_another_order():
    rows = counting_rows(rows=6)
    rows.tokens[:, 0] = torch.arange(6)
    taken = [int(row) for batch in data.batches(rows, 4, 3, seed=1) for row in batch.tokens[:, 0]]
    assert sorted(taken[:6]) == sorted(taken[6:]) == list(range(6))
    assert taken[:6] != taken[6:]


def test_the_order_depends_on_the_seed_alone():
    rows = counting_rows()

    def order(seed):
        return torch.stack([batch.tokens for batch in data.batches(rows, 2, 9, seed)])

    assert torch.equal(order(1), order(1))
    assert not torch.equal(order(1), order(2))


def test_reads_what_the_corpus_packs(packed):
    assert torch.equal(data.read(packed).tokens, counting_rows().tokens)


@pytest.mark.parametrize("content", [None, b"no safetensors"])
def test_a_wrong_file_is_named(tmp_path, content):
    path = tmp_path / "x.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=r"x\.safetensors"):
        data.read(path)


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda fields: {"tokens": fields["tokens"] - VOCABULARY}, "tokens below 0"),
        (lambda fields: {"document": fields["document"] - 9}, "document below 0"),
        (lambda fields: {"loss": fields["loss"][:, 1:].contiguous()}, "one length"),
        (lambda fields: {"position": fields["position"][1:].contiguous()}, "one length"),
        (lambda fields: {name: values[0] for name, values in fields.items()}, "one length"),
        (lambda fields: {name: values[:0] for name, values in fields.items()}, "no rows"),
        (lambda fields: {name: values[:, :0].contiguous() for name, values in fields.items()}, "no token to learn"),
        (lambda fields: {"loss": fields["loss"] * 0}, "no token to learn"),
        (lambda fields: {"document": fields["document"] * 0}, "no token to learn"),
    ],
)
def test_rows_that_cannot_be_trained_on_are_refused(tmp_path, spoil, named):
    """By what is wrong with them: not by a traceback, nor by a training that learns nothing."""
    rows = counting_rows()
    fields = {name: getattr(rows, name) for name in data.FIELDS}
    save_file(fields | spoil(fields), tmp_path / "x.safetensors")
    with pytest.raises(UserError, match=f"x.safetensors.*{named}"):
        data.read(tmp_path / "x.safetensors")
