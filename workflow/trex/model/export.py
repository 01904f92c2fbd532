"""Write a trained arm as a Hugging Face folder, which transformers loads.

    python -m trex.model.export --model models/cpt_sft --tokenizer corpus/tokenizer/tokenizer.json --out exported

Weights are in float32 under the names of DeepSeek-V4's released checkpoint; config.json and the tokenizer's files are
in the form of transformers 5. The MTP block is written, too; transformers passes over it. The tokenizer's chat template
is the layout that the arms learn their samples in: one prompt, one answer. But a prompt that spells a special token
("<|user|>") gets that token from transformers' tokenizer, and ordinary text from ours.

    model = transformers.AutoModelForCausalLM.from_pretrained("exported")
    tokenizer = transformers.AutoTokenizer.from_pretrained("exported")

The way back is to give the folder wherever a model is asked for (--model, --init).
"""

import json
from pathlib import Path

from trex.common import cli, files
from trex.common.provenance import provenance
from trex.corpus import chat
from trex.model import checkpoint
from trex.model.huggingface_config import MODEL_TYPE, to_hf_config
from trex.model.huggingface_weights import to_hf_state
from trex.model.transformer import Transformer

STEP = "trex.model.export"
# The special tokens stand alone in the template, so the text between them is the samples' own.
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message['role'] == 'user' %}<|user|>{{ message['content'] }}"
    "{% elif message['role'] == 'assistant' %}<|assistant|>{{ message['content'] }}{{ eos_token }}{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def write_model(model: Transformer, folder: Path, origin: dict) -> None:
    """config.json, generation_config.json, then model.safetensors: a folder with weights is whole."""
    special = {"bos_token_id": chat.BOS, "eos_token_id": chat.EOS}
    kind = {"architectures": ["DeepseekV4ForCausalLM"], "model_type": MODEL_TYPE, "dtype": "float32"}
    write_json(folder / "config.json", kind | to_hf_config(model.config) | special)
    write_json(folder / "generation_config.json", special | {"pad_token_id": chat.PAD})
    metadata = {"format": "pt", "trex": checkpoint.describe(origin)}
    checkpoint.write_weights(folder / checkpoint.WEIGHTS, to_hf_state(model.state_dict()), metadata)


def write_tokenizer(path: str | Path, folder: Path, vocab_size: int) -> None:
    """tokenizer.json as it is, and what transformers wants to know of it. vocab_size: the model's."""
    chat.load_tokenizer(path, vocab_size)  # refuses another tokenizer than ours
    files.write_text(folder / "tokenizer.json", Path(path).read_text(encoding="utf-8"))
    tokens = chat.SPECIAL_TOKENS
    about = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": tokens[chat.BOS],
        "eos_token": tokens[chat.EOS],
        "pad_token": tokens[chat.PAD],
        "additional_special_tokens": [tokens[chat.USER], tokens[chat.ASSISTANT]],
        "clean_up_tokenization_spaces": False,
        "chat_template": CHAT_TEMPLATE,
    }
    write_json(folder / "tokenizer_config.json", about)


def write_json(path: Path, value: dict) -> None:
    """Without a block of provenance: these files are another library's, and the weights' metadata have one."""
    files.write_text(path, json.dumps(value, indent=2) + "\n")


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--model", required=True, help="models/<arm>: a trained arm")
    parser.add_argument("--tokenizer", required=True, help="corpus/tokenizer/tokenizer.json of the same run")
    parser.add_argument("--out", required=True, help="the folder to write")
    arguments = parser.parse_args()
    model, folder = checkpoint.load(arguments.model), Path(arguments.out)
    inputs = {"model": checkpoint.weight_files(arguments.model), "tokenizer": arguments.tokenizer}
    write_tokenizer(arguments.tokenizer, folder, model.config.vocab_size)
    write_model(model, folder, provenance(STEP, {}, inputs))
    size = sum(parameter.numel() for parameter in model.parameters())
    print(f"export: {size:,} parameters and the tokenizer, written to {folder}")


if __name__ == "__main__":
    cli.run(main)
