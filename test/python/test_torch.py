"""fa_mlir.attention on torch tensors on the CPU; where torch is installed."""

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


def test_gradient(tensors):
    q, k, v = tensors
    q.requires_grad_()
    with pytest.raises(fa_mlir.Error, match="no gradient"):
        fa_mlir.attention(q, k, v)
    with torch.no_grad():
        fa_mlir.attention(q, k, v)


def test_kernel_results(tensors):
    text = """
    func.func @double(%x: tensor<?xbf16>) -> tensor<?xbf16> {
      %r = arith.addf %x, %x : tensor<?xbf16>
      return %r : tensor<?xbf16>
    }"""
    x = torch.randn(5).bfloat16()
    torch.testing.assert_close(fa_mlir.compile(text, "reference")(x), x + x)
