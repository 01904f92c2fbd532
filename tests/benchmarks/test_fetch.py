"""Obtaining sets from folders, files, archives and a web server on this machine, with all that can go wrong there."""

import gzip
import io
import json
import stat
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from pathlib import Path

import pytest

from trex.benchmarks import fetch, origin, registry
from trex.common import cli
from trex.common.errors import UserError

RECORDS = [{"en_question": "How many pies?", "en_answer": 12.5}, {"en_question": "Which way?", "en_answer": "-3"}]
PLACE = "optibench/OptiBench.json"
OTHER = "0" * 64


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """A function that fetches into tmp_path/out: (exit code, what it said)."""

    def call(name: str, given: object, *more: str) -> tuple[int, str]:
        arguments = ["fetch", name, "--from", str(given), "--out", str(tmp_path / "out"), *more]
        monkeypatch.setattr(sys, "argv", arguments)
        try:
            cli.run(fetch.main)
            code = 0
        except SystemExit as stop:
            code = stop.code
        said = capsys.readouterr()
        return code, said.out + said.err

    return call


@pytest.fixture
def upstream(write_index, tmp_path) -> Path:
    write_index(tmp_path / "upstream" / PLACE, RECORDS)
    return tmp_path / "upstream"


@pytest.fixture
def paired(write_bench4opt, record_of, tmp_path) -> Path:
    """Both sets of Bench4Opt, with other data in each."""
    write_bench4opt(tmp_path / "upstream", [record_of(0), record_of(1), record_of(2)])
    write_bench4opt(tmp_path / "upstream", [record_of(0, optimal_value=11.0)], "bench4opt_feasible")
    return tmp_path / "upstream"


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return path


def tarred(path: Path, members: dict[str, bytes | tarfile.TarInfo]) -> Path:
    with tarfile.open(path, "w:gz") as packed:
        for name, content in members.items():
            if isinstance(content, bytes):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                packed.addfile(member, io.BytesIO(content))
            else:
                packed.addfile(content)
    return path


PACKERS = {"zip": zipped, "tar.gz": tarred}


def members_of(folder: Path, top: str = "repository-main/datasets") -> dict[str, bytes]:
    return {f"{top}/{name}": (folder / name).read_bytes() for name in files_in(folder)}


def assert_untouched(folder: Path) -> None:
    assert not folder.exists() or {name for name in files_in(folder) if ".part/" not in name} == set()


def assert_fetched(out: Path, name: str, upstream: Path) -> dict:
    """The set in `out` is upstream's, whole and alone; returns the record."""
    benchmark = registry.BENCHMARKS[name]
    record = json.loads((out / f"{name}.fetched.json").read_text(encoding="utf-8"))
    assert record["sha256"] == benchmark.digest(out) == benchmark.digest(upstream)
    assert files_in(out) == {f"{name}.fetched.json", *record["files"]}
    assert all((out / path).read_bytes() == (upstream / path).read_bytes() for path in record["files"])
    return record


@pytest.mark.parametrize("name", ["bench4opt", "bench4opt_feasible"])
@pytest.mark.parametrize("kind", ["folder", "own folder", "index", "file address", "zip", "tar.gz"])
def test_a_set_of_many_files_from_this_machine(run, paired, tmp_path, name, kind):
    index = registry.BENCHMARKS[name].index(paired)
    if kind in PACKERS:
        given = PACKERS[kind](tmp_path / f"all.{kind}", members_of(paired))
    else:
        given = {"folder": paired, "own folder": index.parent, "index": index, "file address": paired.as_uri()}[kind]
    code, said = run(name, given)
    assert code == 0, said
    record = assert_fetched(tmp_path / "out", name, paired)
    assert record["sha256"] in said and f"{len(record['files'])} files" in said
    assert record["source"] == str(given)


@pytest.mark.parametrize("kind", ["base", "index", "zip", "tar.gz"])
def test_a_set_of_many_files_from_a_server(run, paired, server, tmp_path, kind):
    address = server.offer(paired, "/some dir/sets".replace(" ", "%20"))
    if kind in PACKERS:
        server.answers[f"/all.{kind}"] = PACKERS[kind](tmp_path / "all", members_of(paired)).read_bytes()
    given = {"base": address, "index": f"{address}/bench4opt/test.jsonl"}.get(kind, f"{server.address}/all.{kind}")
    code, said = run("bench4opt", f"{given}?token=secret#part")
    assert code == 0, said
    record = assert_fetched(tmp_path / "out", "bench4opt", paired)
    assert record["source"] == given
    assert "secret" not in said + json.dumps(record)
    assert {path.partition("?")[2] for path in server.asked} == {"token=secret"}


def test_a_set_of_one_file_by_its_address_stands_in_upstreams_place(run, upstream, server, tmp_path):
    server.answers["/resolve/main/anything.json"] = (upstream / PLACE).read_bytes()
    code, said = run("optibench", f"{server.address}/resolve/main/anything.json?download=true")
    assert code == 0 and "2 records, 1 files" in said
    assert_fetched(tmp_path / "out", "optibench", upstream)


def test_several_sets_share_a_folder_and_a_second_fetch_agrees(run, paired, upstream, tmp_path):
    digests = {}
    for name in ("bench4opt", "bench4opt_feasible", "optibench", "bench4opt"):
        code, _ = run(name, paired, *(("--sha256", digests[name]) if name in digests else ()))
        assert code == 0
        digests[name] = registry.BENCHMARKS[name].digest(tmp_path / "out")
    assert len(set(digests.values())) == 3
    assert not [path for path in (tmp_path / "out").iterdir() if path.name.startswith(".")]


def test_malformed_records_are_told_but_the_set_is_kept(run, write_index, tmp_path):
    write_index(tmp_path / "OptiBench.json", [*RECORDS, {"en_question": "Why?", "en_answer": "because"}])
    code, said = run("optibench", tmp_path)
    assert code == 0
    assert "2 records, 1 malformed (row 2: en_answer is not a number: 'because')" in said


def test_another_digest_is_refused_and_leaves_nothing(run, upstream, tmp_path):
    code, said = run("optibench", upstream, "--sha256", OTHER)
    assert code == 2 and f"--sha256 asks for {OTHER}" in said
    assert list((tmp_path / "out").iterdir()) == []


def test_another_version_than_that_fetched_before_is_refused(run, upstream, write_index, tmp_path):
    assert run("optibench", upstream)[0] == 0
    before = files_in(tmp_path / "out")
    write_index(upstream / PLACE, RECORDS[:1])
    code, said = run("optibench", upstream)
    assert code == 2 and "that of the earlier fetch" in said
    assert files_in(tmp_path / "out") == before
    assert len(registry.load("optibench", tmp_path / "out")) == 2


def test_a_file_that_is_there_with_other_content_is_kept(run, paired, tmp_path):
    mine = tmp_path / "out/bench4opt/lp_data/data_1.json"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    code, said = run("bench4opt", paired)
    assert code == 2 and "data_1.json: is there with other content" in said
    assert files_in(tmp_path / "out") == {"bench4opt/lp_data/data_1.json"} and mine.read_text() == "mine"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, UserError("no room left")])
def test_an_interrupted_run_leaves_no_set_and_the_next_one_goes_on(run, paired, tmp_path, monkeypatch, stop):
    copied, copy = [], origin.Folder.copy

    def interrupted(self, name, target):
        if len(copied) == 4:
            raise stop
        copied.append(name)
        copy(self, name, target)

    monkeypatch.setattr(origin.Folder, "copy", interrupted)
    code, _ = run("bench4opt", paired)
    assert code == (130 if stop is KeyboardInterrupt else 2)
    assert_untouched(tmp_path / "out")
    monkeypatch.setattr(origin.Folder, "copy", lambda self, *rest: (copied.append(rest[0]), copy(self, *rest)))
    assert run("bench4opt", paired)[0] == 0
    assert_fetched(tmp_path / "out", "bench4opt", paired)
    index, *attached = copied
    assert sorted(attached) == sorted([index, *set(attached) - {index}]) and len(attached) == 7


def test_a_killed_run_leaves_no_set_and_the_next_one_goes_on(run, paired, server, tmp_path):
    address = server.offer(paired)
    last, killed = "/bench4opt/lp_code/model_2.lp", threading.Event()
    whole = server.answers[last]
    server.answers[last] = lambda handler: (answer(200, whole[:20], len(whole))(handler), killed.wait(10))
    command = [sys.executable, "-m", "trex.benchmarks.fetch", "bench4opt", "--from", address]
    running = subprocess.Popen([*command, "--out", str(tmp_path / "out")])
    while last not in server.asked:
        time.sleep(0.01)
    running.kill()
    running.wait()
    killed.set()
    assert_untouched(tmp_path / "out")
    server.answers[last] = whole
    server.asked.clear()
    assert run("bench4opt", address)[0] == 0
    assert server.asked == ["/bench4opt/test.jsonl", last]
    assert_fetched(tmp_path / "out", "bench4opt", paired)


def test_another_source_does_not_go_on_with_the_first(run, paired, upstream, tmp_path):
    part = tmp_path / "out/.bench4opt.part"
    (part / "set/bench4opt/lp_data").mkdir(parents=True)
    (part / "set/bench4opt/lp_data/data_0.json").write_text('{"stale": 1}')
    (part / "source").write_text("elsewhere")
    assert run("bench4opt", paired)[0] == 0
    assert_fetched(tmp_path / "out", "bench4opt", paired)


def answer(code: int, body: bytes = b"", length: int | None = None, **headers: str):
    def send(handler):
        handler.send_response(code)
        for name, value in {"Content-Length": str(len(body) if length is None else length), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)
        handler.close_connection = True

    return send


def test_a_body_that_breaks_off_is_noticed_and_fetched_again(run, paired, server, tmp_path):
    address = server.offer(paired)
    whole = server.answers["/bench4opt/lp_code/model_2.lp"]
    server.answers["/bench4opt/lp_code/model_2.lp"] = answer(200, whole[:20], len(whole))
    code, said = run("bench4opt", address)
    assert code == 2 and f"model_2.lp: broke off after 20 of {len(whole)} bytes; run again to go on" in said
    assert_untouched(tmp_path / "out")
    server.answers["/bench4opt/lp_code/model_2.lp"] = whole
    server.asked.clear()
    assert run("bench4opt", address)[0] == 0
    assert server.asked == ["/bench4opt/test.jsonl", "/bench4opt/lp_code/model_2.lp"]
    assert_fetched(tmp_path / "out", "bench4opt", paired)


@pytest.mark.parametrize("kind", PACKERS)
def test_a_broken_archive_is_not_used_again(run, paired, server, tmp_path, kind):
    whole = PACKERS[kind](tmp_path / "all", members_of(paired)).read_bytes()
    server.answers[f"/all.{kind}"] = whole[: len(whole) // 2]
    code, said = run("bench4opt", f"{server.address}/all.{kind}")
    assert code == 2 and "not a whole archive" in said
    assert_untouched(tmp_path / "out")
    server.answers[f"/all.{kind}"] = whole
    assert run("bench4opt", f"{server.address}/all.{kind}")[0] == 0
    assert_fetched(tmp_path / "out", "bench4opt", paired)


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        (None, "(404 Not Found)"),
        (answer(500), "the server answers 500"),
        (answer(401), "the server answers 401"),
        (answer(200, b"<html>Sign in</html>"), "cannot be read"),
        (answer(200, b"[]"), "not optibench, it needs records with en_question, en_answer"),
        (answer(200, b'[{"en_question": 1, "en_answer": "x"}]'), "no record can be read (row 0: "),
        (answer(200, b"", length=2**40), "more than 512 MiB"),
        (answer(302, Location="ftp://127.0.0.1/OptiBench.json"), "unknown url type: ftp"),
        (answer(302, Location="file:///etc/hostname"), "is not allowed"),
        (lambda handler: handler.wfile.write(b"nonsense\r\n\r\n"), "cannot be reached"),
    ],
)
def test_what_a_server_can_do_wrong(run, server, tmp_path, sent, named):
    server.answers["/OptiBench.json"] = sent
    code, said = run("optibench", f"{server.address}/OptiBench.json")
    assert code == 2 and named in said
    assert said.count("\n") == 1 and "Traceback" not in said
    assert_untouched(tmp_path / "out")


def test_a_file_that_the_index_names_is_not_there(run, paired, server, tmp_path):
    address = server.offer(paired)
    del server.answers["/bench4opt/lp_data/data_1.json"]
    code, said = run("bench4opt", address)
    assert code == 2
    assert "data_1.json (404 Not Found): no such file, but the set's index names it" in said
    assert_untouched(tmp_path / "out")


def test_an_index_cannot_make_files_elsewhere(run, write_bench4opt, write_index, record_of, tmp_path):
    write_bench4opt(tmp_path / "upstream", [record_of(0)])
    write_index(tmp_path / "upstream/bench4opt/test.jsonl", [record_of(0, data_path="../../../escaped.json")])
    (tmp_path / "escaped.json").write_text("before")
    code, said = run("bench4opt", tmp_path / "upstream")
    assert code == 2 and "no relative path below its folder" in said
    assert (tmp_path / "escaped.json").read_text() == "before"


def test_no_network_and_a_silent_server_are_clear_errors(run, server, monkeypatch):
    monkeypatch.setattr(origin, "TIMEOUT_S", 0.1)
    server.answers["/OptiBench.json"] = lambda handler: time.sleep(0.3)
    for address in ("http://127.0.0.1:9/OptiBench.json", "http://nowhere.invalid/OptiBench.json", server.address):
        code, said = run("optibench", address)
        assert code == 2 and ("cannot be reached" in said or "404" in said), said
    code, said = run("optibench", f"{server.address}/OptiBench.json")
    assert code == 2 and "timed out" in said


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("http://user:secret@127.0.0.1/OptiBench.json", "without user and password"),
        ("ftp://user:secret@127.0.0.1/OptiBench.json?key=secret", "ftp is not supported"),
        ("absent", "absent: no such file or folder"),
        ("", "no such file"),
    ],
)
def test_what_cannot_be_a_source(run, given, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, said = run("optibench", given)
    assert code == 2 and named in said
    assert "secret" not in said


def symlink(name: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = tarfile.SYMTYPE, "/etc/hostname"
    return member


def device(name: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type = tarfile.CHRTYPE
    return member


def zip_symlink(path: Path, members: dict) -> Path:
    zipped(path, members)
    with zipfile.ZipFile(path, "a") as packed:
        member = zipfile.ZipInfo("optibench/link")
        member.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(member, "/etc/hostname")
    return path


ATTACKS = {
    "absolute.zip": (zipped, {"/tmp/escaped": b"x"}),
    "above.zip": (zipped, {"optibench/../../escaped": b"x"}),
    "windows.zip": (zipped, {"..\\escaped": b"x", "c:escaped": b"x"}),
    "link.zip": (zip_symlink, {}),
    "absolute.tar.gz": (tarred, {"/tmp/escaped": b"x"}),
    "above.tar.gz": (tarred, {"../escaped": b"x"}),
    "link.tar.gz": (tarred, {"optibench/link": symlink("optibench/link")}),
    "device.tgz": (tarred, {"optibench/device": device("optibench/device")}),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_malicious_archive_is_refused_whole(run, upstream, tmp_path, attack):
    pack, members = ATTACKS[attack]
    archive = pack(tmp_path / attack, members_of(upstream, "top") | members)
    code, said = run("optibench", archive)
    assert code == 2 and "not unpacked" in said
    assert_untouched(tmp_path / "out")
    assert not list(tmp_path.rglob("*escaped*")) and not Path("/tmp/escaped").exists()


@pytest.mark.parametrize("kind", PACKERS)
def test_an_archive_that_swells_is_refused(run, upstream, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(origin, "LIMIT", 2**20)
    archive = PACKERS[kind](tmp_path / f"bomb.{kind}", members_of(upstream) | {"zeros": bytes(2**21)})
    assert archive.stat().st_size < 2**14
    code, said = run("optibench", archive)
    assert code == 2 and "more than 1 MiB" in said
    assert_untouched(tmp_path / "out")


def test_a_long_header_cannot_fill_the_memory(run, tmp_path, monkeypatch):
    monkeypatch.setattr(origin, "LIMIT", 2**20)
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 2**30
    with gzip.open(tmp_path / "bomb.tar.gz", "wb") as stream:
        stream.write(header.tobuf())
        for _ in range(32):
            stream.write(bytes(2**18))
    code, said = run("optibench", tmp_path / "bomb.tar.gz")
    assert code == 2 and "more than 1 MiB" in said


def test_an_archive_without_the_set_or_with_two_of_them(run, upstream, tmp_path):
    content = (upstream / PLACE).read_bytes()
    code, said = run("optibench", zipped(tmp_path / "deep.zip", {"a/b/OptiBench.json": content, "c": b""}))
    assert code == 2 and "holds no optibench/OptiBench.json or OptiBench.json" in said
    code, said = run("optibench", zipped(tmp_path / "two.zip", {f"{top}/{PLACE}": content for top in "ab"}))
    assert code == 2 and f"more than once (a/{PLACE}, b/{PLACE})" in said
    assert run("optibench", zipped(tmp_path / "one.zip", {"top/OptiBench.json": content}))[0] == 0


def test_the_command_says_what_it_wants(tmp_path):
    command = [sys.executable, "-m", "trex.benchmarks.fetch", "optibench", "--from", "x", "--out", str(tmp_path)]
    done = subprocess.run([*command, "--sha256", "12"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "not 64 hexadecimal digits" in done.stderr
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "error: x: no such file or folder\n")


def test_the_real_sets(shared, run, tmp_path):
    for name in ("nl4opt", "mamo_complex", "bench4opt_feasible"):
        code, said = run(name, shared)
        assert code == 0, said
        assert registry.BENCHMARKS[name].digest(tmp_path / "out") == registry.BENCHMARKS[name].digest(shared)
