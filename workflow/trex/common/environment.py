"""What a run was computed with: versions, processor, threads, torch's build, allocator. Informational.

Written once a run, to explain a difference between two machines; nothing reads it back, and it names neither host,
user nor folder.
"""

import os
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import psutil

from trex.common import cli, files
from trex.common.provenance import digest_file, provenance

# The instruction sets that decide which kernels the numeric libraries take.
FEATURES = ("avx2", "fma", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "amx_tile", "amx_bf16", "neon", "sve")
ALLOCATORS = ("jemalloc", "tcmalloc", "mimalloc")
VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_CORETYPE", "ONEDNN_MAX_CPU_ISA", "MALLOC_ARENA_MAX")


def processor() -> dict:
    """Brand, instruction sets, cores and memory."""
    import cpuinfo  # takes a second: only here

    info = cpuinfo.get_cpu_info()
    return {
        "architecture": platform.machine(),
        "brand": info.get("brand_raw"),
        "features": sorted(set(FEATURES) & set(info.get("flags", ()))),
        "physical_cores": psutil.cpu_count(logical=False),
        "logical_cores": psutil.cpu_count(),
        "usable_cores": len(psutil.Process().cpu_affinity()) if hasattr(psutil.Process, "cpu_affinity") else None,
        "memory_mb": psutil.virtual_memory().total // 2**20,
    }


def torch_build() -> dict | None:
    """Version and build of torch, and the kernels that it and oneDNN choose here; None without torch."""
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


def allocator() -> str:
    """The memory allocator of this process: a preloaded one, else the C library's."""
    maps = Path("/proc/self/maps")
    loaded = maps.read_text(encoding="utf-8", errors="replace") if maps.exists() else ""
    preloaded = [name for name in ALLOCATORS if name in loaded]
    return preloaded[0] if preloaded else " ".join(platform.libc_ver()).strip() or "unknown"


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
    parser.add_argument("--threads", type=int, required=True, help="threads of the numeric steps (config: threads)")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    torch = torch_build()
    environment = {
        "snakemake": metadata.version("snakemake"),
        "requirements": requirements(arguments.requirements),
        "system": f"{platform.system()} {platform.release()}",
        "processor": processor(),
        "threads": arguments.threads,
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
        "torch": torch,
        "thread_pools": thread_pools(),
        "allocator": allocator(),
        "bubblewrap": bubblewrap(),
        "sandbox": {key: arguments.isolation[key] for key in ("level", "seccomp", "landlock", "refused")},
    }
    block = provenance("trex.common.environment", {}, {"requirements": arguments.requirements})
    files.write_json(arguments.out, environment, block)
    print(
        f"environment: {environment['processor']['brand']}, {arguments.threads} threads, "
        f"torch {torch['version'] if torch else 'absent'}, "
        f"{len(environment['requirements']['departures'])} departures from {arguments.requirements}"
    )


if __name__ == "__main__":
    cli.run(main)
