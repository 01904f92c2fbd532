"""The software and hardware that a process computes with, as far as it can be seen without importing a library.

Every result names it by a digest, and the run's environment.json holds it whole: so that two results of unequal
digests are not taken for results of one machine. It is the same for all processes of a run. What differs between them
(threads), what costs seconds to find out (torch's build) and what needs the model (kernels) stands in environment.json
and accounting/kernels.json. No host, user or folder.
"""

import os
import platform
from importlib import metadata
from pathlib import Path

# The instruction sets that decide which kernels the numeric libraries take.
FEATURES = ("avx2", "fma", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "amx_tile", "amx_bf16", "neon", "sve")
SAME_FEATURE = {"asimd": "neon"}  # as arm64 kernels call it
ALLOCATORS = ("jemalloc", "tcmalloc", "mimalloc")
# What limits or chooses kernels, whatever the processor could do.
VARIABLES = (
    "ATEN_CPU_CAPABILITY",
    "DNNL_MAX_CPU_ISA",
    "MKL_CBWR",
    "MKL_ENABLE_INSTRUCTIONS",
    "ONEDNN_MAX_CPU_ISA",
    "OPENBLAS_CORETYPE",
)
CPUINFO = Path("/proc/cpuinfo")
MAPS = Path("/proc/self/maps")


def describe() -> dict:
    """All of it but for the versions of libraries, which every result has anyway."""
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": processor(),
        "compiler": platform.python_compiler(),
        "c_library": " ".join(platform.libc_ver()).strip() or None,
        "allocator": allocator(),
        "torch": torch_build(),
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
    }


def processor() -> dict:
    """Brand and instruction sets, of FEATURES."""
    if CPUINFO.exists():
        fields = cpuinfo_fields(CPUINFO.read_text(encoding="utf-8", errors="replace"))
        flags, brand = fields.get("flags", fields.get("Features", "")).split(), brand_of(fields)
    else:
        import cpuinfo  # takes a second: only where the system has no such file

        found = cpuinfo.get_cpu_info()
        flags, brand = found.get("flags", ()), found.get("brand_raw")
    return {"brand": brand, "features": sorted({SAME_FEATURE.get(flag, flag) for flag in flags} & set(FEATURES))}


def cpuinfo_fields(text: str) -> dict[str, str]:
    """Field -> value, of the first processor that has the field."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            fields.setdefault(name.strip(), value.strip())
    return fields


def brand_of(fields: dict[str, str]) -> str | None:
    """The name of the processor; arm64 kernels tell numbers instead of a name."""
    if "model name" in fields:
        return fields["model name"]
    if "CPU part" in fields:
        return f"implementer {fields.get('CPU implementer', '?')}, part {fields['CPU part']}"
    return None


def allocator() -> str:
    """The memory allocator of this process: a preloaded one, else the C library's."""
    text = MAPS.read_text(encoding="utf-8", errors="replace") if MAPS.exists() else ""
    libraries = {line.rpartition("/")[2] for line in text.splitlines() if "/" in line}
    preloaded = [name for name in ALLOCATORS if any(library.startswith(f"lib{name}") for library in libraries)]
    return preloaded[0] if preloaded else " ".join(platform.libc_ver()).strip() or "unknown"


def torch_build() -> str | None:
    """torch's version with the label of its build, `2.13.0+cpu`: other builds bring other kernels."""
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return None
