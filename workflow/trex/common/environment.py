"""What a run was computed with: the stack that its results name by digest, threads, torch's build. Informational.

Written once a run, to explain a difference between two machines; nothing reads it back, and it names neither host,
user nor folder. Which kernels the training takes is in accounting/kernels.json.
"""

import os
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import psutil

from trex.common import cli, files
from trex.common.provenance import digest_file, digest_json, provenance, stack

# Of threads and memory; what chooses kernels is part of the stack.
VARIABLES = ("KMP_AFFINITY", "KMP_BLOCKTIME", "MALLOC_ARENA_MAX", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def cores() -> dict:
    return {
        "physical": psutil.cpu_count(logical=False),
        "logical": psutil.cpu_count(),
        "usable": len(psutil.Process().cpu_affinity()) if hasattr(psutil.Process, "cpu_affinity") else None,
    }


def torch_build() -> dict | None:
    """Compiler, BLAS and oneDNN of torch's build, and the instruction sets it uses here; None without torch."""
    try:
        import torch
    except ImportError:
        return None
    build = torch.__config__.show()
    return {
        "version": torch.__version__,
        "build": [line.strip(" -") for line in build.splitlines() if "Build settings" not in line],
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "onednn": torch.backends.mkldnn.is_available(),
    }


def thread_pools() -> list[dict]:
    """The BLAS and OpenMP libraries that are loaded, as threadpoolctl sees them."""
    import threadpoolctl

    kept = ("user_api", "internal_api", "version", "threading_layer", "architecture")
    return [{key: pool[key] for key in kept if key in pool} for pool in threadpoolctl.threadpool_info()]


def requirements(path: str) -> dict:
    """The digest of the pinned list, and where what is installed departs from it."""
    departures = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        name, found, pinned = line.strip().partition("==")
        if not found or name.startswith("#"):
            continue
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            installed = None
        if installed is None or installed.partition("+")[0] != pinned:
            departures[name] = {"pinned": pinned, "installed": installed}
    return {"sha256": digest_file(path), "departures": departures}


def bubblewrap() -> str | None:
    """The version of bubblewrap, the strongest isolation that the sandbox can use; None without it."""
    if shutil.which("bwrap") is None:
        return None
    return subprocess.run(["bwrap", "--version"], capture_output=True, text=True, check=False).stdout.strip()


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--requirements", required=True, help="the pinned requirements.txt")
    parser.add_argument("--isolation", type=cli.json_argument, required=True, help="isolation.json of the sandbox")
    parser.add_argument(
        "--threads", type=cli.positive, required=True, help="threads of the numeric steps (config: threads)"
    )
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    torch, found = torch_build(), stack()
    environment = {
        "stack_digest": digest_json(found),
        "stack": found,
        "snakemake": metadata.version("snakemake"),
        "requirements": requirements(arguments.requirements),
        "kernel": f"{platform.system()} {platform.release()}",
        "cores": cores(),
        "memory_mb": psutil.virtual_memory().total // 2**20,
        "threads": arguments.threads,
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
        "torch": torch,
        "thread_pools": thread_pools(),
        "bubblewrap": bubblewrap(),
        "sandbox": {key: arguments.isolation[key] for key in ("level", "seccomp", "landlock", "refused")},
    }
    block = provenance("trex.common.environment", {}, {"requirements": arguments.requirements})
    files.write_json(arguments.out, environment, block)
    print(
        f"environment: {found['processor']['brand']}, {arguments.threads} threads, "
        f"torch {torch['version'] if torch else 'absent'}, "
        f"{len(environment['requirements']['departures'])} departures from {arguments.requirements}"
    )


if __name__ == "__main__":
    cli.run(main)
