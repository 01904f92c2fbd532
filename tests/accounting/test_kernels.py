"""What the libraries say, read; and the step as a whole on a tiny model."""

import json
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import save_file

from trex.accounting import kernels

TOLD = """MKL_VERBOSE oneMKL 2024.0 Product build 20240605 for Intel(R) 64 architecture Intel(R) Architecture processors, Lnx
MKL_VERBOSE SGEMM(T,N,32,64,128,0x7f,0x55,128) 156.50us CNR:OFF Dyn:0 FastMM:1 TID:0  NThr:1
MKL_VERBOSE SGEMM(N,N,128,32,64,0x7f,0x55,128) 1.50ms CNR:OFF Dyn:0 FastMM:1 TID:0  NThr:1
a line of something else
onednn_verbose,v1,info,oneDNN v3.12.0 (commit 80afa71)
onednn_verbose,v1,info,cpu,runtime:OpenMP,nthr:1
onednn_verbose,v1,info,cpu,isa:Intel AVX-512 with Intel DL Boost and bfloat16 support
onednn_verbose,v1,primitive,exec,cpu,matmul,brg_matmul:avx512_core_bf16,undef,src:bf16::blocked:ab::f0 wei:bf16:a:blocked:ba::f0 dst:bf16::blocked:ab::f0,attr-scratchpad:user,,64x128:128x64,0.25
onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src:f32::blocked:ab::f0 dst:bf16::blocked:ab::f0,attr-scratchpad:user,,64x128,0.05
"""  # noqa: E501


def test_the_libraries_introduce_themselves():
    assert kernels.libraries(TOLD) == {
        "onednn_version": "v3.12.0",
        "onednn_isa": "Intel AVX-512 with Intel DL Boost and bfloat16 support",
        "onednn_runtime": "OpenMP",
        "mkl": "oneMKL 2024.0 Product build 20240605 for Intel(R) 64 architecture",
    }
    assert set(kernels.libraries("nothing\n").values()) == {None}


def test_calls_are_added_up_and_the_longest_comes_first():
    rows = kernels.ranked(kernels.calls(TOLD), 10.0)
    assert [(row["name"], row["calls"]) for row in rows] == [
        ("MKL SGEMM", 2),
        ("oneDNN matmul brg_matmul:avx512_core_bf16 bf16", 1),
        ("oneDNN reorder jit:uni f32/bf16", 1),
    ]
    assert rows[0]["milliseconds"] == pytest.approx(1.6565) and rows[0]["share"] == pytest.approx(0.16565)


def test_what_c_prints_is_caught_and_nothing_after_it(capfd):
    with kernels.printed() as text:
        subprocess.run(["echo", "from below"], check=True)
    print("after")
    assert text() == "from below\n" and capfd.readouterr().out == "after\n"


def test_the_step_names_operators_and_instruction_set(tmp_path, tiny):
    tokens = np.random.default_rng(0).integers(1, tiny.vocab_size, size=(4, 32), dtype=np.int32)
    position = np.tile(np.arange(32, dtype=np.int32), (4, 1))
    rows = {"tokens": tokens, "document": np.ones_like(tokens), "position": position, "loss": np.ones_like(tokens)}
    save_file(rows, tmp_path / "packed.safetensors")
    (tmp_path / "config.json").write_text(json.dumps({"model": tiny.to_dict()}))
    settings = {
        "batch_rows": 2,
        "micro_batch_rows": None,
        "weight_decay": 0.1,
        "clip": 1.0,
        "warmup_fraction": 0.1,
        "decay_fraction": 0.2,
        "final_lr_fraction": 0.1,
        "mtp_weight": 0.0,
        "mtp_decay_weight": 0.0,
        "indexer_weight": 1.0,
        "sequence_balance_weight": 0.0,
        "balance_speed": 0.01,
        "muon_fast_steps": 1,
        "muon_exact_steps": 1,
        "lr": 0.01,
        "adamw_lr": 0.01,
    }
    command = [sys.executable, "-m", kernels.STEP, "--model-config", tmp_path / "config.json", "--threads", "1"]
    command += ["--packed", tmp_path / "packed.safetensors", "--settings", json.dumps(settings), "--seed", "1"]
    done = subprocess.run([*command, "--out", tmp_path / "out.json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["threads"] == 1 and len(done.stdout.splitlines()) == 1
    assert 0 < len(found["operators"]) <= kernels.TOP
    assert any(row["name"] in ("aten::mm", "aten::addmm", "aten::bmm") for row in found["operators"])
    assert sum(row["share"] for row in found["operators"]) <= 1 + 1e-9
    assert found["libraries"].keys() == {"onednn_version", "onednn_isa", "onednn_runtime", "mkl"}
