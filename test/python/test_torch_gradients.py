"""Gradients of fa_mlir.attention on torch tensors on the CPU; where torch is installed."""

import pytest

torch = pytest.importorskip("torch")

from torch.utils.checkpoint import checkpoint

import fa_mlir
from fa_mlir import _attention


@pytest.fixture(autouse=True, params=["cpu"])
def target(request, monkeypatch):
    monkeypatch.setattr(_attention, "HOST_TARGET", request.param)


def tensors(dtype=torch.float64, layout="bhsd", seed=0):
    generator = torch.Generator().manual_seed(seed)

    def normal(heads, length, dim):
        shape = (2, heads, length, dim) if layout == "bhsd" else (2, length, heads, dim)
        return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()

    return normal(4, 5, 8), normal(2, 7, 8), normal(2, 7, 6)


def parameter(*shape, dtype=torch.float64):
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=dtype).requires_grad_()


@pytest.mark.parametrize(
    "options",
    [
        {},
        dict(causal=True),
        dict(causal="top_left", window=(3, 1), scale=-0.3),
        dict(softcap=2.0, return_lse=True),
        dict(layout="bshd", causal=True, return_lse=True),
    ],
)
def test_gradcheck(options):
    inputs = tensors(layout=options.get("layout", "bhsd"))
    assert torch.autograd.gradcheck(lambda q, k, v: fa_mlir.attention(q, k, v, **options), inputs)


@pytest.mark.parametrize("shape", [(4, 5, 7), (2, 1, 5, 7), (7,), (5, 1), (4, 1, 1), (1, 1, 1, 1)])
def test_gradcheck_bias(shape):
    inputs = (*tensors(), parameter(*shape))
    assert torch.autograd.gradcheck(lambda q, k, v, b: fa_mlir.attention(q, k, v, bias=b), inputs)


def test_gradcheck_sinks():
    inputs = (*tensors(), parameter(4))
    call = lambda q, k, v, s: fa_mlir.attention(q, k, v, sinks=s, causal="top_left", return_lse=True)  # noqa: E731
    assert torch.autograd.gradcheck(call, inputs)


def test_gradcheck_masks():
    options = dict(
        mask=torch.rand(5, 7, generator=torch.Generator().manual_seed(2)) < 0.6,
        alibi_slopes=torch.tensor([0.5, 0.25, 0.125, 0.0625], dtype=torch.float64),
        key_lengths=torch.tensor([7, 3], dtype=torch.int32),
        query_lengths=torch.tensor([5, 4], dtype=torch.int32),
    )
    assert torch.autograd.gradcheck(lambda q, k, v: fa_mlir.attention(q, k, v, **options), tensors())


def test_empty_rows():
    """Queries that see no key: no gradient, and no NaN."""
    q, k, v = tensors()
    out, lse = fa_mlir.attention(q, k, v, mask=torch.zeros(5, 7, dtype=torch.bool), return_lse=True)
    (out.sum() + lse.masked_fill(lse.isinf(), 0).sum()).backward()
    assert all(t.grad.eq(0).all() for t in (q, k, v))


def test_like_sdpa():
    for dtype in (torch.float32, torch.bfloat16):
        q, k, v = tensors(dtype)
        d_out = torch.randn(2, 4, 5, 6, generator=torch.Generator().manual_seed(3)).to(dtype)
        ours = torch.autograd.grad(fa_mlir.attention(q, k, v, causal="top_left"), (q, k, v), d_out)
        wide = [t.detach().double().requires_grad_() for t in (q, k, v)]
        out = torch.nn.functional.scaled_dot_product_attention(*wide, is_causal=True, enable_gqa=True)
        theirs = torch.autograd.grad(out, wide, d_out.double())
        for mine, other in zip(ours, theirs):
            assert mine.dtype == dtype
            torch.testing.assert_close(mine.double(), other, atol=40 * torch.finfo(dtype).eps, rtol=0)


def test_only_what_is_needed_is_kept():
    """query, key, value, out, lse: nothing of the size of the scores."""
    kept = []
    pack = lambda t: kept.append(tuple(t.shape)) or t  # noqa: E731
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        fa_mlir.attention(*tensors(), causal=True)
    assert sorted(kept) == sorted([(2, 4, 5, 8), (2, 2, 7, 8), (2, 2, 7, 6), (2, 4, 5, 6), (2, 4, 5)])


def test_some_inputs_need_no_gradient():
    q, k, v = tensors()
    out = fa_mlir.attention(q.detach(), k, v.detach())
    (gradient,) = torch.autograd.grad(out.sum(), k)
    (expected,) = torch.autograd.grad(fa_mlir.attention(q, k, v).sum(), k)
    torch.testing.assert_close(gradient, expected)
    assert not fa_mlir.attention(q.detach(), k.detach(), v.detach()).requires_grad
    with torch.no_grad():
        assert not fa_mlir.attention(q, k, v).requires_grad


def test_expanded_gradient():
    """What flows back may have strides of 0."""
    q, k, v = tensors()
    fa_mlir.attention(q, k, v).sum().backward()
    assert q.grad.isfinite().all() and v.grad.abs().sum() > 0


def test_checkpoint():
    q, k, v = tensors()
    block = lambda q, k, v: fa_mlir.attention(q * 2, k, v, causal=True)  # noqa: E731
    expected = torch.autograd.grad(block(q, k, v).square().sum(), (q, k, v))
    for reentrant in (False, True):
        gradients = torch.autograd.grad if not reentrant else None
        out = checkpoint(block, q, k, v, use_reentrant=reentrant).square().sum()
        if gradients:
            found = gradients(out, (q, k, v))
        else:
            out.backward()
            found = q.grad, k.grad, v.grad
        for one, other in zip(found, expected):
            torch.testing.assert_close(one, other)


def test_compiled():
    q, k, v = tensors()

    def model(q, k, v):
        out, lse = fa_mlir.attention(q * 2, k, v, causal=True, return_lse=True)
        return (out.square().sum() + lse.sum()) * 3

    expected = torch.autograd.grad(model(q, k, v), (q, k, v))
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    for one, other in zip(torch.autograd.grad(compiled(q, k, v), (q, k, v)), expected):
        torch.testing.assert_close(one, other)


def test_compiled_without_gradients():
    q, k, v = (t.detach() for t in tensors())
    compiled = torch.compile(lambda q, k, v: fa_mlir.attention(q, k, v, window=(2, 0)), fullgraph=True, backend="aot_eager", dynamic=True)
    for length in (7, 5, 3):
        short = k[:, :, :length], v[:, :, :length]
        torch.testing.assert_close(compiled(q, *short), fa_mlir.attention(q, *short, window=(2, 0)))


def test_fake_tensors():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        q, k, v = torch.empty(2, 5, 4, 8), torch.empty(2, 7, 2, 8), torch.empty(2, 7, 2, 6)
        out, lse = fa_mlir.attention(q, k, v, layout="bshd", return_lse=True)
    assert out.shape == (2, 5, 4, 6) and lse.shape == (2, 4, 5)


@pytest.mark.parametrize("how", ["argument", "torch"])
def test_deterministic(how):
    """The same bits in every run; the kernels are told so, and no others are taken."""
    q, k, v = tensors(torch.float32)
    bias = parameter(4, 1, 7, dtype=torch.float32)

    def run():
        out = fa_mlir.attention(q, k, v, bias=bias, causal=True, deterministic=how == "argument")
        return torch.autograd.grad(out.square().sum(), (q, k, v, bias))

    _attention._plans.clear()
    torch.use_deterministic_algorithms(how == "torch")
    try:
        first = run()
        assert all(torch.equal(a, b) for _ in range(5) for a, b in zip(first, run()))
    finally:
        torch.use_deterministic_algorithms(False)
    backward = [key for key in _attention._plans if key[0] == "backward"]
    assert len(backward) == 1 and True in backward[0]


@pytest.mark.parametrize("with_extras", [False, True])
def test_opcheck(with_extras):
    q, k, v = tensors()
    extras = (parameter(5, 7), None, None, parameter(4), None, None) if with_extras else (None,) * 6
    arguments = (q, k, v, *extras, None, "bottom_right", None, None, None, "bhsd", None)
    torch.library.opcheck(torch.ops.fa_mlir.attention.default, arguments)


def test_opcheck_backward():
    q, k, v = (t.detach() for t in tensors())
    bias, sinks = parameter(5, 7).detach(), parameter(4).detach()
    out, lse = fa_mlir.attention(q, k, v, bias=bias, sinks=sinks, return_lse=True)
    arguments = (
        torch.ones_like(out), torch.ones_like(lse), out, lse, q, k, v, bias, None, None, sinks, None, None, None, "bottom_right", None,
        None, None, "bhsd", None, True, True, True,
    )  # fmt: skip
    torch.library.opcheck(torch.ops.fa_mlir.attention_backward.default, arguments)


def test_second_derivatives_are_refused():
    q, k, v = tensors()
    (first,) = torch.autograd.grad(fa_mlir.attention(q, k, v).square().sum(), q, create_graph=True)
    with pytest.raises(NotImplementedError, match="no second derivatives"):
        first.sum().backward()


def test_forward_mode_is_refused():
    from torch.autograd import forward_ad

    q, k, v = (t.detach() for t in tensors())
    with forward_ad.dual_level():
        assert torch.equal(fa_mlir.attention(q, k, v), fa_mlir.attention(q, k, v))
        with pytest.raises(NotImplementedError, match="no forward-mode derivatives"):
            fa_mlir.attention(forward_ad.make_dual(q, torch.ones_like(q)), k, v)


def test_what_has_no_gradient():
    q, k, v = tensors()
    slopes = torch.ones(4, dtype=torch.float64, requires_grad=True)
    with pytest.raises(fa_mlir.Error, match="alibi_slopes has no gradient"):
        fa_mlir.attention(q, k, v, alibi_slopes=slopes)
