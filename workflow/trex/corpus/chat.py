"""How texts become token sequences.

A sample is `<|bos|><|user|>{prompt}<|assistant|>{answer}<|eos|>`, a document `<|bos|>{text}<|eos|>`. The special tokens
are put in by id: the same characters inside a text stay ordinary text.
"""

from pathlib import Path

from tokenizers import Tokenizer

from trex.common.errors import UserError

SPECIAL_TOKENS = ("<|pad|>", "<|bos|>", "<|eos|>", "<|user|>", "<|assistant|>")
PAD, BOS, EOS, USER, ASSISTANT = range(len(SPECIAL_TOKENS))


def load_tokenizer(path: str | Path, vocab_size: int | None = None) -> Tokenizer:
    """Raises UserError when the file is no tokenizer, one whose special tokens stand elsewhere, or one of more tokens
    than the vocab_size of the model that is to read them."""
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exceptions
        raise UserError(f"{path}: not a tokenizer ({error}); make it with trex.corpus.tokenizer") from error
    found = [tokenizer.id_to_token(index) for index in range(len(SPECIAL_TOKENS))]
    if found != list(SPECIAL_TOKENS):
        raise UserError(f"{path}: its first tokens are {found}, expected {list(SPECIAL_TOKENS)}; make it again")
    if vocab_size is not None and tokenizer.get_vocab_size() > vocab_size:
        raise UserError(
            f"{path}: {tokenizer.get_vocab_size()} tokens, the model's vocabulary has {vocab_size}; give the tokenizer "
            "that the model was trained with"
        )
    tokenizer.encode_special_tokens = True
    return tokenizer


def encode(tokenizer: Tokenizer, text: str) -> list[int]:
    """Ordinary text, special tokens' names included."""
    return tokenizer.encode(text, add_special_tokens=False).ids


def decode(tokenizer: Tokenizer, ids: list[int]) -> str:
    """The text of ordinary tokens; special tokens are left out."""
    return tokenizer.decode([index for index in ids if index >= len(SPECIAL_TOKENS)], skip_special_tokens=False)


def prompt_layout(prompt: list[int]) -> list[int]:
    """An encoded prompt in its place: it ends where the answer begins."""
    return [BOS, USER, *prompt, ASSISTANT]


def encode_prompt(tokenizer: Tokenizer, prompt: str) -> list[int]:
    """What a model is given."""
    return prompt_layout(encode(tokenizer, prompt))


def encode_sample(tokenizer: Tokenizer, prompt: str, answer: str) -> tuple[list[int], int]:
    """A whole sample, and the position of the answer's first token."""
    head = encode_prompt(tokenizer, prompt)
    return [*head, *encode(tokenizer, answer), EOS], len(head)


def encode_turns(tokenizer: Tokenizer, turns: list[tuple[str, str]], prompt: str) -> list[int]:
    """What a model is given after some prompts and their answers: samples in a row that start but once.

    The miniature is trained on samples one by one, so it has never seen this layout.
    """
    earlier = [token for asked, answer in turns for token in encode_sample(tokenizer, asked, answer)[0][1:]]
    return [BOS, *earlier, *encode_prompt(tokenizer, prompt)[1:]]


def encode_document(tokenizer: Tokenizer, text: str) -> list[int]:
    return [BOS, *encode(tokenizer, text), EOS]
