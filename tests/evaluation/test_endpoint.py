"""One request after the other: every fault once and for ever, what stops the run, and that the key stays secret."""

import asyncio
import datetime
import email.utils
import socket

import pytest
from tests.evaluation.fake_server import FakeServer, Reply, completion, error

from trex.common.errors import UserError
from trex.evaluation import endpoint as module
from trex.evaluation.endpoint import Answer, Endpoint

BODY = {"model": "m", "seed": 1, "messages": [{"role": "user", "content": "Mix ünïcode paints."}]}
RETRIES = 2
KEY = "sk-secret/+123"
DATE = "Wed, 21 Oct 2015 07:28:00 GMT"
PASSING = {
    "408": (error(408), "HTTP 408, 'no'"),
    "409": (error(409), "HTTP 409, 'no'"),
    "429": (error(429, "slow\n down"), "HTTP 429, 'slow down'"),
    "429 until a date": (Reply({}, 429, {"Retry-After": DATE}), "HTTP 429"),
    "429 without a pause": (Reply({}, 429, {"Retry-After": "soon"}), "HTTP 429"),
    "500": (error(500), "HTTP 500, 'no'"),
    "503": (Reply(b"<html>busy</html>", 503, {"Retry-After": "0"}), "HTTP 503"),
    "slow": (Reply({}, delay_s=0.4), "no answer in 0.2 s"),
    "cut": (Reply({"choices": []}, cut=True), "broken connection (RemoteProtocolError)"),
    "damaged": (Reply(b"no gzip", headers={"Content-Encoding": "gzip"}), "broken connection (DecodingError)"),
    "no JSON": (Reply(b"{'choices'"), "an answer that is no chat completion"),
    "nested": (Reply(b"[" * 100_000), "an answer that is no chat completion"),
    "no UTF-8": (Reply(b"\xff"), "an answer that is no chat completion"),
    "another JSON": (Reply(["choices"]), "an answer that is no chat completion"),
    "no choices": (Reply({"id": 1}), "an answer that is no chat completion"),
    "empty choices": (Reply({"choices": []}), "an answer that is no chat completion"),
    "no message": (Reply({"choices": ["text"]}), "an answer that is no chat completion"),
    "content in parts": (completion([{"text": "x"}]), "an answer whose content is no text"),
}
RIGHT = Answer("x = 1", "stop", "", 7, 3)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(module, "FIRST_PAUSE_S", 0.001)


def ask(url: str, times: int = 1, key: str | None = None, timeout_s: float = 5.0) -> list[Answer]:
    async def run():
        async with Endpoint(url, key, timeout_s, RETRIES) as endpoint:
            return [await endpoint.ask(BODY) for _ in range(times)]

    return asyncio.run(run())


def ask_one(reply: Reply, **options) -> Answer:
    with FakeServer(lambda body, before: reply) as server:
        return ask(server.base_url, **options)[0]


@pytest.mark.parametrize(("reply", "said"), PASSING.values(), ids=PASSING)
def test_a_fault_that_passes_is_asked_again_but_not_for_ever(reply, said):
    limit = 0.2 if reply.delay_s else 5.0
    with FakeServer(lambda body, before: reply if before == 0 else completion("x = 1")) as server:
        assert ask(server.base_url, timeout_s=limit) == [RIGHT]
        assert list(server.counts.values()) == [2]
    with FakeServer(lambda body, before: reply) as server:
        failed = Answer(finish="api", detail=f"{said} after {RETRIES + 1} tries")
        assert ask(server.base_url, timeout_s=limit) == [failed]
        assert list(server.counts.values()) == [RETRIES + 1]


def test_the_pause_that_the_server_names_is_kept_as_far_as_the_time_limit(monkeypatch):
    paused = []

    async def sleep(seconds):
        paused.append(seconds)

    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=100)
    for text in ("2", "9" * 400, DATE, email.utils.format_datetime(later, usegmt=True)):
        ask_one(Reply({}, 429, {"Retry-After": text}), timeout_s=50)
    assert paused == [2.0, 2.0, 50.0, 50.0, 0.0, 0.0, 50.0, 50.0]


def test_pauses_grow_to_a_limit(monkeypatch):
    monkeypatch.setattr(module, "FIRST_PAUSE_S", 1.0)
    for tries, longest in enumerate((1, 2, 4, 8, 16, 32, 60, 60), start=1):
        assert all(longest / 2 <= module.pause(tries) <= longest for _ in range(20))


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (completion("x", "length"), Answer("x", "length", "", 7, 3)),
        (completion(None), Answer("", "stop", "", 7, 3)),
        (completion(None, "length"), Answer("", "length", "", 7, 3)),
        (completion("x", usage=None), Answer("x")),
        (completion("x", usage={"prompt_tokens": "7", "completion_tokens": True}), Answer("x")),
        (completion("a\ud800b\u2028ü"), Answer("a?b\u2028ü", "stop", "", 7, 3)),
        (completion(None, "content_filter"), Answer(finish="api", detail="withheld by the endpoint's content filter")),
    ],
)
def test_what_an_answer_says(reply, expected):
    assert ask_one(reply) == expected


TOO_LONG = {
    "OpenAI": error(400, "too large", code="context_length_exceeded"),
    "llama.cpp": error(
        400,
        "request (4476 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type="exceed_context_size_error",
    ),
    "vLLM": Reply(
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (904 "
            "in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
        },
        400,
    ),
    "vLLM, prompt alone": Reply({"object": "error", "message": "max_tokens must be at least 1, got -186."}, 400),
    "text-generation-inference": Reply(
        {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5 and 4096"}, 422
    ),
}


@pytest.mark.parametrize("reply", TOO_LONG.values(), ids=TOO_LONG)
def test_a_prompt_that_is_too_long_is_an_answer(reply):
    answer = ask_one(reply)
    assert (answer.response, answer.finish) == ("", "prompt_too_long")
    assert len(answer.detail) > 5


@pytest.mark.parametrize(
    ("status", "mend"),
    [(401, "--key-env"), (402, "credit"), (404, "--model"), (405, "--base-url"), (307, "--base-url")],
)
def test_what_concerns_every_request_stops_the_run_at_any_time(status, mend):
    refusal = error(status)
    with pytest.raises(UserError, match=rf"HTTP {status}, 'no'; .*{mend}"):
        ask_one(refusal)
    with FakeServer(lambda body, before: refusal if before else completion("x = 1")) as server:
        with pytest.raises(UserError, match=f"HTTP {status}"):
            ask(server.base_url, times=2)
        assert list(server.counts.values()) == [2]


@pytest.mark.parametrize("status", [400, 403, 422])
def test_a_refusal_stops_the_run_before_the_first_answer_and_is_a_failure_after_it(status):
    refusal = error(status, "Unsupported parameter: 'seed'")
    with pytest.raises(UserError, match=f"HTTP {status}, .*Unsupported parameter: 'seed'.*answered nothing yet"):
        ask_one(refusal)
    with FakeServer(lambda body, before: refusal if before else completion("x = 1")) as server:
        said = f"HTTP {status}, \"Unsupported parameter: 'seed'\""
        assert ask(server.base_url, times=2) == [RIGHT, Answer(finish="api", detail=said)]


def test_a_server_that_is_not_there_stops_the_run():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(UserError, match=rf"cannot be reached \(.+\) after {RETRIES + 1} tries; start the server"):
        ask(f"http://127.0.0.1:{port}/v1")


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://host/v1", "http://", "http://host:x/v1", "http:///v1"])
def test_what_is_no_address(url):
    with pytest.raises(UserError, match="is no http"):
        Endpoint(url, None, 1, 0)


@pytest.mark.parametrize("url", ["http://me:secret@host/v1", "https://host/v1?key=secret", "https://host/v1#secret"])
def test_an_address_that_may_hold_a_secret_is_refused_without_repeating_it(url):
    with pytest.raises(UserError) as refused:
        Endpoint(url, None, 1, 0)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("proxy", ["socks5://host:1", "other://host", "http://host:x"])
def test_a_proxy_that_cannot_be_used(proxy, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(UserError, match="proxy or certificates are no good"):
        Endpoint("http://host", None, 1, 0)


def test_a_slash_at_the_end_is_the_same_address():
    one, other = (Endpoint(url, None, 1, 0) for url in ("http://host/v1", "http://host/v1/"))
    assert one.url == other.url == "http://host/v1/chat/completions"


def test_the_digest_tells_place_and_body_apart_but_not_the_key():
    digests = {Endpoint(url, None, 1, 0).digest(body) for url in ("http://a", "http://b") for body in (BODY, {})}
    assert len(digests) == 4
    assert Endpoint("http://a", KEY, 9, 9).digest(BODY) in digests


def test_the_key_is_sent_and_struck_out_wherever_it_comes_back():
    with FakeServer(lambda body, before: completion(f"You sent {KEY}!")) as server:
        assert ask(server.base_url, key=KEY)[0].response == "You sent [key]!"
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    with FakeServer() as server:
        ask(server.base_url)
        assert "Authorization" not in server.headers[0]
    escaped = "".join(f"\\u{ord(character):04x}" for character in KEY)
    for text in (KEY, "x" * (module.DETAIL_CHARACTERS - 5) + KEY, escaped):
        content = f'{{"error": {{"message": "Bearer {text} is wrong"}}}}'.encode()
        assert "sk-" not in ask_one(Reply(content, 500, {"Retry-After": "0"}), key=KEY).detail
        with pytest.raises(UserError) as refused:
            ask_one(Reply(content, 401), key=KEY)
        assert "sk-" not in str(refused.value)


def test_the_key_is_not_in_what_python_prints_of_the_client():
    client = Endpoint("http://a", KEY, 1, 0)
    assert KEY not in f"{client!r} {client.client!r} {client.client.headers!r}"
