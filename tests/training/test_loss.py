import torch

from tests.model.conftest import randomise, small_config
from tests.training.conftest import counting_rows
from trex.model.transformer import Transformer
from trex.training.loss import indexer_loss, next_token_loss


def test_the_loss_is_the_mean_over_targets_of_the_full_logits():
    model = randomise(Transformer(small_config()).initialise(0))
    rows = counting_rows(rows=3)
    rows.loss[:, 20:] = 0
    logits = model(rows.tokens, rows.document, rows.position).log_softmax(-1)
    terms = [
        -logits[b, t, rows.tokens[b, t + 1]]
        for b in range(3)
        for t in range(63)
        if rows.document[b, t] == rows.document[b, t + 1] and rows.loss[b, t + 1]
    ]
    torch.testing.assert_close(next_token_loss(model, rows), torch.stack(terms).mean())


def test_without_csa_layers_there_is_no_indexer_loss():
    model = Transformer(small_config(compress_ratios=(0, 8))).initialise(0)
    next_token_loss(model, counting_rows(rows=2))
    assert indexer_loss(model) == 0
