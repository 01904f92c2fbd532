"""Sets in upstream's layout, hand-written and tiny, a web server for them, and the folder of real ones."""

import http.server
import json
import os
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SHARED = Path(os.environ.get("TREX_BENCHMARKS", Path(__file__).parents[3] / "shared" / "benchmarks"))
LP = "Maximize\n obj: 3 x + 2 y\nSubject To\n c: x + y <= 4\nBounds\n x <= 3\nEnd\n"
CODE = "import gurobipy as gp\nm = gp.Model()\n"


@pytest.fixture
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("no folder of public benchmarks; name it in TREX_BENCHMARKS")
    return SHARED


@pytest.fixture
def write_index():
    """A function that writes an index of any format: by its suffix, `.json` as a list unless `lines`."""

    def write(path: Path, records: list, lines: bool = False) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            pq.write_table(pa.Table.from_pylist(records), path)
        elif path.suffix == ".json" and not lines:
            path.write_text(json.dumps(records), encoding="utf-8")
        else:
            path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
        return path

    return write


@pytest.fixture
def record_of():
    """A function that makes a record of Bench4Opt."""

    def make(number: int, **changes) -> dict:
        values = {
            "id": f"BENCH4OPT_{number}",
            "data_path": f"lp_data/data_{number}.json",
            "problem": 'Pack the bag. The parameters are in a separated "data.json".',
            "reference_lp_path": f"lp_code/model_{number}.lp",
            "problem_type": None,
            "reference_code": CODE,
            "wp_type": "_concise" if number % 2 else "",
            "problem_class": None,
        }
        return values | changes

    return make


@pytest.fixture
def write_bench4opt(write_index):
    """A function that writes records and the files that they name below a folder's bench4opt or bench4opt_feasible."""

    def write(folder: Path, records: list[dict], name: str = "bench4opt") -> Path:
        index = write_index(folder / name / "test.jsonl", records)
        for record in records:
            for key, content in (("data_path", '{"weights": [1, 2]}'), ("reference_lp_path", LP)):
                (index.parent / record[key]).parent.mkdir(exist_ok=True)
                (index.parent / record[key]).write_text(content, encoding="utf-8")
        return folder

    return write


class Server:
    """What it answers stands in `answers`: path -> bytes, or a function of the handler."""

    def __init__(self):
        self.answers, self.asked = {}, []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                answer = outer.answers.get(self.path.partition("?")[0])
                if callable(answer):
                    answer(self)
                elif answer is None:
                    self.send_error(404)
                else:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)

            def log_message(self, *arguments):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})

    def offer(self, folder: Path, below: str = "") -> str:
        """Serve the files of a folder; returns the address below which they stand."""
        for path in folder.rglob("*"):
            if path.is_file():
                self.answers[f"{below}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
        return f"{self.address}{below}"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    serving = Server()
    serving.thread.start()
    yield serving
    serving.http.shutdown()
    serving.thread.join()
    serving.http.server_close()
