"""fa_mlir.attention on torch tensors on the CPU; where torch is installed."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import fa_mlir
from fa_mlir import _attention


@pytest.fixture(autouse=True)
def target(monkeypatch):
    monkeypatch.setattr(_attention, "HOST_TARGET", "reference")


@pytest.fixture
def tensors():
    torch.manual_seed(0)
    return torch.randn(2, 6, 17, 32), torch.randn(2, 2, 23, 32), torch.randn(2, 2, 23, 48)


def sdpa(q, k, v, **options):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True, **options)


def test_values(tensors):
    mask = torch.rand(17, 23) > 0.3
    torch.testing.assert_close(fa_mlir.attention(*tensors), sdpa(*tensors))
    torch.testing.assert_close(fa_mlir.attention(*tensors, causal="top_left"), sdpa(*tensors, is_causal=True))
    torch.testing.assert_close(fa_mlir.attention(*tensors, mask=mask), sdpa(*tensors, attn_mask=mask))
    torch.testing.assert_close(fa_mlir.attention(*tensors, scale=0.5), sdpa(*tensors, scale=0.5))


def test_types(tensors):
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        out, lse = fa_mlir.attention(*(x.to(dtype) for x in tensors), return_lse=True)
        assert out.dtype == dtype
        assert lse.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)


def test_same_shapes_elsewhere(tensors):
    q, k, v = tensors
    fa_mlir.attention(q, k, v)
    with pytest.raises(TypeError, match="meta"):
        fa_mlir.attention(q.to("meta"), k, v)


def test_mixed(tensors):
    q, k, v = tensors
    with pytest.raises(TypeError, match="torch"):
        fa_mlir.attention(q, k.numpy(), v)
    with pytest.raises(TypeError, match="torch"):
        fa_mlir.attention(q, k, v, mask=np.ones((17, 23), bool))


@pytest.mark.parametrize("grad", [False, True])
def test_other_libraries(tensors, grad):
    """What is no tensor of torch is refused alike with and without gradients."""
    query, key, value = tensors
    query.requires_grad_(grad)
    for name, array in {"key_lengths": [10, 23], "alibi_slopes": [1] * 6, "bias": np.zeros((17, 23), "f4"), "mask": [[True]]}.items():
        with pytest.raises(TypeError, match=f"query is a torch tensor, so all arrays must be, not {type(array).__name__}"):
            fa_mlir.attention(*tensors, **{name: array})
    with pytest.raises(TypeError, match="query is a torch tensor, so all arrays must be, not ndarray"):
        fa_mlir.attention(query, key.numpy(), value)


def test_negated(tensors):
    q, k, v = tensors
    fa_mlir.attention(q, k, v)
    negated = torch._neg_view(q)
    with pytest.raises(TypeError, match="resolve_neg"):
        fa_mlir.attention(negated, k, v)


def test_too_many_positions():
    q, k = torch.zeros(1, 1, 4, 8), torch.zeros(1, 1, 1, 8)
    k = k.expand(1, 1, (1 << 29) + 1, 8)
    with pytest.raises(ValueError, match="positions"):
        fa_mlir.attention(q, k, k)


def test_kernel_results(tensors):
    text = """
    func.func @double(%x: tensor<?xbf16>) -> tensor<?xbf16> {
      %r = arith.addf %x, %x : tensor<?xbf16>
      return %r : tensor<?xbf16>
    }"""
    x = torch.randn(5).bfloat16()
    torch.testing.assert_close(fa_mlir.compile(text, "reference")(x), x + x)


BENCH = pathlib.Path(__file__).parents[2] / "bench" / "gpu" / "bench.py"


def test_bench(tmp_path):
    """The benchmark checks and times what can run here."""
    cells = ["b1 h4/2 s16 d32 f32 causal", "b1 h2 s8/16 d32/16 f32 bottom_right", "b1 h2 s32 d32 f32 causal region", "b1 h2 s16 d32 f32 backward"]
    arguments = [word for cell in cells for word in ("--cell", cell)]
    command = [sys.executable, BENCH, "--device", "cpu", "--json", tmp_path / "out.json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "FA_TARGET": "auto"})
    assert done.returncode == 0 and "geometric mean" in done.stdout, done.stdout + done.stderr
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert [row["cell"] for row in rows] == cells
    assert {"fa", "standard"} <= set(rows[0]["tflops"]) and {"fa", "standard"} <= set(rows[1]["tflops"])
    assert {"fa", "fa region"} <= set(rows[2]["tflops"])


def test_bench_finds_errors(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH.parent))
    import bench
    import peers

    options = bench.parse_arguments(["--device", "cpu", "--check-only", "--cell", "b1 h2 s40 d32 f32", "--cell", "b1 h2 s8 d16 f32 backward"])
    wrong = {"fa": lambda problem: lambda: problem.query * 0.5, "slow": lambda problem: lambda: tuple(t * 0.5 for t in problem.inputs)}
    row = bench.run_cell(options.cells[0], {"fa": wrong["fa"]}, options, None, "fa", "cuDNN")
    assert row["absent"]["fa"].startswith("WRONG: out of batch 0, head 0: error")
    row = bench.run_cell(options.cells[1], {"fa": wrong["slow"]}, options, None, "fa", "cuDNN")
    assert "d_query: error" in row["absent"]["fa"] and "d_value: error" in row["absent"]["fa"]
    assert peers.OURS == "fa"
