"""Train the byte-level BPE tokenizer on training text.

    python -m trex.corpus.tokenizer --texts general.parquet cpt.parquet sft.parquet --settings config.json
        --out tokenizer/tokenizer.json

Any text comes back exactly. Each digit is a token of its own. Before merging, text is split so that a merge never
crosses a word of prose, while a call with its dots and opening brackets, a line break with its indentation, and the
head of a comprehension can become one token. Token ids 0 to 4 are the special tokens of trex.corpus.chat. settings:
the section `corpus`.
"""

from collections.abc import Iterator
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from trex.common import cli, config, files
from trex.common.provenance import provenance
from trex.corpus import texts
from trex.corpus.chat import SPECIAL_TOKENS

STEP = "trex.corpus.tokenizer"
NAME = r"[A-Za-z_]+(?:\.[A-Za-z_]+)*"
SPLIT = "|".join(
    (
        r"\d",
        r"\n+ *",
        r" for [a-z_](?:, [a-z_])* in(?: [a-z]+\()*",  # the head of a comprehension
        r"[a-z] = \[*",  # an assignment to a short name
        r"[a-z](?: \*|,) [a-z](?![A-Za-z_])",  # a product or a pair of short names
        rf" ?{NAME}(?:[(\[]+(?:{NAME}[(\[]+)*\"?|=(?=\w))?",  # a word, calls up to their arguments, a keyword
        r" ?[^\sA-Za-z_\d]+(?:\n *| (?=\d))?",  # punctuation, with the line break or the space before a number
        r"\s+",
    )
)


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--texts", nargs="+", type=Path, required=True, help="general text, documents, samples")
    parser.add_argument("--settings", type=config.section("corpus"), required=True, help="JSON text or file")
    parser.add_argument("--out", type=Path, required=True, help="tokenizer.json")
    arguments = parser.parse_args()
    tokenizer = train(training_strings(arguments.texts), arguments.settings["vocab_size"])
    files.write_text(arguments.out, tokenizer.to_str(pretty=True) + "\n")
    inputs = {path.stem: path for path in arguments.texts}
    files.write_json(files.sidecar(arguments.out), {}, provenance(STEP, arguments.settings, inputs))
    print(f"tokenizer: {tokenizer.get_vocab_size()} tokens")


def training_strings(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        kind, rows = texts.read(path)
        for row in rows:
            yield from texts.strings(kind, row)


def train(strings: Iterator[str], vocab_size: int) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(strings, trainer)
    return tokenizer


if __name__ == "__main__":
    cli.run(main)
