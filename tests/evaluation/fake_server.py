"""An OpenAI-compatible endpoint that does as it is told, for tests."""

import contextlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Reply:
    """content: a JSON value, or bytes as they are. cut: the connection breaks half-way through the content."""

    content: object
    status: int = 200
    headers: dict = field(default_factory=dict)
    delay_s: float = 0.0
    cut: bool = False


def completion(content: str | None, finish: str = "stop", **more) -> Reply:
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    choice = {"message": {"role": "assistant", "content": content}, "finish_reason": finish}
    return Reply({"choices": [choice], "usage": usage} | more)


def error(status: int, message: str = "no", **more) -> Reply:
    return Reply({"error": {"message": message} | more}, status, {"Retry-After": "0"})


def echo(body: dict, _: int) -> Reply:
    """Repeats the last message, with the seed."""
    return completion(f"{body['messages'][-1]['content']} #{body['seed']}")


class FakeServer(ThreadingHTTPServer):
    """script: from a request's body and how often it came before to the reply. Counts what it is asked."""

    daemon_threads = True

    def __init__(self, script: Callable[[dict, int], Reply] = echo):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.lock = threading.Lock()
        self.counts = Counter()  # by the request's text
        self.headers: list[dict] = []
        self.open = self.most_open = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self) -> "FakeServer":
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self.shutdown()
        self.server_close()

    @contextlib.contextmanager
    def counted(self, text: str, headers: dict):
        with self.lock:
            before = self.counts[text]
            self.counts[text] += 1
            self.headers.append(headers)
            self.open += 1
            self.most_open = max(self.most_open, self.open)
        yield before
        with self.lock:
            self.open -= 1


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FakeServer

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path != "/v1/chat/completions":
            return self.send(error(404, "no such path"))
        with self.server.counted(text, dict(self.headers)) as before:
            reply = self.server.script(json.loads(text), before)
            time.sleep(reply.delay_s)
        self.send(reply)

    def send(self, reply: Reply) -> None:
        content = reply.content if isinstance(reply.content, bytes) else json.dumps(reply.content).encode()
        self.close_connection = reply.cut
        with contextlib.suppress(ConnectionError):  # who asked has gone
            self.send_response(reply.status)
            for name, value in ({"Content-Length": str(len(content))} | reply.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if reply.cut else content)

    def log_message(self, *_) -> None:
        pass
