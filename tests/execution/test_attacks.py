"""Programs that try to get out of the sandbox, use what they may not, or pass for what they are not.

A program that succeeds builds a model with a variable named `escaped`; one that is refused builds one named
`contained`, or ends in a status that its entry lists. All are bounded: they end also where they succeed, as
`test_attack_succeeds_outside` shows for those that do no harm.
"""

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pytest

from trex.execution import sandbox
from trex.execution.sandbox import Sandbox

BUILD = """
from ortools.math_opt.python import mathopt

def build(name):
    model = mathopt.Model()
    model.maximize(model.add_binary_variable(name=name))
    globals()["model"] = model

def attempt(attack):
    try:
        escaped = attack()
    except (OSError, ImportError):
        escaped = False
    build("escaped" if escaped else "contained")
"""
FIND_PIPE = """
import os, stat

def pipes():
    for descriptor in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                yield descriptor
        except OSError:
            pass
"""
RAISE_LIMITS = """
import resource

def attack():
    try:
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    except ValueError:
        return False
    return True

attempt(attack)
"""
ONE_LARGE_FILE = """
def attack():
    with open("large", "wb") as stream:
        for _ in range(256):
            stream.write(bytes(1 << 20))
    return True

attempt(attack)
"""
MANY_FILES = """
def attack():
    for number in range(64):
        with open(f"large{number}", "wb") as stream:
            stream.write(bytes(4 << 20))
    return True

attempt(attack)
"""
THREADS = """
import threading, time

def attack():
    try:
        for _ in range(200):
            threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
    except RuntimeError:
        return False
    return True

attempt(attack)
"""
DAEMON = """
import os, time

def attack():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3)
        os._exit(0)
    return True

attempt(attack)
"""
FORK_BOMB = """
import os, time

def attack():
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
    return True

attempt(attack)
"""
OTHER_DESCRIPTORS = """
import os, stat

def attack():
    for descriptor in range(3, 64):
        try:
            if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                return True
        except OSError:
            pass
    return False

attempt(attack)
"""

# name -> (code after BUILD, statuses that mean contained too)
ATTACKS = {
    "fork_bomb": (FORK_BOMB, ()),
    "daemon": (DAEMON, ()),
    "fork_by_library": ("import ctypes\nattempt(lambda: ctypes.CDLL(None).fork() >= 0)", ()),
    "execute": ("import os\nattempt(lambda: os.execv('/bin/true', ['true']))", ()),
    "subprocess": ("import subprocess\nattempt(lambda: subprocess.run(['/bin/true'], check=True))", ("runtime",)),
    "network": ("import socket\nattempt(lambda: socket.socket())", ()),
    "kill_parent": ("import os, signal\nattempt(lambda: os.kill(os.getppid(), signal.SIGKILL) is None)", ()),
    "kill_everybody": ("import os, signal\nattempt(lambda: os.kill(-1, signal.SIGKILL) is None)", ()),
    "kill_group": ("import os, signal\nattempt(lambda: os.killpg(0, signal.SIGTERM) is None)", ()),
    "trace": ("import ctypes, os\nattempt(lambda: ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) == 0)", ()),
    "mount": ("import ctypes\nattempt(lambda: ctypes.CDLL(None).mount(b'x', b'/', b'tmpfs', 0, b'') == 0)", ()),
    "new_namespace": ("import ctypes\nattempt(lambda: ctypes.CDLL(None).unshare(0x10000000) == 0)", ()),
    "become_root": ("import os\nattempt(lambda: os.setuid(0) is None and os.access('/root', os.W_OK))", ()),
    "raise_limits": (RAISE_LIMITS, ()),
    "memory": ("hoard = bytearray(2 << 30)\nbuild('escaped')", ("memory",)),
    "memory_in_steps": ("hoard = [bytearray(32 << 20) for _ in range(64)]\nbuild('escaped')", ("memory",)),
    "memory_file": ("import os\nattempt(lambda: os.write(os.memfd_create('hoard'), bytes(1 << 20)))", ()),
    "one_large_file": (ONE_LARGE_FILE, ("runtime",)),
    "threads": (THREADS, ("memory",)),
    "standard_input": ("import sys\nattempt(lambda: sys.stdin.read())", ()),
    "environment": ("import os\nattempt(lambda: 'TREX_TEST_SECRET' in os.environ)", ()),
    "other_descriptors": (OTHER_DESCRIPTORS, ()),
}
# Those that only a file system of its own contains. $FOLDER stands for a folder that everybody may write.
FILE_ATTACKS = {
    "many_files": (MANY_FILES, ()),
    "read_outside": ("attempt(lambda: open('$FOLDER/secret').read())", ()),
    "read_passwords": ("attempt(lambda: open('/etc/passwd').read())", ()),
    "read_processes": ("import os\nattempt(lambda: os.listdir('/proc'))", ()),
    "write_outside": ("attempt(lambda: open('$FOLDER/left', 'w').write('x'))", ()),
    "write_package": (f"attempt(lambda: open({sandbox.__file__!r}, 'a'))", ()),
    "write_root": ("attempt(lambda: open('/left', 'w').write('x'))", ()),
    "link_outside": ("import os\nos.symlink('$FOLDER/secret', 'link')\nattempt(lambda: open('link').read())", ()),
    "device": ("import os\nattempt(lambda: os.mknod('disk', 0o60600, os.makedev(254, 0)) is None)", ()),
}
HARMLESS_OUTSIDE = (
    "daemon",
    "fork_by_library",
    "subprocess",
    "network",
    "memory_file",
    "one_large_file",
    "threads",
    "standard_input",
    "environment",
    "read_outside",
    "read_passwords",
    "read_processes",
    "write_outside",
    "link_outside",
)
# Programs that must end by their time limit.
ENDLESS = {
    "loop": "while True:\n    pass",
    "sleep": "import time\ntime.sleep(60)",
    "ignored_signals": (
        "import signal\nfor number in (1, 2, 3, 6, 11, 14, 15, 24, 25):\n"
        "    signal.signal(number, signal.SIG_IGN)\nwhile True:\n    pass"
    ),
    "pattern": "import re\nre.match('(a*)*b', 'a' * 64)",
    "threads": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\ntime.sleep(60)",
}


@pytest.fixture
def folder():
    """A folder that everybody may read and write, also the user that programs are."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o777)
        (path / "secret").write_text("secret")
        yield path


@pytest.fixture(scope="session", autouse=True)
def secret_in_the_environment():
    os.environ["TREX_TEST_SECRET"] = "secret"
    yield
    del os.environ["TREX_TEST_SECRET"]


def names(execution: sandbox.Execution) -> list[str]:
    return [variable.name for variable in execution.model.variables] if execution.model else []


def with_marker(text: str) -> list[int]:
    """Processes that have this text in their command line, whoever their parent is."""
    found = []
    for process in psutil.process_iter():
        try:
            if text in " ".join(process.cmdline()):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_is_contained(box, descendants, model_code, name):
    code, statuses = ATTACKS[name]
    before = descendants()
    execution = box.run(BUILD + code, {})
    assert names(execution) == ["contained"] or execution.status in statuses, execution
    assert descendants() == before
    assert box.run(model_code, {}).status == "ok"


@pytest.mark.parametrize("name", FILE_ATTACKS)
def test_attack_on_files_is_contained(isolated_box, folder, name):
    code, statuses = FILE_ATTACKS[name]
    execution = isolated_box.run(BUILD + code.replace("$FOLDER", str(folder)), {})
    assert names(execution) == ["contained"] or execution.status in statuses, execution
    assert [path.name for path in folder.iterdir()] == ["secret"]


@pytest.mark.parametrize("name", HARMLESS_OUTSIDE)
def test_attack_succeeds_outside(folder, name):
    """Without the sandbox it works: so the tests above can fail."""
    code, _ = (ATTACKS | FILE_ATTACKS)[name]
    program = BUILD + code.replace("$FOLDER", str(folder)) + "\nprint(*(v.name for v in model.variables()))"
    work = folder / "work"
    work.mkdir()
    ran = subprocess.run([sys.executable, "-c", program], cwd=work, input="text", capture_output=True, text=True)
    assert "escaped" in ran.stdout, ran.stderr


@pytest.mark.parametrize("name", ENDLESS)
def test_time_is_up(box, descendants, model_code, monkeypatch, name):
    monkeypatch.setattr(box, "wall_s", 0.5)
    before = descendants()
    assert box.run(ENDLESS[name], {}).status == "timeout"
    assert descendants() == before
    monkeypatch.undo()
    assert box.run(model_code, {}).status == "ok"


def test_a_listening_server_is_not_reached(box):
    reached = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(1)

        def accept():
            try:
                server.accept()
                reached.set()
            except OSError:
                pass

        waiting = threading.Thread(target=accept)
        waiting.start()
        box.run(f"import socket\nsocket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 1)", {})
        waiting.join()
    assert not reached.is_set()


def test_exit_hooks_do_not_run(box, model_code, sandbox_settings):
    started = time.monotonic()
    hooks = "import atexit, time, threading\natexit.register(time.sleep, 60)\n"
    hooks += "threading.Thread(target=time.sleep, args=(60,)).start()\n"
    assert box.run(hooks + model_code, {}).status == "ok"
    assert time.monotonic() - started < sandbox_settings["wall_s"]


def test_huge_output_goes_nowhere(box, model_code):
    assert box.run(model_code + "for _ in range(100):\n    print('x' * (1 << 20))\n", {}).status == "ok"


@pytest.mark.parametrize(
    "claim",
    [
        b'{"status": "ok", "detail": "", "model": null}\n',
        b'{"status": "passed", "detail": "", "model": null}\n',
        b'{"status": "ok", "detail": "", "model": {"variables": []}}\n',
        b'{"status": "no_model", "detail": "", "model": null, "objective_value": 42}\n',
        b'{"status": "no_model", "detail": 3, "model": null}\n',
        b'{"status": "no_model"}\n',
        b'{"status": ["ok"], "detail": "", "model": null}\n',
        b"[" * 100000 + b"\n",
        b"NaN\n",
        b"1" * 100000 + b"\n",
        b'{"status": "\xff\xfe"}\n',
        b"not JSON\n",
        b"\n",
        b'{"status": "no_model", "detail": "", "model": null}',
    ],
    ids=range(14),
)
def test_forged_claims_are_protocol(box, claim):
    execution = box.run(f"{FIND_PIPE}\nfor pipe in pipes():\n    os.write(pipe, {claim!r})\nos._exit(0)", {})
    assert (execution.status, execution.model) == ("protocol", None)
    assert execution.detail.isprintable()


def test_a_second_result_is_protocol(box, model_code):
    claim = b'{"status": "no_model", "detail": "", "model": null}\n'
    execution = box.run(f"{FIND_PIPE}\nfor pipe in pipes():\n    os.write(pipe, {claim!r})\n{model_code}", {})
    assert execution.status == "protocol"


def test_a_flood_of_result_is_bounded(sandbox_settings, model_code):
    flood = f"{FIND_PIPE}\npipe = next(pipes())\nwhile True:\n    os.write(pipe, b'x' * 65536)"
    with Sandbox(sandbox_settings | {"cpu_s": 1, "wall_s": 1.0}) as started:
        assert started.run(flood, {}).status == "timeout"
        assert started.run(model_code, {}).status == "ok"


def test_patches_do_not_reach_the_next_program(box, model_code):
    patches = (
        "import json, builtins\nfrom ortools.math_opt.python import mathopt\n"
        "mathopt.Model.export_model = None\nmathopt.Model.__init__ = None\njson.dumps = None\n"
        "builtins.len = None\nopen('left', 'w').write('x')\n"
    )
    assert box.run(patches, {}).status in ("protocol", "no_model", "runtime")
    assert box.run(model_code + "import os\nassert os.listdir() == []\n", {}).status == "ok"


def test_links_left_behind_are_not_followed(box, folder, model_code):
    links = f"import os\nos.symlink({str(folder)!r}, 'link')\nos.mkdir('d')\nos.symlink({str(folder)!r}, 'd/link')"
    assert box.run(links, {}).status == "no_model"
    assert (folder / "secret").exists()
    assert box.run(model_code + "import os\nassert os.listdir() == []\n", {}).status == "ok"


def test_nothing_is_left_after_closing(usable, sandbox_settings, descendants):
    for level in usable:
        descriptors, processes = len(os.listdir("/proc/self/fd")), descendants()
        with Sandbox(sandbox_settings, [level]) as started:
            folder = started.worker.own_folder
            for code in (FORK_BOMB, DAEMON):
                started.run(BUILD + code, {})
        assert len(os.listdir("/proc/self/fd")) == descriptors
        assert descendants() == processes
        if level == "limits":
            assert not os.path.exists(folder)
            assert with_marker(folder) == []
