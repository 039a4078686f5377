"""fa_mlir.attention on the host against float64 in numpy."""

import numpy as np
import pytest

import fa_mlir
from fa_mlir import _attention

pytestmark = pytest.mark.filterwarnings("error::UserWarning")


@pytest.fixture(autouse=True, params=["cpu", "reference"])
def target(request, monkeypatch):
    monkeypatch.setattr(_attention, "HOST_TARGET", request.param)
    _attention._plans.clear()


def reference(q, k, v, *, scale=None, keep=True, bias=0.0, softcap=None, sinks=None):
    """out and lse in float64; `keep` broadcasts to [B, H, Sq, Sk]."""
    group = q.shape[1] // k.shape[1]
    q, k, v = (x.astype(np.float64) for x in (q, np.repeat(k, group, 1), np.repeat(v, group, 1)))
    s = np.einsum("bhmd,bhnd->bhmn", q, k) * (q.shape[3] ** -0.5 if scale is None else scale)
    if softcap:
        s = softcap * np.tanh(s / softcap)
    s = np.where(keep, s + bias, -np.inf)
    if sinks is not None:
        s = np.concatenate([s, np.broadcast_to(sinks[:, None, None], s.shape[:3] + (1,))], 3)
        v = np.concatenate([v, np.zeros_like(v[:, :, :1])], 2)
    top = s.max(3, keepdims=True, initial=-np.inf)
    p = np.exp(s - np.where(np.isinf(top), 0, top))
    total = p.sum(3, keepdims=True)
    out = np.einsum("bhmn,bhne->bhme", p / np.where(total == 0, 1, total), v)
    with np.errstate(divide="ignore"):
        return out, (np.log(total) + np.where(np.isinf(top), 0, top))[..., 0]


def diagonal(queries, keys, bottom_right=True):
    """Distance of each key to the diagonal: positive is in the future."""
    offset = keys - queries if bottom_right else 0
    return np.arange(keys)[None, :] - np.arange(queries)[:, None] - offset


@pytest.fixture
def arrays():
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape).astype(np.float32) for shape in [(2, 6, 17, 32), (2, 2, 23, 32), (2, 2, 23, 48)]]


def check(result, expected, tolerance=2e-6):
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance)


def test_default(arrays):
    out, lse = fa_mlir.attention(*arrays, return_lse=True)
    expected = reference(*arrays)
    assert out.dtype == np.float32 and lse.dtype == np.float32
    check(out, expected[0])
    check(lse, expected[1])


@pytest.mark.parametrize("causal", [True, "bottom_right", "top_left"])
def test_causal(arrays, causal):
    keep = diagonal(17, 23, causal != "top_left") <= 0
    check(fa_mlir.attention(*arrays, causal=causal), reference(*arrays, keep=keep)[0])


def test_window(arrays):
    distance = diagonal(17, 23)
    out = fa_mlir.attention(*arrays, window=(4, 0))
    check(out, reference(*arrays, keep=(distance <= 0) & (distance >= -4))[0])


def test_layout(arrays):
    swapped = [x.transpose(0, 2, 1, 3) for x in arrays]
    expected = reference(*arrays)[0].transpose(0, 2, 1, 3)
    check(fa_mlir.attention(*swapped, layout="bshd"), expected)
    check(fa_mlir.attention(*map(np.ascontiguousarray, swapped), layout="bshd"), expected)


def test_strides(arrays):
    wide = [np.repeat(x, 2, 3)[..., ::2] for x in arrays]
    assert wide[0].strides[3] == 8
    check(fa_mlir.attention(*wide), reference(*arrays)[0])


def test_scale(arrays):
    # More values than get kernels of their own.
    for scale in np.linspace(-0.5, 0.5, 11):
        check(fa_mlir.attention(*arrays, scale=float(scale)), reference(*arrays, scale=float(np.float32(scale)))[0])


def test_bias_and_mask(arrays):
    rng = np.random.default_rng(1)
    mask = rng.random((17, 23)) < 0.7
    mask[3] = False
    for shape in [(2, 6, 17, 23), (1, 6, 1, 23), (17, 1), (23,), ()]:
        bias = rng.standard_normal(shape).astype(np.float32)
        out, lse = fa_mlir.attention(*arrays, bias=bias, mask=mask, return_lse=True)
        expected = reference(*arrays, bias=bias, keep=mask)
        check(out, expected[0])
        check(lse, expected[1])
        assert not out[:, :, 3].any() and np.isneginf(lse[:, :, 3]).all()


def test_alibi_sinks_softcap(arrays):
    slopes = np.array([0.5, 0.25, 0.1, 0.0, 1.0, 2.0], np.float32)
    sinks = np.linspace(-1, 1, 6).astype(np.float32)
    out, lse = fa_mlir.attention(*arrays, alibi_slopes=slopes, sinks=sinks, softcap=3.0, return_lse=True)
    bias = -slopes[:, None, None] * np.abs(diagonal(17, 23))
    expected = reference(*arrays, bias=bias, sinks=sinks, softcap=3.0)
    check(out, expected[0])
    check(lse, expected[1])


def test_lengths(arrays):
    queries, keys = np.array([17, 3], np.int32), np.array([5, 0], np.int32)
    keep = (np.arange(17)[:, None] < queries[:, None, None, None]) & (np.arange(23) < keys[:, None, None, None])
    q, k, v = arrays
    v[0, :, 5:] = np.nan
    out = fa_mlir.attention(q, k, v, query_lengths=queries, key_lengths=keys)
    check(out, reference(q, k, np.nan_to_num(v), keep=keep)[0])


def test_types(arrays):
    import ml_dtypes

    for dtype, tolerance in [(np.float64, 1e-12), (np.float16, 2e-3), (ml_dtypes.bfloat16, 2e-2)]:
        cast = [x.astype(dtype) for x in arrays]
        out = fa_mlir.attention(*cast)
        assert out.dtype == dtype
        check(out.astype(np.float64), reference(*cast)[0], tolerance)


def test_empty():
    q, k = np.zeros((1, 2, 3, 8), np.float32), np.zeros((1, 2, 0, 8), np.float32)
    out, lse = fa_mlir.attention(q, k, k, return_lse=True)
    assert not out.any() and np.isneginf(lse).all()
    assert fa_mlir.attention(q[:, :, :0], k, k).shape == (1, 2, 0, 8)


@pytest.mark.parametrize(
    "options, error, message",
    [
        (dict(layout="sbhd"), ValueError, "layout"),
        (dict(causal="left"), ValueError, "causal"),
        (dict(window=3), TypeError, "pair"),
        (dict(window=(-1, 2)), ValueError, "negative"),
        (dict(softcap=0), ValueError, "greater than 0"),
        (dict(softcap=1e300), ValueError, "a normal number of f32"),
        (dict(scale=float("nan")), ValueError, "finite"),
        (dict(scale="x"), TypeError, "number"),
        (dict(bias=np.zeros((5, 5), np.float32)), ValueError, "broadcast"),
        (dict(mask=np.zeros((17, 23), np.float32)), TypeError, "i1"),
        (dict(sinks=np.zeros(5, np.float32)), ValueError, "shape"),
        (dict(key_lengths=np.zeros(2, np.int64)), TypeError, "i32"),
        (dict(key_lengths=np.zeros(3, np.int32)), ValueError, "shape"),
    ],
)
def test_bad_options(arrays, options, error, message):
    with pytest.raises(error, match=message):
        fa_mlir.attention(*arrays, **options)


def test_bad_arrays(arrays):
    q, k, v = arrays
    for call, error in [
        ((q, k, v[:, :, :5]), ValueError),
        ((q, k, v.astype(np.float64)), TypeError),
        ((q, k[:, :1], v), ValueError),
        ((q[0], k, v), ValueError),
        ((q[..., :5], k, v), ValueError),
        ((q[:, :5], k, v), ValueError),
        (("q", k, v), TypeError),
        ((q.astype(np.int32), k, v), TypeError),
    ]:
        with pytest.raises(error):
            fa_mlir.attention(*call)


@pytest.mark.parametrize("schedule", [None, "standard"])
@pytest.mark.parametrize("options", [dict(), dict(causal=True, softcap=20.0, scale=0.1)])
def test_compiles_for_gpu(monkeypatch, schedule, options):
    """The text of a call on a GPU, as far as this machine can follow it."""
    import ml_dtypes

    class Stop(Exception):
        pass

    def keep(spec, _device):
        specs.append(spec)
        raise Stop

    specs = []
    monkeypatch.setattr(_attention, "_get_kernel", keep)
    arrays = [np.zeros((1, 2, 8, 64), ml_dtypes.bfloat16)] * 3
    with pytest.raises(Stop):
        fa_mlir.attention(*arrays, return_lse=True, **options)
    text = _attention.build_text(specs[0])
    kernel = fa_mlir.compile(text, "sm_80", entry="attention", schedule=schedule)
    assert ".target sm_80" in kernel.ptx and kernel.cubin
