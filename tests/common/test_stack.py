import json
from pathlib import Path

import pytest

from trex.common import provenance, stack

X86 = (
    "processor\t: 0\nmodel name\t: A CPU\nflags\t\t: fpu avx2 fma sse2\n\n"
    "processor\t: 1\nmodel name\t: Another\nflags\t\t: amx_bf16\n"
)
ARM = "processor\t: 0\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (X86, {"brand": "A CPU", "features": ["avx2", "fma"]}),
        (ARM, {"brand": "implementer 0x41, part 0xd40", "features": ["neon", "sve"]}),
        ("", {"brand": None, "features": []}),
    ],
    ids=["x86", "arm", "empty"],
)
def test_the_processor_is_read_from_the_system(text, found, tmp_path, monkeypatch):
    (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(stack, "CPUINFO", tmp_path / "cpuinfo")
    assert stack.processor() == found


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ("/usr/lib/libjemalloc.so.2", "jemalloc"),
        ("/home/libjemalloc/libm.so.6", None),
        ("/x/libtcmalloc.so", "tcmalloc"),
    ],
)
def test_the_allocator_is_the_library_that_is_loaded_not_a_folder_of_its_name(library, found, tmp_path, monkeypatch):
    (tmp_path / "maps").write_text(f"7f00-7f01 r-xp 00000000 08:01 1   {library}\n7ffd-7ffe rw-p 0 00:00 0  [stack]\n")
    monkeypatch.setattr(stack, "MAPS", tmp_path / "maps")
    assert stack.allocator() == found or (found is None and stack.allocator() not in stack.ALLOCATORS)


def test_a_limit_on_instruction_sets_is_another_stack(monkeypatch):
    before = stack.describe()
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX2")
    assert stack.describe() != before and stack.describe() | {"variables": before["variables"]} == before


def test_every_result_names_the_stack_by_its_digest():
    block = provenance.provenance("trex.common.config", {}, {})
    assert block["stack"] == provenance.digest_json(provenance.stack())
    assert {"requirements", "versions", "compiler", "allocator", "processor"} <= provenance.stack().keys()
    assert provenance.stack()["requirements"] == provenance.digest_file(provenance.REQUIREMENTS)


def test_it_names_no_folder():
    text = json.dumps(provenance.stack())
    assert str(provenance.PACKAGE.parents[1]) not in text and f"{Path.home()}/" not in text
