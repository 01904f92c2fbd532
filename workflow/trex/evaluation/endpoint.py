"""Chat completions of an OpenAI-compatible endpoint, one at a time, through the faults that pass.

Asked again, with a growing pause or the one that Retry-After names: HTTP 408, 409, 429 and 5xx, no answer in time, a
broken connection, and an answer that is none (no JSON, no `choices`). Whatever else is refused is not asked again.
A fault that concerns every request stops the step (UserError): nobody listens, a wrong key, model or path, no credit;
and, before the first answer, any refusal. Every other one becomes an answer with finish `api`.
"""

import asyncio
import contextlib
import datetime
import email.utils
import itertools
import json
import random
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

from trex.common.errors import UserError
from trex.common.provenance import digest_json
from trex.evaluation.responses import API, LENGTH, PROMPT_TOO_LONG, STOP

CONNECT_S = 30
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
DETAIL_CHARACTERS = 200
MOST_TOKENS = 10**9
PASSING = {408, 409, 429}  # and 5xx
REFUSALS = {400, 413, 422}  # which say so where the prompt is too long
CHECK_URL = "check --base-url: it is what stands before /chat/completions, mostly ends in /v1"
MENDS = {  # statuses that concern every request
    401: "name the variable that holds the right key by --key-env",
    402: "the account needs credit",
    404: f"check --model; {CHECK_URL}",
    405: CHECK_URL,
}
TOO_LONG = (  # how servers say it, in lower case
    "context_length_exceeded",  # OpenAI, llama-cpp-python, Groq
    "exceed_context_size_error",  # llama.cpp
    "context size",  # llama.cpp before it had that code
    "context length",  # vLLM ("maximum context length"), SGLang ("model's context length"), DeepSeek
    "context window",
    "max_tokens must be at least 1",  # vLLM, where the prompt alone fills the context
    "prompt is too long",
    "`inputs` tokens",  # text-generation-inference
)


@dataclass(frozen=True)
class Answer:
    """finish: one of trex.evaluation.responses.FINISHES. Token counts are the endpoint's, None where it gives none."""

    response: str = ""
    finish: str = STOP
    detail: str = ""
    n_prompt_tokens: int | None = None
    n_tokens: int | None = None


class Fault(Exception):
    """No answer. passing: asking again may help, after pause_s where that is known; mend: it concerns every request."""

    def __init__(self, said: str, passing: bool = False, pause_s: float | None = None, mend: str | None = None):
        super().__init__(said)
        self.passing, self.pause_s, self.mend = passing, pause_s, mend


class Endpoint:
    """Use as an asynchronous context manager; requests may overlap.

    key goes into the header of the requests and nowhere else: wherever the endpoint repeats it, it is struck out.
    """

    def __init__(self, base_url: str, key: str | None, timeout_s: float, retries: int):
        self.url = f"{checked_url(base_url)}/chat/completions"
        self.key = key
        self.timeout_s = timeout_s
        self.retries = retries
        self.has_answered = False  # so that what it refuses may be the one request, not all of them
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        limits = httpx.Limits(max_connections=None)
        timeout = httpx.Timeout(None, connect=min(CONNECT_S, timeout_s))  # `once` limits the whole
        try:
            self.client = httpx.AsyncClient(headers=headers, limits=limits, timeout=timeout)
        except (ImportError, OSError, ValueError, httpx.InvalidURL) as error:
            raise UserError(f"the environment's proxy or certificates are no good ({error}); mend them") from error

    async def __aenter__(self) -> "Endpoint":
        return self

    async def __aexit__(self, *_) -> None:
        await self.client.aclose()

    def digest(self, body: dict) -> str:
        """Of a request: it tells where and what is asked, not with which key."""
        return digest_json({"url": self.url, "body": body})

    async def ask(self, body: dict) -> Answer:
        """Raises UserError for a fault that concerns every request."""
        for tries in itertools.count(1):
            try:
                answer = await self.once(body)
                self.has_answered = True
                return answer
            except Fault as fault:
                if not fault.passing or tries > self.retries:
                    return self.given_up(fault, tries)
                await asyncio.sleep(pause(tries) if fault.pause_s is None else min(fault.pause_s, self.timeout_s))

    def given_up(self, fault: Fault, tries: int) -> Answer:
        said = f"{fault} after {tries} tries" if tries > 1 else str(fault)
        if fault.mend is not None:
            raise UserError(f"{self.url}: {said}; {fault.mend}; answers so far are kept")
        if not fault.passing and not self.has_answered:
            raise UserError(f"{self.url}: {said}; it has answered nothing yet: mend what it refuses")
        return Answer(finish=API, detail=said)

    async def once(self, body: dict) -> Answer:
        """Raises Fault."""
        try:
            async with asyncio.timeout(self.timeout_s):
                reply = await self.client.post(self.url, json=body)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            said = self.printable(str(error)) or "no connection in time"
            raise Fault(f"cannot be reached ({said})", True, mend=f"start the server, or {CHECK_URL}") from None
        except TimeoutError:
            raise Fault(f"no answer in {self.timeout_s:g} s", True) from None
        except httpx.RequestError as error:
            raise Fault(f"broken connection ({type(error).__name__})", True) from None
        return self.read(reply)

    def read(self, reply: httpx.Response) -> Answer:
        content = parsed(reply.content)
        if reply.is_success:
            return self.answer(content)
        words = self.printable(message_of(content))
        if reply.status_code in REFUSALS and any(mark in json.dumps(content).lower() for mark in TOO_LONG):
            return Answer(finish=PROMPT_TOO_LONG, detail=words)
        said = f"HTTP {reply.status_code}" + (f", {words!r}" if words else "")
        passing = reply.status_code in PASSING or reply.is_server_error
        mend = CHECK_URL if reply.is_redirect else MENDS.get(reply.status_code)
        raise Fault(said, passing, retry_after(reply), mend)

    def answer(self, content: object) -> Answer:
        try:
            choice = content["choices"][0]
            text, finish = choice["message"]["content"] or "", choice.get("finish_reason")
        except (TypeError, LookupError, AttributeError):
            raise Fault("an answer that is no chat completion", True) from None
        if not isinstance(text, str):
            raise Fault("an answer whose content is no text", True)
        if finish == "content_filter":
            return Answer(finish=API, detail="withheld by the endpoint's content filter")
        counts = [count_of(content.get("usage"), name) for name in ("prompt_tokens", "completion_tokens")]
        return Answer(self.clean(text), LENGTH if finish == "length" else STOP, "", *counts)

    def clean(self, text: str) -> str:
        """Without the key, and without halves of characters, which no file can hold."""
        text = text.encode(errors="replace").decode()
        return text if self.key is None else text.replace(self.key, "[key]")

    def printable(self, text: str) -> str:
        return " ".join(self.clean(text).split())[:DETAIL_CHARACTERS]


def checked_url(base_url: str) -> str:
    """Without a slash at the end. Raises UserError for what is no address."""
    if set(base_url) & set("@?#"):
        raise UserError("--base-url has a user, `?` or `#` in it; leave that out, a key belongs into a variable")
    try:
        parts = urlsplit(base_url)
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        httpx.URL(base_url)
    except (ValueError, httpx.InvalidURL):
        whole = False
    if not whole:
        raise UserError(f"--base-url {base_url!r} is no http(s) address; give one like http://localhost:8000/v1")
    return base_url.rstrip("/")


def pause(tries: int) -> float:
    """Seconds, twice as many each time; drawn, so that requests that failed together are not repeated together."""
    return min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (tries - 1)) * random.uniform(0.5, 1)


def retry_after(reply: httpx.Response) -> float | None:
    """Seconds, given as such or as a date."""
    text = reply.headers.get("retry-after", "")
    if text.isascii() and text.isdigit():
        return float(text)
    with contextlib.suppress(ValueError):
        date = email.utils.parsedate_to_datetime(text)
        now = datetime.datetime.now(date.tzinfo)
        return max(0.0, (date - now).total_seconds())
    return None


def parsed(content: bytes) -> object:
    """None for what is no JSON."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def message_of(content: object) -> str:
    """What an error says in words: {"error": {"message": ...}}, and how others than OpenAI put it."""
    while isinstance(content, dict):
        content = next((content[name] for name in ("error", "message", "detail") if name in content), None)
    return content if isinstance(content, str) else ""


def count_of(usage: object, name: str) -> int | None:
    count = usage.get(name) if isinstance(usage, dict) else None
    return count if type(count) is int and 0 <= count <= MOST_TOKENS else None
