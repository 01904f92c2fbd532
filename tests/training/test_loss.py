import dataclasses

import pytest
import torch

from tests.model.conftest import randomise, small_config
from tests.training.conftest import SETTINGS, counting_rows, uneven_rows
from trex.model.packing import plan
from trex.model.trace import Trace
from trex.model.transformer import Transformer
from trex.training import loss
from trex.training.data import Rows

ALL = ("next_token", "mtp", "balance", "indexer")
OFF = {"mtp_weight": 0, "mtp_decay_weight": 0, "indexer_weight": 0, "sequence_balance_weight": 0}


@pytest.fixture(scope="module")
def model():
    return randomise(Transformer(small_config()).initialise(0))


def sums(model, rows):
    return loss.sums_of(model, rows, ALL, Trace(rows.document > 0))


def reference(model, rows, features, ahead):
    """The loss of each target, one by one."""
    chances = model.head(features).log_softmax(-1)
    return [
        -chances[b, t, rows.tokens[b, t + ahead]]
        for b in range(len(rows))
        for t in range(rows.tokens.shape[1] - ahead)
        if len(set(rows.document[b, t : t + ahead + 1].tolist())) == 1
        and rows.document[b, t] > 0
        and rows.loss[b, t + ahead]
    ]


def test_next_token_and_mtp_are_sums_over_their_targets(model):
    rows = uneven_rows()
    packing = plan(model.config, rows.document, rows.position)
    streams = model.run(rows.tokens, packing)
    next_token = reference(model, rows, model.collapse(streams), 1)
    mtp = reference(model, rows, model.predict_ahead(streams, rows.tokens, packing), 2)
    found, counts = sums(model, rows), loss.counts_of(model.config, rows)
    torch.testing.assert_close(found["next_token"], torch.stack(next_token).sum())
    torch.testing.assert_close(found["mtp"], torch.stack(mtp).sum())
    assert (counts["next_token"], counts["mtp"]) == (len(next_token), len(mtp))
    torch.testing.assert_close(loss.next_token_loss(model, rows), torch.stack(next_token).mean())


def test_packed_documents_lose_what_they_lose_alone(model):
    """No target of either kind lies across a boundary, and no query of an indexer is counted twice or not at all.

    The balance of a row is that of all its documents, so it has no part in this.
    """
    rows = uneven_rows()
    packed, counted = sums(model, rows), loss.counts_of(model.config, rows)
    alone, counts = dict.fromkeys(packed, 0.0), dict.fromkeys(packed, 0)
    for row in range(len(rows)):
        for document in range(1, int(rows.document[row].max()) + 1):
            inside = rows.document[row] == document
            one = Rows(**{name: getattr(rows, name)[row, inside][None] for name in ("tokens", "position", "loss")},
                       document=torch.ones(1, int(inside.sum()), dtype=torch.long))  # fmt: skip
            alone = {term: alone[term] + value for term, value in sums(model, one).items()}
            counts = {term: counts[term] + value for term, value in loss.counts_of(model.config, one).items()}
    for term in ("next_token", "mtp", "indexer"):
        torch.testing.assert_close(packed[term], alone[term], msg=term)
        assert counted[term] == counts[term], term


def test_the_indexer_counts_the_queries_that_see_an_entry(model):
    rows = uneven_rows()
    visible = plan(model.config, rows.document, rows.position).windows[model.config.csa_ratio].visible
    assert loss.counts_of(model.config, rows)["indexer"] == int(visible.any(-1).sum())


def test_the_balance_of_a_batch_is_the_mean_of_its_rows(model):
    rows = uneven_rows()

    def mean(part):
        return loss.means_of(sums(model, part), loss.counts_of(model.config, part))["balance"]

    each = [mean(rows.take(torch.tensor([row]))) for row in range(len(rows))]
    torch.testing.assert_close(mean(rows), torch.stack(each).mean())


def reached(model, term):
    """Names of the parameters that get a gradient other than zero from one term."""
    names, parameters = zip(*model.named_parameters(), strict=True)
    rows = uneven_rows()
    terms = {"mtp", term} if term == "balance" else {term}
    found = loss.sums_of(model, rows, terms, Trace(rows.document > 0))[term]
    gradients = torch.autograd.grad(found, parameters, allow_unused=True)
    return {name for name, gradient in zip(names, gradients, strict=True) if gradient is not None and gradient.any()}


def test_each_term_reaches_what_it_should_and_nothing_else(model):
    names = {name for name, _ in model.named_parameters()}
    indexers = {name for name in names if ".indexer." in name}
    mtp = {name for name in names if name.startswith("mtp.")}
    assert reached(model, "next_token") == names - indexers - mtp
    last = {"streams_head.fn", "streams_head.base", "streams_head.scale", "norm.weight"}
    assert reached(model, "mtp") == names - indexers - last
    assert reached(model, "indexer") == indexers
    balance = reached(model, "balance")
    routers = {f"{block}.experts.router.weight" for block in ("blocks.1", "blocks.2", "mtp.block")}
    assert routers | {"embedding.weight"} <= balance
    assert not balance & (indexers | last | {"head.weight", "mtp.norm.weight", "mtp.block.experts.down"})


def test_a_term_is_on_where_it_has_a_weight_and_layers():
    config = small_config()
    assert loss.weights_of(config, SETTINGS, False) == {
        "next_token": 1.0,
        "mtp": 0.3,
        "balance": 0.0001,
        "indexer": 1.0,
    }
    assert loss.weights_of(config, SETTINGS, True)["mtp"] == 0.1
    assert loss.weights_of(config, SETTINGS | OFF, False) == {"next_token": 1.0}
    assert "mtp" not in loss.weights_of(dataclasses.replace(config, num_nextn_predict_layers=0), SETTINGS, False)
    assert "indexer" not in loss.weights_of(dataclasses.replace(config, compress_ratios=(0, 8)), SETTINGS, False)
    hashed = dataclasses.replace(config, num_hash_layers=3)
    assert "balance" in loss.weights_of(hashed, SETTINGS, False)
    assert "balance" not in loss.weights_of(hashed, SETTINGS | {"mtp_weight": 0}, False)


def test_a_term_that_is_off_is_not_computed(model):
    rows = counting_rows(rows=1)
    trace = Trace(rows.document > 0, wants_balance=False, wants_divergence=False)
    assert set(loss.sums_of(model, rows, ["next_token"], trace)) == {"next_token"}
    assert len(trace.routing) == 3 and trace.divergence == []
    assert all(layer.balance is None for layer in trace.routing)


def test_rows_without_a_target_have_no_loss(model):
    rows = counting_rows(rows=1)
    rows.loss.zero_()
    assert loss.next_token_loss(model, rows) == 0
