"""Bugs that others had in DeepSeek-V4, each planted in this one: a check that passes without it must fail with it.

The checks are few and general; what they ask holds for any correct implementation. A bug that no check notices would
show that the checks are too weak, not that the model is right.
"""

import dataclasses
import tempfile

import pytest
import torch

from tests.model import equations
from tests.model.conftest import VOCABULARY, alone, randomise, small_config, tokens_of
from tests.model.test_generate import DEVIATION, YARN, assert_logits_of_recomputation
from tests.training.conftest import uneven_rows
from trex.accounting.counting import deepseek_v4, part
from trex.accounting.counting.published import FLASH
from trex.model import attention, checkpoint, hyper_connections, packing
from trex.model.attention import Attention
from trex.model.cache import EntryCache
from trex.model.hyper_connections import HyperConnection
from trex.model.indexer import Indexer
from trex.model.packing import Packing, plan
from trex.model.rotary import frequencies, rotary_table
from trex.model.router import Router
from trex.model.trace import Trace
from trex.model.transformer import Transformer
from trex.training import loop, loss

LENGTH = 75  # more than a block of queries, and no multiple of a compression ratio


def model_of(**changes) -> Transformer:
    """All kinds of layer; constants at which YaRN, the order of Sinkhorn's steps and the clamps all show."""
    values = {"compress_ratios": (0, 4, 8, 4), "rope_scaling": YARN, "hc_sinkhorn_iters": 3, "swiglu_limit": 1.0}
    return randomise(Transformer(small_config(**values | changes)).initialise(0), deviation=DEVIATION)


def assert_close(found: torch.Tensor, expected: torch.Tensor) -> None:
    """Relative to the largest of what is expected."""
    assert (found - expected).abs().max() <= 1e-5 * expected.abs().max()


# The checks.


def equations_hold():
    for clamp in (True, False):
        model, tokens = model_of(shared_expert_clamp=clamp), tokens_of(LENGTH)
        assert_close(alone(model, tokens), equations.logits(model, tokens))


def later_tokens_change_nothing():
    model, tokens = model_of(), tokens_of(LENGTH)
    before = alone(model, tokens)
    for place in (3, 4, 20, 21, 22, 23, 70):
        changed = tokens.clone()
        changed[place:] = (changed[place:] + 1) % VOCABULARY
        assert_close(alone(model, changed)[:place], before[:place])


def packed_documents_are_as_alone(sizes=(17, -2, 1, 30, 6, -5, 12, -3)):
    """sizes: of documents, and negative of padding between them."""
    model = model_of()
    parts = [tokens_of(abs(size), seed) for seed, size in enumerate(sizes)]
    document = torch.cat([torch.full((abs(size),), max(0, (size > 0) * (i + 1))) for i, size in enumerate(sizes)])
    position = torch.cat([torch.arange(size) if size > 0 else torch.zeros(-size, dtype=torch.long) for size in sizes])
    with torch.no_grad():
        together = model(torch.cat(parts)[None], document[None], position[None])[0]
    for size, tokens, found in zip(sizes, parts, together.split([abs(size) for size in sizes]), strict=True):
        if size > 0:
            assert_close(found, alone(model, tokens))


def padding_changes_nothing():
    packed_documents_are_as_alone((-3, 40))
    packed_documents_are_as_alone((40, -6))


def cached_decoding_is_recomputation():
    assert_logits_of_recomputation(model_of(), (1, 7, 8, 20), count=20)


def training_pass(model: Transformer) -> tuple[dict[str, torch.Tensor], Trace]:
    """All terms of the loss of rows with padding and documents down to one token."""
    rows = uneven_rows()
    trace = Trace(rows.document > 0)
    return loss.sums_of(model, rows, ["next_token", "mtp", "balance", "indexer"], trace), trace


def bfloat16_stays_finite():
    model = model_of().to(torch.bfloat16)
    sums, _ = training_pass(model)
    assert all(total.isfinite() for total in sums.values()), sums
    sum(sums.values()).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name


def indexers_learn():
    model = model_of()
    sums, trace = training_pass(model)
    assert len(trace.divergence) == 2
    assert sums["indexer"].requires_grad
    sums["indexer"].backward()
    for name, parameter in model.named_parameters():
        if ".indexer." in name:
            assert parameter.grad.abs().max() > 0, name


def indexers_teacher_is_the_attention():
    module = model_of().blocks[1].attention
    x = torch.randn(LENGTH, module.config.hidden_size, generator=torch.Generator().manual_seed(2))
    trace = Trace(torch.ones(1, LENGTH, dtype=torch.bool))
    module(x[None], plan(module.config, torch.ones(1, LENGTH).long(), torch.arange(LENGTH)[None]), trace)
    assert trace.divergence[0].item() == pytest.approx(equations.attention_alone(module, x)[1], rel=1e-4)


def parts_of_a_batch_add_up_to_it():
    rows, found = uneven_rows(), {}
    for micro_batch_rows in (len(rows), 1):
        model = model_of()
        loop.accumulate(model, rows, {"next_token": 1.0, "mtp": 0.3}, micro_batch_rows)
        found[micro_batch_rows] = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
    assert_close(found[1], found[len(rows)])


def a_loaded_model_is_the_saved_one():
    model, tokens = model_of(), tokens_of(LENGTH)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint.save(model, folder, {})
        loaded = checkpoint.load(folder)
    assert torch.equal(alone(loaded, tokens), alone(model, tokens))


def streams_cost_hyper_connections_alone():
    configs = (dataclasses.replace(FLASH, hc_mult=streams, num_nextn_predict_layers=0) for streams in (1, 4))
    one, four = (part.by_component(deepseek_v4.parts(config, 4096), lambda one: one.flops) for config in configs)
    assert {name for name in one if one[name] != four[name]} == {"hyper_connections"}


CHECKS = (
    equations_hold,
    later_tokens_change_nothing,
    packed_documents_are_as_alone,
    padding_changes_nothing,
    cached_decoding_is_recomputation,
    bfloat16_stays_finite,
    indexers_learn,
    indexers_teacher_is_the_attention,
    parts_of_a_batch_add_up_to_it,
    a_loaded_model_is_the_saved_one,
    streams_cost_hyper_connections_alone,
)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_model_passes(check):
    check()


# The bugs. Each replaces one function by another that is given it, calls it, and spoils what goes in or comes out.

BUGS = []


def bug(name: str, owner, attribute: str, *checks):
    """Registers the decorated function in place of owner's attribute; each of the checks must notice it."""

    def register(spoiled):
        BUGS.extend(pytest.param(owner, attribute, spoiled, check, id=f"{name}: {check.__name__}") for check in checks)
        return spoiled

    return register


@bug("CSA mask leaks the future", packing, "find_windows", later_tokens_change_nothing, equations_hold)
def window_that_is_still_open_is_visible(find_windows, config, document, position, ratio, block):
    windows = find_windows(config, document, position, ratio, block)
    windows.visible[..., 1:] |= windows.visible[..., :-1].clone()
    return windows


@bug("top-k forgets the causal mask", Indexer, "select", later_tokens_change_nothing, equations_hold)
def hidden_entries_fill_up_what_is_picked(select, self, scores, visible):
    return select(self, scores.masked_fill(~visible, -1e9), torch.ones_like(visible))


@bug("cache shows an entry too many", EntryCache, "append", cached_decoding_is_recomputation)
def open_window_is_visible_in_decoding(append, self, x, position):
    visible = append(self, x, position)
    visible[:, 1:] |= visible[:, :-1].clone()
    return visible


@bug(
    "main branch turns by the window layers' theta", Packing, "table", equations_hold, cached_decoding_is_recomputation
)
def compressed_layers_turn_as_window_layers(table, self, ratio):
    return self.plain


@bug("compressor turns by window layers' theta", packing, "find_windows", equations_hold)
def entries_turn_as_window_layers(find_windows, config, document, position, ratio, block):
    return turned_at(find_windows(config, document, position, ratio, block), position, config, compressed=False)


@bug("YaRN on window layers", packing, "frequencies", equations_hold)
def window_layers_are_scaled(frequencies, config, compressed):
    if not compressed:
        config = dataclasses.replace(config, compress_rope_theta=config.rope_theta)
    return frequencies(config, compressed=True)


@bug("no YaRN on compressed layers", packing, "frequencies", equations_hold)
def compressed_layers_are_not_scaled(frequencies, config, compressed):
    return frequencies(dataclasses.replace(config, rope_scaling=None), compressed)


@bug("partial rotary factor applied twice", packing, "frequencies", equations_hold)
def too_few_channels_turn(frequencies, config, compressed):
    twice = config.qk_rope_head_dim * config.qk_rope_head_dim // config.head_dim
    return frequencies(dataclasses.replace(config, qk_rope_head_dim=twice), compressed)


@bug("entries turned by their number", packing, "find_windows", equations_hold)
def entries_turn_by_their_number(find_windows, config, document, position, ratio, block):
    return turned_at(find_windows(config, document, position, ratio, block), position // ratio, config)


@bug("entries turned by their last token", packing, "find_windows", equations_hold)
def entries_turn_by_their_last_token(find_windows, config, document, position, ratio, block):
    return turned_at(find_windows(config, document, position, ratio, block), position + ratio - 1, config)


def turned_at(windows, position, config, compressed=True):
    """The windows with the rotary table of another position for each token."""
    first = position.gather(1, windows.slots[..., 0])
    return dataclasses.replace(windows, table=rotary_table(first, frequencies(config, compressed)))


@bug("no inverse rotation", Attention, "output", equations_hold)
def heads_stay_turned(output, self, heads, table):
    return output(self, heads, torch.ones_like(table))


@bug("padding enters the compressor", packing, "find_windows", padding_changes_nothing)
def windows_start_at_the_row(find_windows, config, document, position, ratio, block):
    place = torch.arange(document.shape[1]).expand_as(document)
    return find_windows(config, torch.ones_like(document), place, ratio, block)


@bug("window crosses documents", packing, "local_mask", packed_documents_are_as_alone)
def neighbours_are_one_document(local_mask, document, block, window):
    return local_mask((document > 0).long(), block, window)


@bug("entries cross documents", packing, "find_windows", packed_documents_are_as_alone)
def earlier_documents_entries_are_visible(find_windows, config, document, position, ratio, block):
    windows = find_windows(config, document, position, ratio, block)
    windows.visible = windows.visible.flip(-1).cumsum(-1).flip(-1) > 0
    return windows


@bug("compressor pools across documents", packing, "find_windows", packed_documents_are_as_alone)
def first_windows_have_a_predecessor(find_windows, config, document, position, ratio, block):
    windows = find_windows(config, document, position, ratio, block)
    return dataclasses.replace(windows, first=torch.zeros_like(windows.first))


@bug("comb transposed", HyperConnection, "read", equations_hold)
def streams_are_mixed_by_the_transpose(read, self, streams):
    x, post, mix = read(self, streams)
    return x, post, mix.transpose(0, 1)


@bug("post without its factor 2", HyperConnection, "read", equations_hold)
def results_are_written_by_half(read, self, streams):
    x, post, mix = read(self, streams)
    return x, post / 2, mix


@bug("Sinkhorn begins with rows", hyper_connections, "sinkhorn", equations_hold)
def rows_are_normalised_first(sinkhorn, weights, iterations, eps):
    return sinkhorn(weights.transpose(0, 1), iterations, eps).transpose(0, 1)


@bug("nothing left to attend to", attention, "attend", bfloat16_stays_finite)
def the_sink_is_hidden_too(attend, query, sink, *keys):
    return attend(query, torch.full_like(sink, -torch.inf), *keys)


@bug("no entry left to choose", attention, "divergence", bfloat16_stays_finite)
def hidden_scores_are_infinite(divergence, scores, selected, attention):
    teacher = attention * selected
    teacher = teacher / teacher.sum(-1, keepdim=True)
    student = scores.masked_fill(~selected, -torch.inf).log_softmax(-1)
    return (torch.xlogy(teacher, teacher) - teacher * student).sum()


@bug("teacher without window and sink", attention, "attend", indexers_teacher_is_the_attention)
def teacher_sees_entries_alone(attend, query, sink, near, local, far=None, visible=None):
    heads, on_entries = attend(query, sink, near, local, far, visible)
    if far is not None:
        nothing = torch.full_like(sink, -torch.inf)
        on_entries = attend(query, nothing, near, torch.zeros_like(local), far, visible)[1].nan_to_num()
    return heads, on_entries


@bug("indexer gets no gradient", Indexer, "forward", indexers_learn)
def indexer_runs_without_gradients(forward, self, *arguments):
    with torch.no_grad():
        return forward(self, *arguments)


@bug("MTP loss is a mean of means", loss, "sums_of", parts_of_a_batch_add_up_to_it)
def each_micro_batch_divides_by_its_own_targets(sums_of, model, rows, terms, trace):
    whole, sums = uneven_rows(), sums_of(model, rows, terms, trace)
    own, all_targets = (loss.counts_of(model.config, part)["mtp"] for part in (rows, whole))
    sums["mtp"] = sums["mtp"] / max(own, 1) * all_targets * len(rows) / len(whole)
    return sums


@bug("hash table is not saved", Router, "register_buffer", a_loaded_model_is_the_saved_one)
def the_table_is_left_out_of_the_state(register_buffer, self, name, tensor):
    register_buffer(self, name, tensor, persistent=name != "table")


@bug("correction bias is not saved", Router, "register_buffer", a_loaded_model_is_the_saved_one)
def the_bias_is_left_out_of_the_state(register_buffer, self, name, tensor):
    register_buffer(self, name, tensor, persistent=name != "bias")


@bug("FLOPs times hc_mult", deepseek_v4, "attention", streams_cost_hyper_connections_alone)
def every_stream_attends(attention, config, ratio, length):
    parts = attention(config, ratio, length)
    return [dataclasses.replace(one, flops=config.hc_mult * one.flops) for one in parts]


@pytest.mark.parametrize(("owner", "attribute", "spoiled", "check"), BUGS)
def test_a_planted_bug_is_noticed(owner, attribute, spoiled, check, monkeypatch):
    original = getattr(owner, attribute)
    monkeypatch.setattr(owner, attribute, lambda *arguments, **named: spoiled(original, *arguments, **named))
    with pytest.raises(AssertionError):
        check()
