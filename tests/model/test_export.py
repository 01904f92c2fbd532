"""An exported arm: what transformers makes of the folder, and what we make of it again."""

import json
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.model.conftest import alone, randomise, small_config, tokens_of
from trex.benchmarks.item import write_suite
from trex.common.errors import UserError
from trex.corpus import chat
from trex.corpus.tokenizer import train
from trex.model import checkpoint
from trex.model.generate import generate
from trex.model.transformer import Transformer

transformers = pytest.importorskip("transformers")
TEXTS = ["minimise the cost of two routes\n    subject to x + y <= 12", "for i in range(3): model.add_variable(lb=0)"]


@pytest.fixture(scope="module")
def arm():
    return randomise(Transformer(small_config(vocab_size=300)).initialise(0), seed=4)


@pytest.fixture(scope="module")
def folder(arm, tmp_path_factory):
    """Made by the command."""
    base = tmp_path_factory.mktemp("export")
    checkpoint.save(arm, base / "models/sft", {})
    train(iter(TEXTS), 300).save(str(base / "tokenizer.json"))
    command = [sys.executable, "-m", "trex.model.export", "--model", base / "models/sft"]
    command += ["--tokenizer", base / "tokenizer.json", "--out", base / "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"export: {sum(p.numel() for p in arm.parameters()):,} parameters" in done.stdout
    return base / "out"


def copy(folder, to):
    to.mkdir()
    for path in folder.iterdir():
        (to / path.name).write_bytes(path.read_bytes())
    return to


def test_transformers_loads_it_and_gives_the_same_logits(arm, folder):
    theirs, report = transformers.AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
    assert not any(report.values())
    tokens = tokens_of(45)
    with torch.no_grad():
        expected = theirs(input_ids=tokens[None], use_cache=False).logits[0]
    torch.testing.assert_close(alone(arm, tokens), expected, atol=float(1e-5 * expected.abs().max()), rtol=0)
    assert (theirs.config.bos_token_id, theirs.config.eos_token_id) == (chat.BOS, chat.EOS)
    assert theirs.generation_config.eos_token_id == chat.EOS


def test_transformers_generates_what_we_generate(arm, folder):
    """With caches on both sides."""
    theirs = transformers.AutoModelForCausalLM.from_pretrained(folder)
    prompt = tokens_of(21).tolist()
    found = theirs.generate(torch.tensor([prompt]), max_new_tokens=8, do_sample=False, eos_token_id=299)[0]
    assert found[len(prompt) :].tolist() == generate(arm, [prompt], 8, [299])[0]


def test_we_load_it_again(arm, folder):
    again = checkpoint.load(folder)
    assert again.config == arm.config
    for name, tensor in arm.state_dict().items():
        assert torch.equal(again.state_dict()[name], tensor), name


def test_what_transformers_saves_is_loaded_once_the_config_has_no_mtp(arm, folder, tmp_path):
    """It has dropped the MTP block's weights, and yet its config still counts the block."""
    theirs = transformers.AutoModelForCausalLM.from_pretrained(folder)
    theirs.save_pretrained(tmp_path)
    with pytest.raises(UserError, match="set num_nextn_predict_layers to 0"):
        checkpoint.load(tmp_path)
    theirs.config.num_nextn_predict_layers = 0
    theirs.save_pretrained(tmp_path)
    again, tokens = checkpoint.load(tmp_path), tokens_of(30)
    assert torch.equal(alone(again, tokens), alone(arm, tokens))


def test_several_files_with_an_index_are_loaded(arm, folder, tmp_path):
    copied = copy(folder, tmp_path / "sharded")
    weights = load_file(copied / "model.safetensors")
    (copied / "model.safetensors").unlink()
    names = sorted(weights)
    parts = {"model-1.safetensors": names[::2], "model-2.safetensors": names[1::2]}
    for file, own in parts.items():
        save_file({name: weights[name] for name in own}, copied / file)
    index = {"weight_map": {name: file for file, own in parts.items() for name in own}}
    (copied / "model.safetensors.index.json").write_text(json.dumps(index))
    assert torch.equal(alone(checkpoint.load(copied), tokens_of(20)), alone(arm, tokens_of(20)))
    (copied / "model-2.safetensors").unlink()
    with pytest.raises(UserError, match=r"model-2\.safetensors"):
        checkpoint.load(copied)


def test_an_index_that_is_none_is_named(folder, tmp_path):
    copied = copy(folder, tmp_path / "sharded")
    (copied / "model.safetensors.index.json").write_text('{"weights": 3}')
    with pytest.raises(UserError, match="names no files"):
        checkpoint.load(copied)


def test_the_tokenizer_is_ours(folder):
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = chat.load_tokenizer(folder / "tokenizer.json")
    text = TEXTS[0] + "\n\tRoute 7: 3.5 €"
    assert theirs.encode(text, add_special_tokens=False) == chat.encode(ours, text)
    assert theirs.decode(theirs.encode(text)) == text
    assert (theirs.bos_token_id, theirs.eos_token_id, theirs.pad_token_id) == (chat.BOS, chat.EOS, chat.PAD)


def test_the_chat_template_is_the_layout_of_the_samples(folder):
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = chat.load_tokenizer(folder / "tokenizer.json")
    prompt, answer = "minimise the cost\n", " x = 3"
    asked = theirs.apply_chat_template(
        [{"role": "user", "content": prompt}], add_generation_prompt=True, return_dict=False
    )
    assert asked == chat.encode_prompt(ours, prompt)
    messages = [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}]
    assert theirs.apply_chat_template(messages, return_dict=False) == chat.encode_sample(ours, prompt, answer)[0]


def test_the_weights_say_where_they_come_from(folder):
    from safetensors import safe_open

    with safe_open(folder / "model.safetensors", "pt") as weights:
        origin = json.loads(weights.metadata()["trex"])["provenance"]
    assert origin["step"] == "trex.model.export" and set(origin["inputs"]) == {"model", "tokenizer"}


@pytest.mark.parametrize("wrong", ["no tokenizer", "of more tokens"])
@pytest.mark.parametrize("module", ["trex.model.export", "trex.evaluation.respond"])
def test_another_tokenizer_is_refused_before_anything_is_written(arm, tmp_path, module, wrong):
    checkpoint.save(arm, tmp_path / "sft", {})
    if wrong == "of more tokens":
        train(iter(TEXTS), 310).save(str(tmp_path / "tokenizer.json"))
    else:
        (tmp_path / "tokenizer.json").write_text("{}")
    command = [sys.executable, "-m", module, "--model", tmp_path / "sft"]
    command += ["--tokenizer", tmp_path / "tokenizer.json", "--out", tmp_path / "out"]
    if module == "trex.evaluation.respond":
        protocol = {"samples": 1, "temperature": 0, "top_p": 1, "seed": 1, "shots": 0, "selection": "bm25"}
        settings = {"max_new_tokens": 5, "batch_size": 1, "protocol": protocol}
        write_suite(tmp_path / "suite.parquet", [], {})
        command += ["--suite", tmp_path / "suite.parquet", "--context", "60", "--settings", json.dumps(settings)]
        command += ["--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    expected = {"no tokenizer": "not a tokenizer", "of more tokens": "310 tokens, the model's vocabulary has 300"}
    assert done.returncode == 2 and expected[wrong] in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
