import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.common.errors import UserError
from trex.corpus import chat, tokenizer

TINY = tokenizer.train(iter(["Make 12 pies.\n    m.add_variable(lb=0)\n"] * 3), 300)
TINY.encode_special_tokens = True


def test_special_tokens_have_the_first_ids():
    assert [TINY.id_to_token(index) for index in range(5)] == list(chat.SPECIAL_TOKENS)
    assert (chat.PAD, chat.BOS, chat.EOS, chat.USER, chat.ASSISTANT) == (0, 1, 2, 3, 4)


def test_layout_of_samples_and_documents():
    prompt, answer = chat.encode(TINY, "Make 12"), chat.encode(TINY, "pies.")
    tokens, start = chat.encode_sample(TINY, "Make 12", "pies.")
    assert tokens == [chat.BOS, chat.USER, *prompt, chat.ASSISTANT, *answer, chat.EOS]
    assert tokens[:start] == chat.encode_prompt(TINY, "Make 12")
    assert chat.encode_document(TINY, "pies.") == [chat.BOS, *answer, chat.EOS]


def test_turns_are_samples_in_a_row_with_one_start():
    first, _ = chat.encode_sample(TINY, "Make 12", "pies.")
    second, _ = chat.encode_sample(TINY, "Make 1", "m")
    prompt = chat.encode_prompt(TINY, "Make 2")
    turns = [("Make 12", "pies."), ("Make 1", "m")]
    assert chat.encode_turns(TINY, turns, "Make 2") == first + second[1:] + prompt[1:]
    assert chat.encode_turns(TINY, [], "Make 2") == prompt


@given(st.text())
def test_any_text_comes_back(text):
    assert chat.decode(TINY, chat.encode(TINY, text)) == text


@given(st.sampled_from(chat.SPECIAL_TOKENS), st.text(max_size=5))
def test_a_special_tokens_name_in_a_text_is_ordinary_text(name, text):
    ids = chat.encode(TINY, f"{text}{name}{text}")
    assert min(ids) >= len(chat.SPECIAL_TOKENS)
    assert chat.decode(TINY, ids) == f"{text}{name}{text}"


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path):
    (tmp_path / "t.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match="not a tokenizer"):
        chat.load_tokenizer(tmp_path / "t.json")


def test_a_tokenizer_with_other_special_tokens_is_refused(tmp_path):
    text = TINY.to_str().replace("<|user|>", "<|human|>")
    (tmp_path / "t.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"<\|human\|>"):
        chat.load_tokenizer(tmp_path / "t.json")
