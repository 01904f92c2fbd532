"""The command against a fake server: which rows it writes, what it asks again, and what a kill costs."""

import asyncio
import functools
import hashlib
import itertools
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import tracemalloc

import pytest
from tests.evaluation.fake_server import FakeServer, Reply, completion, echo, error

from trex.benchmarks.item import write_suite
from trex.common import files
from trex.common.errors import UserError
from trex.common.provenance import digest_file
from trex.evaluation import ask, endpoint
from trex.evaluation.journal import Journal
from trex.evaluation.protocol import Protocol, beside
from trex.evaluation.responses import Responses

KEY = "sk-secret/+123"
N = 7  # items
PATIENCE = 120  # seconds for another process, on a machine that does much else


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(endpoint, "FIRST_PAUSE_S", 0.001)


@pytest.fixture
def suite(items, tmp_path):
    write_suite(tmp_path / "own.parquet", items, {})
    return tmp_path / "own.parquet"


@pytest.fixture
def run(suite, tmp_path, monkeypatch, capsys):
    """A function that runs the command in this process; it returns the rows and what was said."""

    def run(server_or_url, *more):
        url = getattr(server_or_url, "base_url", server_or_url)
        monkeypatch.setattr(sys, "argv", ["ask", *map(str, options(suite, url, tmp_path / "r.jsonl")), *map(str, more)])
        ask.main()
        return files.read_jsonl(tmp_path / "r.jsonl"), capsys.readouterr().out

    return run


def options(suite, url, out):
    return ["--suite", suite, "--base-url", url, "--model", "m", "--out", out]


def prompt_of(body):
    return body["messages"][-1]["content"]


def test_rows_follow_the_items_and_their_attempts(run, items, tmp_path):
    with FakeServer() as server:
        rows, said = run(server, "--samples", 2, "--seed", 5)
    assert [row["id"] for row in rows] == [item.item_id for item in items for _ in range(2)]
    expected = [f"{item.prompt} #{seed}" for item in items for seed in (5, 6)]
    assert [row["response"] for row in rows] == expected
    first = {"id": "own/0", "sha256": items[0].sha256, "response": "a #5", "finish": "stop", "detail": ""}
    assert rows[0] == first | {"n_prompt_tokens": 7, "n_tokens": 3}
    assert said == "responses: 7 items, 14 attempts (0 from the cache): 14 stop; 98 prompt and 42 answer tokens\n"
    assert len(Responses(tmp_path / "r.jsonl", items)) == 14


def test_what_is_sent_and_what_is_told_of_it(run, tmp_path):
    with FakeServer() as server:
        run(server, "--temperature", 0.5, "--top-p", 0.9, "--seed", 3, "--max-tokens", 50)
        sent = [json.loads(text) for text in server.counts]
    decoding = {"model": "m", "max_tokens": 50, "temperature": 0.5, "top_p": 0.9, "seed": 3}
    messages = [{"role": "system", "content": ask.SYSTEM}, {"role": "user", "content": "Mix two paints."}]
    assert {"messages": messages, **decoding} in sent
    system = hashlib.sha256(ask.SYSTEM.encode()).hexdigest()
    assert beside(tmp_path / "r.jsonl") == Protocol(**decoding, samples=1, shots=0, system=system)
    sidecar = files.read_json(tmp_path / "r.jsonl.meta.json")
    assert sidecar["provenance"]["seed"] == 3
    assert server.base_url not in json.dumps(sidecar)


@pytest.mark.parametrize(("text", "sent"), [("Be brief.\n", ["system", "user"]), (" \n", ["user"])])
def test_a_system_message_of_ones_own_or_none(run, tmp_path, text, sent):
    (tmp_path / "system.txt").write_text(text)
    with FakeServer() as server:
        run(server, "--system", tmp_path / "system.txt")
        messages = [json.loads(body)["messages"] for body in server.counts]
    assert all([message["role"] for message in turns] == sent for turns in messages)
    assert (beside(tmp_path / "r.jsonl").system is None) == (len(sent) == 1)
    assert messages[0][0]["content"] == "Be brief." or len(sent) == 1


def test_what_a_model_refuses_is_not_sent(run, tmp_path):
    with FakeServer() as server:
        run(server, "--temperature", "none", "--top-p", "none", "--max-tokens-name", "max_completion_tokens")
        sent = [set(json.loads(text)) for text in server.counts]
    assert sent == [{"model", "messages", "seed", "max_completion_tokens"}] * len(sent)
    asked = beside(tmp_path / "r.jsonl")
    assert (asked.temperature, asked.top_p, asked.max_tokens) == (None, None, 4096)


def test_examples_stand_before_the_problem(run, tmp_path):
    pool = tmp_path / "pool.jsonl"
    examples = [{"prompt": f"Cut {word} planks for the fence", "answer": f"x = '{word}'"} for word in ("oak", "pine")]
    pool.write_text("".join(json.dumps(example) + "\n" for example in examples))
    with FakeServer() as server:
        run(server, "--shots", 2, "--pool", pool, "--selection", "random")
        sent = [json.loads(text)["messages"] for text in server.counts]
    for messages in sent:
        assert [message["role"] for message in messages] == ["system"] + ["user", "assistant"] * 2 + ["user"]
        shown = {
            (one["content"], other["content"]) for one, other in zip(messages[1:5:2], messages[2:5:2], strict=True)
        }
        assert shown == {(example["prompt"], example["answer"]) for example in examples}
    protocol = beside(tmp_path / "r.jsonl")
    assert (protocol.shots, protocol.selection, protocol.pool) == (2, "random", digest_file(pool))


def test_a_finished_run_asks_nothing(run, tmp_path):
    with FakeServer() as server:
        run(server, "--samples", 2)
        before = (tmp_path / "r.jsonl").read_bytes()
        _, said = run(server, "--samples", 2)
        assert set(server.counts.values()) == {1}
        assert "14 attempts (14 from the cache)" in said
        assert (tmp_path / "r.jsonl").read_bytes() == before
        _, said = run(server, "--samples", 3)  # the first two attempts are known
        assert "21 attempts (14 from the cache)" in said
        assert set(server.counts.values()) == {1}
    assert run(server, "--samples", 2, "--concurrency", 1)[0] == files.read_jsonl(tmp_path / "r.jsonl")  # nobody there


def test_another_request_is_another_answer(run):
    with FakeServer() as server:
        for more in ([], ["--max-tokens", 9], ["--temperature", 1], ["--top-p", 0.5], ["--seed", 9], ["--model", "n"]):
            assert "(0 from the cache)" in run(server, *more)[1]


def test_items_of_one_wording_are_asked_once(make_item, suite, run):
    write_suite(suite, [make_item(item_id=f"own/{n}") for n in range(3)], {})
    with FakeServer() as server:
        rows, _ = run(server)
        assert list(server.counts.values()) == [1]
    assert len({row["response"] for row in rows}) == 1 and len(rows) == 3


def test_the_file_does_not_depend_on_the_order_of_the_answers(run, tmp_path):
    def at_random(body, before):
        time.sleep(random.uniform(0, 0.02))
        return echo(body, before)

    written = set()
    for concurrency in (1, 4, 50):
        with FakeServer(at_random) as server:
            run(server, "--samples", 2, "--cache", tmp_path / f"{concurrency}.jsonl", "--concurrency", concurrency)
        written.add((tmp_path / "r.jsonl").read_bytes())
    assert len(written) == 1


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_requests_at_a_time_than_allowed(run, concurrency):
    def slow(body, before):
        return Reply(echo(body, before).content, delay_s=0.02)

    with FakeServer(slow) as server:
        run(server, "--samples", 2, "--concurrency", concurrency)
        assert server.most_open == concurrency


def test_failures_are_kept_apart_and_asked_again_on_the_next_run(run):
    broken = True

    def script(body, before):
        if prompt_of(body) == "bc" and broken:
            return error(503)
        return completion("cut", "length") if prompt_of(body) == "a" else echo(body, before)

    with FakeServer(script) as server:
        rows, said = run(server, "--retries", 2)
        failed = {row["id"]: row for row in rows if row["finish"] == "api"}
        assert failed.keys() == {"own/4"}
        assert failed["own/4"]["detail"] == "HTTP 503, 'no' after 3 tries"
        assert (failed["own/4"]["response"], failed["own/4"]["n_tokens"]) == ("", None)
        assert "5 stop, 1 length, 1 api" in said and "run again" in said
        broken = False
        rows, said = run(server)
        assert "(6 from the cache): 6 stop, 1 length; " in said and "run again" not in said
        assert rows[4]["response"] == "bc #1"
        assert sorted(server.counts.values()) == [1] * (N - 1) + [4]


def test_an_endpoint_that_always_fails_gives_failures_alone(run):
    with FakeServer(lambda body, before: error(500)) as server:
        rows, said = run(server, "--retries", 0)
    assert {(row["finish"], row["detail"]) for row in rows} == {("api", "HTTP 500, 'no'")}
    assert "7 api; 0 prompt and 0 answer tokens" in said


def test_a_request_that_is_always_refused_does_not_hold_up_a_later_run(run):
    def script(body, before):
        return error(400, "too rude") if prompt_of(body) == "a" else echo(body, before)

    with FakeServer(script) as server:
        with pytest.raises(UserError, match="too rude"):
            run(server, "--concurrency", 1)
        server.script = echo
        run(server, "--seed", 5)
        server.script = script
        for _ in range(2):
            rows, said = run(server)
            assert rows[0]["finish"] == "api" and "6 stop, 1 api" in said


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_misconfigured_run_writes_nothing(run, status, tmp_path):
    with FakeServer(lambda body, before: error(status)) as server:
        with pytest.raises(UserError, match=f"HTTP {status}"):
            run(server, "--concurrency", 2)
        assert sum(server.counts.values()) <= 2
    assert not (tmp_path / "r.jsonl").exists()


def test_a_server_that_goes_away_stops_the_run_and_the_next_one_goes_on(run, tmp_path):
    numbers = itertools.count(1)

    def gone_after_four(body, before):
        if next(numbers) == 4:
            server.shutdown()
            server.server_close()
        return Reply(echo(body, before).content, headers={"Connection": "close"})

    with FakeServer(gone_after_four) as server, pytest.raises(UserError, match="cannot be reached"):
        run(server, "--concurrency", 1, "--retries", 1)
    with Journal(tmp_path / "r.jsonl.cache.jsonl") as journal:
        assert len(journal) == 4
    assert not (tmp_path / "r.jsonl").exists()


def test_nobody_there(run):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(UserError, match="cannot be reached"):
        run(url, "--retries", 1)


def test_the_key_stays_in_the_environment(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MY_KEY", KEY)

    def script(body, before):
        if prompt_of(body) == "bc":
            return error(400, f"Bearer {KEY} may not")
        return completion(f"Bearer {KEY}") if before else error(500, f"Bearer {KEY} is tired")

    with FakeServer(script) as server:
        rows, said = run(server, "--key-env", "MY_KEY", "--concurrency", 1)
        assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
        monkeypatch.setenv("MY_KEY", "another-key")
        server.script = lambda body, before: error(400)
        assert "(6 from the cache)" in run(server, "--key-env", "MY_KEY")[1]
    assert rows[4]["detail"] == "HTTP 400, 'Bearer [key] may not'" and rows[0]["response"] == "Bearer [key]"
    assert KEY not in said + capsys.readouterr().err
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 4
    assert not any(KEY.encode() in path.read_bytes() or b"sk-" in path.read_bytes() for path in written)


@pytest.mark.parametrize(("value", "said"), [("", "is not set"), ("two words", "holds no key"), ("é", "holds no key")])
def test_a_key_that_is_none(run, monkeypatch, value, said):
    monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(UserError, match=f"--key-env MY_KEY: that environment variable {said}"):
        run("http://host/v1", "--key-env", "MY_KEY")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--samples", 0], "samples is 0"),
        (["--temperature", -1], "temperature is -1"),
        (["--temperature", "nan"], "temperature is nan"),
        (["--top-p", 0], "top_p is 0"),
        (["--max-tokens", 0], "max_tokens is 0"),
        (["--concurrency", 0], "--concurrency is 0"),
        (["--retries", -1], "--retries is -1"),
        (["--timeout-s", 0], "--timeout-s is 0"),
        (["--timeout-s", "nan"], "--timeout-s is nan"),
        (["--model", " "], "--model is empty"),
        (["--shots", 1], "--shots and --pool belong together"),
        (["--pool", "p.jsonl"], "--shots and --pool belong together"),
        (["--base-url", "ftp://host"], "is no http"),
        (["--out", "."], "is a folder"),
        (["--cache", "one.jsonl", "--out", "one.jsonl"], "--cache and --out are both"),
        (["--shots", 1, "--pool", "no.jsonl"], r"no\.jsonl"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(run, wrong, said):
    with FakeServer() as server:
        with pytest.raises(UserError, match=said):
            run(server, *wrong)
        assert not server.counts


def test_another_run_on_the_same_cache_is_turned_away(run, tmp_path):
    with Journal(tmp_path / "r.jsonl.cache.jsonl"), FakeServer() as server:
        with pytest.raises(UserError, match="another process writes there"):
            run(server)
        assert not server.counts


@pytest.mark.parametrize(("ending", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_a_run_that_is_ended_goes_on_where_it_stopped(run, suite, tmp_path, ending, code):
    out, cache = tmp_path / "r.jsonl", tmp_path / "r.jsonl.cache.jsonl"
    numbers, gate = itertools.count(), threading.Event()

    def stalling(body, before):
        if next(numbers) >= 5:
            gate.wait(PATIENCE)
        return echo(body, before)

    with FakeServer(stalling) as server:
        command = [sys.executable, "-m", "trex.evaluation.ask", *options(suite, server.base_url, out), "--samples", "2"]
        # A shell's background job ignores SIGINT, and so would what it starts; here it is heard wherever tests run.
        heard = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        with subprocess.Popen(
            list(map(str, command)), stderr=subprocess.PIPE, env=os.environ, preexec_fn=heard
        ) as process:
            until(lambda: cache.exists() and cache.read_bytes().count(b"\n") == 5 and next(numbers) > 5)
            process.send_signal(ending)
            assert process.wait(PATIENCE) == code
            assert b"Traceback" not in process.stderr.read()
        assert not out.exists()
        gate.set()
        with Journal(cache) as journal:
            answered = set(journal.places)
        assert len(answered) == 5
        rows, said = run(server, "--samples", 2)
        assert "14 attempts (5 from the cache)" in said
        asked = {
            endpoint.Endpoint(server.base_url, None, 1, 0).digest(json.loads(text)): count
            for text, count in server.counts.items()
            if text  # a kill may cut a request off before its body
        }
        assert {asked[key] for key in answered} == {1}
        assert rows == run(server, "--samples", 2, "--cache", tmp_path / "fresh.jsonl")[0]


def until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_many_answers_are_not_held_in_memory(items, tmp_path):
    """100 answers of 1 MB."""
    text = "x" * 1_000_000

    class Instant(endpoint.Endpoint):
        async def ask(self, body):
            return endpoint.Answer(text + str(body["seed"]))

    protocol = Protocol(model="m", samples=100, temperature=0.0, top_p=1.0, seed=1, max_tokens=1, shots=0)
    bodies = ask.requests(items[:1], protocol, "max_tokens", None, "")
    asked = ask.Asked(bodies, Instant("http://host", None, 1, 0), 100)
    tracemalloc.start()
    with Journal(tmp_path / "j.jsonl") as journal:
        asyncio.run(asked.ask(journal, 4))
        assert sum(len(row["response"]) for row in asked.rows(items[:1], 100, journal)) > 100_000_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000
