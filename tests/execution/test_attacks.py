"""Programs that try to get out of the sandbox, use what they may not, or pass for what they are not.

Each is run twice: outside the sandbox, where it must succeed (or a test could not fail), bounded and in a folder that
is removed; and inside, at every usable level, where it must not. Where this machine or this user forbids it outside,
that half is skipped with the reason.
"""

import contextlib
import ctypes
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from trex.execution import kernel, leftovers, sandbox
from trex.execution.sandbox import Sandbox
from trex.problems.ir import Model
from trex.problems.solve import solve

ROOT = os.geteuid() == 0
NOBODY = 65534
PR_SET_KEEPCAPS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH = 8, 47, 2, 2

# What attacks are written in: `attempt` builds a model that is called what became of it, or, outside, says so.
BUILD = """
from ortools.math_opt.python import mathopt

def build(name):
    model = mathopt.Model()
    model.maximize(model.add_binary_variable(name=name))
    globals()["model"] = model
"""
SAY = """
def build(name):
    print(name, flush=True)
"""
ATTEMPT = """
import ctypes, os, resource, signal, socket, sys, time

libc = ctypes.CDLL(None, use_errno=True)
# fork (clone on arm64), pivot_root, tkill, rt_sigqueueinfo, add_key
NUMBERS = {"x86_64": (57, 155, 200, 129, 248), "aarch64": (220, 41, 130, 138, 217)}
FORK, PIVOT_ROOT, TKILL, QUEUE_SIGNAL, ADD_KEY = NUMBERS[os.uname().machine]

def syscall(number, *arguments):
    return libc.syscall(*(ctypes.c_long(a) if isinstance(a, int) else a for a in (number, *arguments)))

def attempt(attack):
    try:
        escaped = attack()
    except (OSError, ImportError, LookupError, ValueError, RuntimeError):
        escaped = False
    build("escaped" if escaped else "contained")
"""


def setting(name: str) -> str:
    path = Path("/proc/sys/kernel", name)
    return path.read_text().strip() if path.exists() else ""


def resolves(name: str) -> bool:
    try:
        return bool(socket.getaddrinfo(name, 53))
    except OSError:
        return False


@dataclass(frozen=True)
class Attack:
    """code: after ATTEMPT, with the names of `Stage.names` for $NAME; also: statuses that mean contained too.

    trace: what `Stage.traces` tells after it succeeded; skipped: why it cannot be shown to succeed outside.
    """

    code: str
    also: tuple[str, ...] = ()
    trace: str = ""
    skipped: str = ""


def try_to(expression: str, **more) -> Attack:
    """An attack that succeeds when this is true."""
    return Attack(f"attempt(lambda: {expression})", **more)


def attack(body: str, **more) -> Attack:
    """An attack that succeeds when this body of a function returns something true."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return Attack(f"def attack():\n{lines}\nattempt(attack)", **more)


NEEDS_ROOT = "" if ROOT else "only root may"
NO_NAMES = "" if resolves("example.com") else "no name server answers this machine"
NO_CORE = "" if ROOT and setting("core_pattern") == "core" else "core dumps go elsewhere, or are not for this user"
NO_IO_URING = "" if setting("io_uring_disabled") == "0" else "the kernel has it turned off"

PROCESSES = {
    "fork_bomb": attack(
        """
for _ in range(200):
    if os.fork() == 0:
        time.sleep(20)
        os._exit(0)
return True
""",
        trace="processes",
    ),
    "daemon": attack(
        """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(20)
    os._exit(0)
return True
""",
        trace="processes",
    ),
    "fork_by_library": try_to("libc.fork() >= 0"),
    "fork_by_system_call": try_to("syscall(FORK, 17, 0, 0, 0, 0) >= 0"),
    "fork_by_clone3": try_to("syscall(435, (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17), 88) >= 0"),
    "execute": try_to("os.execv(sys.executable, [sys.executable, '-c', 'print(\"escaped\")'])"),
    "execute_from_memory": attack("""
file = os.memfd_create("program")
os.write(file, open("/bin/echo", "rb").read())
os.execve(file, ["echo", "escaped"], {})
"""),
    "spawn": try_to("os.posix_spawn(sys.executable, [sys.executable, '-c', 'pass'], {})"),
    "subprocess": try_to("__import__('subprocess').run([sys.executable, '-c', ''], check=True)"),
    "threads": attack(
        """
import threading
for _ in range(150):
    threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
return True
""",
        also=("memory",),
    ),
    "outlive_the_worker": try_to("libc.prctl(1, 0) == 0"),
}
MEMORY = {
    "memory": Attack("hoard = bytes(2 << 30)\nbuild('escaped')", also=("memory",)),
    "memory_in_steps": Attack("hoard = [bytearray(32 << 20) for _ in range(30)]\nbuild('escaped')", also=("memory",)),
    "memory_by_mapping": try_to("[__import__('mmap').mmap(-1, 64 << 20) for _ in range(30)]", also=("memory",)),
    "memory_file": try_to("os.write(os.memfd_create('hoard'), bytes(1 << 20))"),
    "memory_shared": try_to("open('/dev/shm/$MARK', 'w').write('x') and os.unlink('/dev/shm/$MARK') is None"),
    "memory_segment": attack("""
segment = libc.shmget(0, 4096, 0o1600)
return segment >= 0 and libc.shmctl(segment, 0, None) == 0
"""),
    "semaphores": attack("""
semaphores = libc.semget(0, 1, 0o1600)
return semaphores >= 0 and libc.semctl(semaphores, 0, 0) == 0
"""),
    "messages": attack("""
queue = libc.msgget(0, 0o1600)
return queue >= 0 and libc.msgctl(queue, 0, None) == 0
"""),
    "message_queue": attack("""
library = ctypes.CDLL("librt.so.1")
return library.mq_open(b"/$MARK", os.O_CREAT | os.O_RDWR, 0o600, None) >= 0 and library.mq_unlink(b"/$MARK") == 0
"""),
    "keys": try_to("syscall(ADD_KEY, b'user', b'$MARK', b'x', 1, -2) >= 0"),
    "raise_limits": try_to("resource.setrlimit(resource.RLIMIT_AS, (-1, -1)) is None"),
}
DISK = {
    "one_large_file": try_to(
        "[stream.write(bytes(1 << 20)) for stream in [open('large', 'wb')] for _ in range(64)]", also=("runtime",)
    ),
    "sparse_file": try_to(
        "os.truncate(os.open('large', os.O_CREAT | os.O_RDWR), 900 << 20) is None", also=("runtime",)
    ),
    "many_files": try_to("[open(f'large{i}', 'wb').write(bytes(4 << 20)) for i in range(16)]", also=("runtime",)),
    "many_empty_files": try_to("[open(f'empty{i}', 'w') and None for i in range(1500)]", also=("runtime",)),
    "deep_folders": try_to("[os.mkdir('d') or os.chdir('d') for _ in range(1100)]", also=("runtime",)),
    "core_dump": attack(
        """
resource.setrlimit(resource.RLIMIT_CORE, (64 << 20, 64 << 20))
print("escaped", flush=True)
os.abort()
""",
        trace="core",
        skipped=NO_CORE,
    ),
    "descriptors": try_to("[os.open('.', os.O_RDONLY) for _ in range(200)]"),
}
NETWORK = {
    "tcp": try_to("socket.create_connection(('127.0.0.1', $TCP), 1)", trace="tcp"),
    "tcp_server": try_to("socket.create_server(('127.0.0.1', 0))"),
    "udp": try_to("socket.socket(type=socket.SOCK_DGRAM).sendto(b'secret', ('127.0.0.1', $UDP))", trace="udp"),
    "name_server": try_to("socket.getaddrinfo('example.com', 53)", skipped=NO_NAMES),
    "interfaces": try_to("socket.if_nameindex()"),
    "unix_socket": try_to("socket.socket(socket.AF_UNIX).connect('$FOLDER/socket') is None", trace="unix"),
    "abstract_socket": try_to("socket.socket(socket.AF_UNIX).connect('\\0$MARK') is None", trace="abstract"),
    "datagram_from_a_pair": try_to(
        "socket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b'secret', '\\0$MARK.datagrams')", trace="datagrams"
    ),
}
OTHER_PROCESSES = {
    "kill_parent": try_to("os.kill(os.getppid(), signal.SIGKILL) is None"),
    "kill_group": try_to(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN) in (0, 1) and os.killpg(0, signal.SIGTERM) is None"
    ),
    "signal_everybody": try_to("os.kill(-1, 0) is None"),
    "kill_another": try_to("os.kill($VICTIM, signal.SIGKILL) is None", trace="victim"),
    "kill_its_thread": try_to("syscall(TKILL, $VICTIM, 9) == 0", trace="victim"),
    "queue_a_signal": try_to("syscall(QUEUE_SIGNAL, $VICTIM, 15, (ctypes.c_int * 32)(15, 0, -1)) == 0", trace="victim"),
    "kill_by_descriptor": try_to(
        "signal.pidfd_send_signal(os.pidfd_open($VICTIM), signal.SIGKILL) is None", trace="victim"
    ),
    "kill_by_pipe": attack(
        """
import fcntl
reader, writer = os.pipe()
fcntl.fcntl(reader, fcntl.F_SETOWN, $VICTIM)
fcntl.fcntl(reader, fcntl.F_SETSIG, signal.SIGKILL)
fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC)
return os.write(writer, b"x")
""",
        trace="victim",
    ),
    "trace_another": try_to("libc.ptrace(0x4206, $VICTIM, 0, 0) == 0"),
    "read_its_memory": attack("""
secret = ctypes.create_string_buffer(8)
part = (ctypes.c_size_t * 2)(ctypes.addressof(secret), 8)
address = int(open("/proc/$VICTIM/maps").read(20).split("-")[0], 16) if os.path.exists("/proc") else id(build)
there = (ctypes.c_size_t * 2)(address, 8)
return libc.process_vm_readv($VICTIM, part, 1, there, 1, 0) == 8
"""),
    "limit_another": try_to("resource.prlimit($VICTIM, resource.RLIMIT_NOFILE, (5, 5))", trace="limits"),
    "slow_another": try_to("os.setpriority(os.PRIO_PROCESS, $VICTIM, 19) is None", trace="priority"),
    "move_another": try_to("os.sched_setscheduler($VICTIM, os.SCHED_BATCH, os.sched_param(0)) is None", trace="policy"),
}
KERNEL = {
    "mount": try_to(
        "libc.mount(b'x', b'.', b'tmpfs', 0, b'') == 0 and libc.umount2(os.getcwd().encode(), 2) == 0",
        skipped=NEEDS_ROOT,
    ),
    "new_namespace": try_to("libc.unshare(0x10000000) == 0"),
    "change_root": try_to("os.chroot('.') is None", skipped=NEEDS_ROOT),
    "pivot_root": attack(
        """
done = [libc.unshare(0x20000), libc.mount(b"x", b"/", None, 0x44000, None), libc.mount(b"x", b".", b"tmpfs", 0, b"")]
os.chdir(os.getcwd())
os.mkdir("old")
return not any(done) and syscall(PIVOT_ROOT, b".", b"old") == 0
""",
        skipped=NEEDS_ROOT,
    ),
    "device": try_to("os.mknod('disk', 0o60600, os.makedev(254, 0)) is None", skipped=NEEDS_ROOT),
    "become_root": try_to("os.setuid(0) is None and os.chown('.', 1, 1) is None", skipped=NEEDS_ROOT),
    "io_uring": try_to("syscall(425, 4, (ctypes.c_uint32 * 30)()) >= 0", skipped=NO_IO_URING),
    "standard_input": try_to("sys.stdin.read()"),
    "environment": try_to("'TREX_TEST_SECRET' in os.environ"),
    "other_descriptors": attack("""
import stat
for descriptor in range(3, 64):
    try:
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            return True
    except OSError:
        pass
"""),
}
FILES = {
    "read_parent_environment": try_to("b'TREX_TEST_SECRET' in open(f'/proc/{os.getppid()}/environ', 'rb').read()"),
    "read_parent_command": try_to("open(f'/proc/{os.getppid()}/cmdline').read()"),
    "read_parent_memory": attack("""
start = int(open(f"/proc/{os.getppid()}/maps").read(20).split("-")[0], 16)
return os.pread(os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY), 8, start)
"""),
    "read_processes": try_to("os.listdir('/proc')"),
    "read_outside": try_to("open('$FOLDER/secret').read()"),
    "read_passwords": try_to("open('/etc/passwd').read()"),
    "read_home": try_to("len(os.listdir('$HOME')) == $ENTRIES"),
    "read_by_link": try_to("os.symlink('$FOLDER/secret', 'link') or open('link').read()"),
    "read_by_hard_link": try_to("os.link('$FOLDER/secret', 'link') or open('link').read()"),
    "write_outside": try_to("open('$FOLDER/left', 'w').write('x')", trace="folder"),
    "overwrite": try_to("open('$FOLDER/secret', 'w').write('x')", trace="folder"),
    "delete": try_to("os.unlink('$FOLDER/secret') is None", trace="folder"),
    "move_in": try_to("os.rename('$FOLDER/secret', 'stolen') is None", trace="folder"),
    "move_out": try_to("open('mine', 'w') and os.rename('mine', '$FOLDER/left') is None", trace="folder"),
    "write_package": try_to(f"open({sandbox.__file__!r}, 'a')", skipped=NEEDS_ROOT),
    "write_temporary": try_to("open('/tmp/$MARK', 'w').write('x') and os.unlink('/tmp/$MARK') is None"),
    "write_root": try_to("open('/$MARK', 'w').write('x') and os.unlink('/$MARK') is None", skipped=NEEDS_ROOT),
}

ATTACKS = PROCESSES | MEMORY | DISK | NETWORK | OTHER_PROCESSES | KERNEL | FILES

# A harness that runs programs in its own process, one fork each, and believes the last line of the output.
NAIVE = """
import json, os, sys
from trex.execution import dialects, program
from trex.problems import solve
from trex.problems.ir import Model
dialects.start_recording("mathopt")
for name, code in json.load(sys.stdin).items():
    if os.fork() == 0:
        break
    os.wait()
else:
    sys.exit()
os.dup2(os.open(name, os.O_CREAT | os.O_WRONLY), 1)
claim = program.outcome(code)
solution = solve.solve(Model.from_json(claim["model"]))
print(json.dumps({"objective": solution.objective}), flush=True)
"""
# What makes that harness believe in 42, after an honest model of optimum 25. FAKE is a line that claims it.
FAKE = "import os, sys\nFAKE = b'{\"objective\": 42}\\n'\n"
HOOK = """
def hook(frame, event, result):
    if event == "return" and type(result).__name__ == "Solution":
        object.__setattr__(result, "objective", 42.0)
    return hook
"""
SPOOFS = {
    "printed_answer": "os.write(1, FAKE)\nos._exit(0)",
    "every_descriptor": """
for descriptor in range(1, 64):
    try:
        os.write(descriptor, FAKE)
    except OSError:
        pass
os._exit(0)
""",
    "exit_hook": "import atexit\natexit.register(os.write, 1, FAKE)",
    "thread_shutdown": "import threading\nthreading._shutdown = lambda: os.write(1, FAKE)",
    "late_thread": """
import threading, time
threading.Thread(target=lambda: time.sleep(0.3) or os.write(1, FAKE)).start()
""",
    "exception_hook": """
from trex.problems.ir import Model
sys.excepthook = lambda *error: os.write(1, FAKE)
del Model.from_json
""",
    "destructor": """
class Last:
    def __del__(self, write=os.write, fake=FAKE):
        write(1, fake)
last = Last()
""",
    "output_replaced": "sys.stdout = type('Output', (), {'write': lambda *a: os.write(1, FAKE), 'flush': id})()",
    "patched_json": "import json\njson.dumps = lambda *a, **k: FAKE.decode().strip()",
    "patched_print": "import builtins\nbuiltins.print = lambda *a, **k: os.write(1, FAKE)",
    "patched_solver": """
from ortools.math_opt.python import result
result.SolveResult.objective_value = lambda self: 42.0
""",
    "patched_package": """
from trex.problems import solve
solve.solve = lambda model: solve.Solution("optimal", 42.0)
""",
    "module_replaced": """
from types import SimpleNamespace
import trex.problems.solve
answer = SimpleNamespace(solve=lambda model: SimpleNamespace(objective=42))
sys.modules["trex.problems.solve"] = trex.problems.solve = answer
sys._getframe(2).f_globals["solve"] = answer
""",
    "harness_rewritten": "sys._getframe(2).f_globals['json'].dumps = lambda value: FAKE.decode().strip()",
    "profiler": HOOK + "sys.setprofile(lambda *event: hook(*event) and None)",
    "tracer": HOOK + "sys.settrace(hook)",
}
# What a program leaves for the next one in the same process: (code, how the next one notices).
POISONS = {
    "module_poisoned": ("sys.modules['json'].stolen = 1", "hasattr(__import__('json'), 'stolen')"),
    "module_hidden": ("sys.modules['statistics'] = None", "sys.modules.get('statistics', 1) is None"),
    "class_patched": (
        "from ortools.math_opt.python import mathopt\nmathopt.Model.stolen = 1",
        "hasattr(__import__('ortools.math_opt.python.mathopt', fromlist=['Model']).Model, 'stolen')",
    ),
    "builtin_patched": ("__import__('builtins').stolen = 1", "hasattr(__import__('builtins'), 'stolen')"),
    "package_patched": (
        "import trex.problems.ir as ir\nir.stolen = 1",
        "hasattr(__import__('trex.problems.ir', fromlist=['Model']), 'stolen')",
    ),
    "environment_changed": ("os.environ['STOLEN'] = '1'", "'STOLEN' in os.environ"),
    "path_extended": ("sys.path.insert(0, '/stolen')", "'/stolen' in sys.path"),
    "folder_changed": ("os.mkdir('stolen')\nos.chdir('stolen')", "os.getcwd().endswith('stolen')"),
    "file_left": ("open('stolen', 'w').close()", "os.path.exists('stolen')"),
    "link_left": ("os.symlink('/', 'stolen')", "os.path.islink('stolen')"),
    "thread_left": (
        "import threading\nthreading.Thread(target=time.sleep, args=(9,), name='stolen', daemon=True).start()",
        "'stolen' in [thread.name for thread in __import__('threading').enumerate()]",
    ),
    "signal_handled": ("signal.signal(signal.SIGUSR1, signal.SIG_IGN)", "signal.getsignal(signal.SIGUSR1) == 1"),
    "recursion_allowed": ("sys.setrecursionlimit(12345)", "sys.getrecursionlimit() == 12345"),
    "random_seeded": (
        "import random\nrandom.seed(7)\nrandom.stolen = random.getstate()",
        "hasattr(__import__('random'), 'stolen')",
    ),
    "descriptor_left": ("os.dup2(0, 60)", "os.fstat(60)"),
    "limit_lowered": ("resource.setrlimit(resource.RLIMIT_NOFILE, (63, 63))", "resource.getrlimit(7)[0] == 63"),
}
# Objects in a program's globals that run its code in whoever touches them: (base, method, how a harness touches them).
TRAPS = {
    "equality": ("object", "__eq__", "trap == 1"),
    "hash": ("object", "__hash__", "{trap}"),
    "text": ("object", "__str__", "str(trap)"),
    "representation": ("float", "__repr__", "repr(trap)"),
    "truth": ("object", "__bool__", "not trap"),
    "length": ("list", "__len__", "len(trap)"),
    "items": ("dict", "items", "trap.items()"),
    "iteration": ("list", "__iter__", "[*trap]"),
    "number": ("float", "__float__", "float(trap)"),
    "comparison": ("str", "__eq__", "trap == 'mix'"),
    "class": ("object", "__class__", "isinstance(trap, dict)"),
    "attributes": ("object", "__getattribute__", "trap.name"),
}
# What ends the process that runs it.
CRASHES = {
    "null_pointer": "import ctypes\nctypes.string_at(0)",
    "abort": "import os\nos.abort()",
    "overwritten_object": "import ctypes\nctypes.memset(id(type), 255, 64)\nclass Broken(list): pass",
    "deep_recursion": """
import sys
sys.setrecursionlimit(10 ** 8)
class Deep:
    def __repr__(self):
        return repr(self)
repr(Deep())
""",
}
# What does not end by itself.
ENDLESS = {
    "loop": "while True:\n    pass",
    "sleep": "import time\ntime.sleep(60)",
    "ignored_signals": (
        "import signal\nfor number in (1, 2, 3, 6, 11, 14, 15, 24, 25):\n"
        "    signal.signal(number, signal.SIG_IGN)\nwhile True:\n    pass"
    ),
    "pattern": "import re\nre.match('(a*)*b', 'a' * 64)",
    "giant_integer": "x = 7 ** (7 ** 20)",
    "giant_text": "import sys\nsys.set_int_max_str_digits(0)\nx = str(1 << 40_000_000)",
    "threads": "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\ntime.sleep(60)",
    "stopped": "import os, signal\nwhile True:\n    os.kill(os.getpid(), signal.SIGSTOP)",
    "error_text": "class E(Exception):\n    def __str__(self):\n        while True:\n            pass\nraise E",
    "no_descriptor": "import os, time\nos.closerange(0, 64)\ntime.sleep(60)",
}
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


class Stage:
    """What attacks aim at, and what they did to it: a folder that everybody may write, servers, another process."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.mark = f"trex-test-{os.urandom(6).hex()}"
        self.work = folder / "work"
        self.work.mkdir()
        (folder / "secret").write_text("secret")
        stream, datagrams = socket.SOCK_STREAM, socket.SOCK_DGRAM
        self.servers = {
            "tcp": listening(socket.AF_INET, stream, ("127.0.0.1", 0)),
            "udp": listening(socket.AF_INET, datagrams, ("127.0.0.1", 0)),
            "unix": listening(socket.AF_UNIX, stream, str(folder / "socket")),
            "abstract": listening(socket.AF_UNIX, stream, f"\0{self.mark}"),
            "datagrams": listening(socket.AF_UNIX, datagrams, f"\0{self.mark}.datagrams"),
        }
        for path in (folder, folder / "secret", folder / "socket"):
            path.chmod(0o777)
        self.victim = psutil.Popen(["sleep", "60"])
        self.before = self.state_of_victim()

    def fill(self, code: str) -> str:
        """The code with this stage's names for $FOLDER, $TCP and the like."""
        names = {
            "FOLDER": self.folder,
            "HOME": Path.home(),
            "ENTRIES": len(os.listdir(Path.home())),
            "MARK": self.mark,
            "VICTIM": self.victim.pid,
            "TCP": self.servers["tcp"].getsockname()[1],
            "UDP": self.servers["udp"].getsockname()[1],
        }
        return re.sub(r"\$([A-Z]+)", lambda found: str(names[found[1]]), code)

    def state_of_victim(self) -> dict[str, object]:
        pid = self.victim.pid
        return {
            "limits": self.victim.rlimit(psutil.RLIMIT_NOFILE),
            "priority": self.victim.nice(),
            "policy": os.sched_getscheduler(pid),
        }

    def traces(self) -> set[str]:
        found = {name for name, server in self.servers.items() if select.select([server], [], [], 0)[0]}
        if self.victim.poll() is not None:
            found.add("victim")
        else:
            found |= {name for name, value in self.state_of_victim().items() if value != self.before[name]}
        secret = self.folder / "secret"
        kept = {path.name for path in self.folder.iterdir()} == {"secret", "socket", "work"}
        if not kept or secret.read_text() != "secret":
            found.add("folder")
        return found

    def traces_outside(self) -> set[str]:
        """Those too that only what runs outside can leave."""
        found = self.traces()
        if with_marker(self.mark):
            found.add("processes")
        if list(self.work.glob("core*")):
            found.add("core")
        return found

    def close(self) -> None:
        for server in self.servers.values():
            server.close()
        for process in [*with_marker(self.mark), self.victim]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self.victim.wait()
        leftovers.remove(str(self.work))


def listening(family: int, kind: int, address: object) -> socket.socket:
    server = socket.socket(family, kind)
    server.bind(address)
    if kind == socket.SOCK_STREAM:
        server.listen()
    return server


def with_marker(text: str) -> list[psutil.Process]:
    """Processes that have this text in their command line, whoever their parent is."""
    found = []
    for process in psutil.process_iter():
        try:
            if text in " ".join(process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def until(condition, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return bool(held)


def names(execution: sandbox.Execution) -> list[str]:
    return [variable.name for variable in execution.model.variables] if execution.model else []


@pytest.fixture
def stage():
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        built = Stage(Path(folder))
        yield built
        built.close()


@pytest.fixture(scope="session", autouse=True)
def secret_in_the_environment():
    os.environ["TREX_TEST_SECRET"] = "secret"
    yield
    del os.environ["TREX_TEST_SECRET"]


@pytest.fixture(scope="session")
def protects_files(usable) -> set[str]:
    """The levels at which a program sees no files of the user's."""
    return {level for level in usable if level != "limits" or sandbox.probe([level])["landlock"]}


def run_outside(stage: Stage, code: str, **options) -> subprocess.Popen:
    """Start the code as an attack in the stage's work folder; it has a shell for a parent, and inherits a socket."""
    command = [sys.executable, "-c", stage.fill(code), stage.mark]
    return subprocess.Popen(
        ["/bin/sh", "-c", '"$@"; exit $?', "sh", *command],
        cwd=stage.work,
        stdin=subprocess.PIPE,
        start_new_session=True,
        pass_fds=[stage.servers["tcp"].fileno()],
        **options,
    )


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_succeeds_outside(stage, name):
    attack = ATTACKS[name]
    if attack.skipped:
        pytest.skip(attack.skipped)
    output = stage.work / "output"
    with open(output, "wb") as stream:
        process = run_outside(stage, SAY + ATTEMPT + attack.code, stdout=stream, stderr=stream)
        process.communicate(b"text\n")
    assert until(lambda: b"escaped\n" in output.read_bytes()), output.read_text()
    if attack.trace:
        assert until(lambda: attack.trace in stage.traces_outside())


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_is_contained(box, descendants, protects_files, stage, name, model_code):
    if name in FILES and box.isolation not in protects_files:
        pytest.skip("no Landlock: at this level programs can read what the user can")
    attack = ATTACKS[name]
    before = descendants()
    execution = box.run(BUILD + ATTEMPT + stage.fill(attack.code), {})
    assert names(execution) == ["contained"] or execution.status in attack.also, execution
    assert stage.traces() == set()
    assert descendants() == before
    assert box.run(model_code, {}).status == "ok"


@pytest.fixture(scope="session")
def believed(tmp_path_factory, model_code) -> dict[str, object]:
    """What the naive harness believes of each spoof, and of the honest model."""
    folder = tmp_path_factory.mktemp("naive")
    programs = {name: model_code + FAKE + code for name, code in (SPOOFS | {"honest": ""}).items()}
    command = [sys.executable, "-c", NAIVE]
    subprocess.run(command, cwd=folder, input=json.dumps(programs), text=True, check=True, stderr=subprocess.DEVNULL)
    return {name: json.loads((folder / name).read_text().splitlines()[-1])["objective"] for name in programs}


@pytest.mark.parametrize("name", SPOOFS)
def test_spoof_is_believed_outside(believed, name):
    assert believed["honest"] == 25
    assert believed[name] == 42


@pytest.mark.parametrize("name", SPOOFS)
def test_spoof_is_not_believed(box, name, model_code):
    execution = box.run(model_code + FAKE + SPOOFS[name], {}, output=True)
    if execution.model is None:
        assert execution.status in ("protocol", "no_model", "runtime"), execution
    else:
        assert solve(execution.model).objective == 25
    assert solve(box.run(model_code, {}).model).objective == 25


def test_poison_works_in_one_process():
    code = SAY.replace("name, ", "name, end=' ', ") + ATTEMPT
    noticed = {}
    for name, (poison, sign) in POISONS.items():
        with tempfile.TemporaryDirectory() as folder:
            program = f"{code}attempt(lambda: {sign})\n{poison}\nattempt(lambda: {sign})\nos._exit(0)"
            ran = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True)
            noticed[name] = ran.stdout.split() or ran.stderr
    assert noticed == {name: ["contained", "escaped"] for name in POISONS}


@pytest.mark.parametrize("name", POISONS)
def test_poison_does_not_reach_the_next_program(box, name):
    poison, sign = POISONS[name]
    assert box.run(f"{ATTEMPT}\n{poison}", {}).status == "no_model"
    assert names(box.run(f"{BUILD}{ATTEMPT}\nattempt(lambda: {sign})", {})) == ["contained"]


def trap(name: str) -> str:
    base, method, _ = TRAPS[name]
    decorate = "    @property\n" if method == "__class__" else ""
    return (
        f"import os, time\nclass Trap({base}):\n{decorate}    def {method}(self, *arguments):\n"
        "        os.write(1, b'escaped')\n        time.sleep(60)\ntrap = Trap()\n"
    )


def test_traps_spring_outside():
    running = {
        name: subprocess.Popen([sys.executable, "-c", f"{trap(name)}{touch}"], stdout=subprocess.PIPE)
        for name, (_, _, touch) in TRAPS.items()
    }
    for name, process in running.items():
        with process:
            assert process.stdout.read(7) == b"escaped", name
            process.kill()


@pytest.mark.parametrize("name", TRAPS)
def test_traps_are_not_touched(box, name, model_code):
    execution = box.run(model_code + trap(name), {}, output=True)
    assert (execution.status, execution.printed) == ("ok", "")
    assert solve(execution.model).objective == 25


def test_crashes_end_the_process_that_runs_them():
    running = {name: subprocess.Popen([sys.executable, "-c", code], cwd="/") for name, code in CRASHES.items()}
    assert [name for name, process in running.items() if process.wait() >= 0] == []


@pytest.mark.parametrize("name", CRASHES)
def test_crashes_end_one_program(box, name, model_code):
    execution = box.run(model_code + CRASHES[name], {})
    assert execution.status in ("runtime", "memory")
    assert "by" in execution.detail
    assert box.run(model_code, {}).status == "ok"


def test_endless_programs_do_not_end(stage):
    started = {name: run_outside(stage, code, stdout=subprocess.DEVNULL) for name, code in ENDLESS.items()}
    time.sleep(1)
    for process in started.values():
        os.killpg(process.pid, signal.SIGTERM if process is started["ignored_signals"] else signal.SIGCONT)
    alive = {name for name, process in started.items() if process.poll() is None}
    for process in started.values():
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert alive == set(ENDLESS)


@pytest.mark.parametrize("name", ENDLESS)
def test_time_is_up(box, descendants, monkeypatch, name, model_code):
    monkeypatch.setattr(box, "wall_s", 0.3)
    before = descendants()
    assert box.run(ENDLESS[name], {}).status == "timeout"
    assert descendants() == before
    monkeypatch.undo()
    assert box.run(model_code, {}).status == "ok"


def test_the_cpu_limit_cannot_be_ignored(sandbox_settings):
    with Sandbox(sandbox_settings | {"cpu_s": 1, "wall_s": 300}) as started:
        execution = started.run(ENDLESS["ignored_signals"], {})
    assert (execution.status, execution.detail) == ("timeout", "CPU limit")


def test_exit_hooks_do_not_delay(box, sandbox_settings, model_code):
    started = time.monotonic()
    hooks = "import atexit, time, threading\natexit.register(time.sleep, 60)\n"
    hooks += "threading.Thread(target=time.sleep, args=(60,)).start()\n"
    assert box.run(hooks + model_code, {}).status == "ok"
    assert time.monotonic() - started < sandbox_settings["wall_s"]


def test_huge_output_is_taken_whole_outside_and_cut_inside(box, model_code):
    flood = "for _ in range(12):\n    print('x' * (1 << 20))\nprint('end')\n"
    assert len(subprocess.run([sys.executable, "-c", flood], capture_output=True).stdout) > 12 << 20
    assert box.run(model_code + flood, {}).printed == ""
    execution = box.run(model_code + flood, {}, output=True)
    assert execution.status == "ok"
    assert len(execution.printed) == sandbox.PRINTED_BYTES and execution.printed.endswith("end\n")
    assert "File too large" in box.run(flood * 2, {}, output=True).detail


def test_invalid_output_breaks_a_text_pipe_and_is_replaced_inside(box, model_code):
    code = "import os\nos.write(1, b'\\xff\\x00\\xfe 42')\n"
    with pytest.raises(UnicodeDecodeError):
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8")
    assert box.run(model_code + code, {}, output=True).printed == "\ufffd\0\ufffd 42"


def test_a_null_in_the_code_breaks_a_command_line_and_is_a_syntax_error_inside(box):
    with pytest.raises(ValueError, match="null"):
        subprocess.run([sys.executable, "-c", "x = 1\0"])
    assert box.run("x = 1\0", {}).status == "syntax"


@pytest.mark.parametrize(
    "claim",
    [
        b'{"status": "ok", "detail": "", "model": null, "dialect": ""}\n',
        b'{"status": "passed", "detail": "", "model": null, "dialect": ""}\n',
        b'{"status": "ok", "detail": "", "model": {"variables": []}, "dialect": ""}\n',
        b'{"status": "no_model", "detail": "", "model": null, "dialect": "", "objective_value": 42}\n',
        b'{"status": "no_model", "detail": 3, "model": null, "dialect": ""}\n',
        b'{"status": "no_model", "detail": "", "model": null, "dialect": ["mathopt"]}\n',
        b'{"status": "no_model", "detail": "", "model": null, "dialect": "=HYPERLINK(1)"}\n',
        b'{"status": "no_model", "detail": "", "model": null, "dialect": "\\u001b[31m"}\n',
        b'{"status": "no_model", "detail": "", "model": null}\n',
        b'{"status": "no_model"}\n',
        b'{"status": ["ok"], "detail": "", "model": null, "dialect": ""}\n',
        b"[" * 100000 + b"\n",
        b"NaN\n",
        b"1" * 100000 + b"\n",
        b'{"status": "\xff\xfe"}\n',
        b"not JSON\n",
        b"\n",
        b'{"status": "no_model", "detail": "", "model": null, "dialect": ""}',
    ],
    ids=range(18),
)
def test_forged_claims_are_protocol(box, claim):
    execution = box.run(f"{FIND_PIPE}\nfor pipe in pipes():\n    os.write(pipe, {claim!r})\nos._exit(0)", {})
    assert (execution.status, execution.model) == ("protocol", None)
    assert execution.detail.isprintable()


def test_a_second_result_is_protocol(box, model_code):
    claim = b'{"status": "no_model", "detail": "", "model": null, "dialect": ""}\n'
    execution = box.run(f"{FIND_PIPE}\nfor pipe in pipes():\n    os.write(pipe, {claim!r})\n{model_code}", {})
    assert execution.status == "protocol"


def test_a_flood_of_result_is_bounded(sandbox_settings, model_code):
    flood = f"{FIND_PIPE}\npipe = next(pipes())\nwhile True:\n    os.write(pipe, b'x' * 65536)"
    with Sandbox(sandbox_settings | {"cpu_s": 1, "wall_s": 1.0}) as started:
        assert started.run(flood, {}).status == "timeout"
        assert started.run(model_code, {}).status == "ok"


def test_a_forged_model_is_solved_like_any_other(box):
    """What a program writes itself is a model, and the harness solves that: no value can be claimed."""
    forged = Model()
    forged.set_objective("min", {}, constant=7)
    claim = json.dumps({"status": "ok", "detail": "", "dialect": "mathopt", "model": forged.to_json()}) + "\n"
    write = f"os.write(pipe, {claim.encode()!r})"
    execution = box.run(f"{FIND_PIPE}\nfor pipe in pipes():\n    {write}\nos._exit(0)", {})
    assert (execution.status, execution.dialect) == ("ok", "mathopt")
    assert solve(execution.model).objective == 7


def test_folders_without_permissions_are_removed(box, stage):
    left = "import os\nos.makedirs('a/b/c')\nopen('a/b/file', 'w').close()\nos.symlink('$FOLDER', 'a/link')\n"
    left += "os.chmod('a/b', 0)\nos.chmod('a', 0)\n"
    assert box.run(stage.fill(left), {}).status == "no_model"
    assert stage.traces() == set()
    assert names(box.run(f"{BUILD}{ATTEMPT}attempt(os.listdir)", {})) == ["contained"]


def test_nothing_is_left_after_closing(usable, sandbox_settings, descendants, stage):
    for level in usable:
        descriptors, processes = len(os.listdir("/proc/self/fd")), descendants()
        with Sandbox(sandbox_settings, [level]) as started:
            folder = started.worker.own_folder
            for attack in (PROCESSES["fork_bomb"], PROCESSES["daemon"], DISK["many_files"]):
                started.run(BUILD + ATTEMPT + attack.code, {})
        assert len(os.listdir("/proc/self/fd")) == descriptors
        assert descendants() == processes
        if level == "limits":
            assert not os.path.exists(folder)
            assert with_marker(folder) == []


def become_ordinary() -> None:
    """Another user than root; one who may read everything, since this Python can lie in root's home."""
    kernel.prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    header = kernel.CapabilityHeader(kernel.CAPABILITY_VERSION_3, 0)
    reading = (ctypes.c_uint32 * 6)(*[1 << CAP_DAC_READ_SEARCH] * 3)
    kernel.libc.capset(ctypes.byref(header), ctypes.byref(reading))
    kernel.libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH, 0, 0)


@pytest.mark.skipif(not ROOT, reason="this is that run")
def test_all_is_contained_for_an_ordinary_user_too(tmp_path):
    """Whose programs are the same user as the harness: it has no other to make them."""
    home = tmp_path / "home"
    for folder in (tmp_path, home):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--basetemp={home}/base", __file__]
    command += ["-k", "contained or folders or closing"]
    ran = subprocess.run(
        command, preexec_fn=become_ordinary, env=os.environ | {"HOME": str(home)}, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout[-4000:]
