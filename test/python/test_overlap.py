"""An array that a call writes must share no element with another argument; arrays that interleave may."""

import numpy as np
import pytest

import fa_mlir
from fa_mlir._arrays import View

COPY = """
func.func @copy(%from: memref<?x?xf32, strided<[?, ?]>>, %to: memref<?x?xf32, strided<[?, ?]>>) {
  memref.copy %from, %to : memref<?x?xf32, strided<[?, ?]>> to memref<?x?xf32, strided<[?, ?]>>
  return
}
"""

INCREMENT = """
func.func @increment(%x: memref<?xf32, strided<[?]>>) {
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    outs(%x : memref<?xf32, strided<[?]>>) {
  ^bb0(%a: f32):
    %b = arith.addf %a, %one : f32
    linalg.yield %b : f32
  }
  return
}
"""

MESSAGE = r"argument 1 \('arg1'\) shares memory with argument 0 \('arg0'\): the function writes it"


@pytest.fixture(scope="module")
def copy():
    return fa_mlir.compile(COPY, "cpu")


@pytest.mark.parametrize(
    "read, write",
    [
        (np.s_[:], np.s_[:]),
        (np.s_[:4], np.s_[3:7]),
        (np.s_[:, :5], np.s_[:, 4:9]),
        (np.s_[:6:2], np.s_[2::2]),
        (np.s_[:, ::-1], np.s_[:]),
        (np.s_[:4, :4], np.s_[3:7, 3:7]),
        (np.s_[:4, ::3], np.s_[4:0:-1, 3::3]),
    ],
)
def test_shared(copy, read, write):
    memory = np.arange(80, dtype=np.float32).reshape(8, 10)
    a, b = memory[read], memory[write]
    b = b[: a.shape[0], : a.shape[1]]
    a = a[: b.shape[0], : b.shape[1]]
    assert np.shares_memory(a, b)
    before = memory.copy()
    with pytest.raises(ValueError, match=MESSAGE):
        copy(a, b)
    assert np.array_equal(memory, before)


def test_random_views(copy):
    """As numpy's own solver of the same question says."""
    rng = np.random.default_rng(0)
    memory = np.zeros(200, np.float32)

    def draw():
        shape, strides = rng.integers(1, 5, 2), rng.integers(-9, 10, 2) * 4
        return np.lib.stride_tricks.as_strided(memory[90 + rng.integers(20) :], shape, strides)

    seen = set()
    for _ in range(600):
        a, b = draw(), draw()
        b = np.lib.stride_tricks.as_strided(b, a.shape, b.strides)
        shared = np.shares_memory(a, b)
        # Two elements of the target in one place are another error.
        try:
            copy(a, b)
            found = False
        except ValueError as error:
            assert isinstance(error, fa_mlir.ArgumentError)
            if "shares memory" not in str(error):
                continue
            found = True
        assert found == shared, (a.shape, a.strides, b.strides)
        seen.add((found, np.may_share_memory(a, b)))
    assert seen == {(True, True), (False, True), (False, False)}


@pytest.mark.parametrize(
    "read, write",
    [
        (np.s_[::2], np.s_[1::2]),
        (np.s_[:, :5], np.s_[:, 5:]),
        (np.s_[:, ::2], np.s_[:, 1::2]),
        (np.s_[:4, :4], np.s_[4:, :4]),
        (np.s_[::2, :5], np.s_[::2, 5:]),
        (np.s_[:0], np.s_[:0]),
    ],
)
def test_interleaved(copy, read, write):
    memory = np.arange(80, dtype=np.float32).reshape(8, 10)
    expected = memory[read].copy()
    copy(memory[read], memory[write])
    assert np.array_equal(memory[write], expected)


def test_one_argument_in_place():
    x = np.arange(5, dtype=np.float32)
    fa_mlir.compile(INCREMENT, "cpu")(x)
    assert x.tolist() == [1, 2, 3, 4, 5]


def test_read_twice():
    """What is only read may be one array."""
    x = np.random.default_rng(0).standard_normal((1, 1, 9, 8)).astype(np.float32)
    assert np.isfinite(fa_mlir.attention(x, x, x)).all()


ATTENTION = """
#q = affine_map<(b, h, g, m, n, d, e) -> (m, h, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, h, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, h, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, h, e)>
!t = memref<?x?x64xf16, strided<[?, ?, 1]>>
func.func @attention(%query: !t, %key: !t, %value: !t, %out: !t) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%query, %key, %value : !t, !t, !t) outs(%out : !t)
  return
}
"""


@pytest.mark.parametrize("target", ["cpu", "sm_80"])
def test_packed_projections(target):
    """q, k, v and out as slices of one array, side by side; then out at the place of q."""
    kernel = fa_mlir.compile(ATTENTION, target, ptxas="none")
    memory = np.zeros((20, 4, 3, 64), np.float16)
    device = -1 if target == "cpu" else 0

    def part(i):
        return View(memory.ctypes.data + i * 3 * 64 * 2, "f16", (20, 3, 64), (4 * 3 * 64, 64, 1), device, memory)

    kernel(part(0), part(1), part(2), part(3))
    for i, name in enumerate(("query", "key", "value")):
        with pytest.raises(fa_mlir.ArgumentError, match=rf"argument 3 \('out'\) shares memory with argument {i} \('{name}'\)"):
            kernel(part(0), part(1), part(2), part(i))


def test_reach():
    """Sizes and strides whose product does not fit."""
    kernel = fa_mlir.compile(COPY, "cpu")
    x = np.zeros((2, 2), np.float32)
    for stride in (1 << 62, -(1 << 63), (1 << 59)):
        bad = View(x.ctypes.data, "f32", (2, 3), (stride, 1), -1, x)
        with pytest.raises(ValueError, match=r"argument 0 \('arg0'\): .* more than 2\^61 bytes"):
            kernel(bad, bad)


def test_kinds_of_errors():
    """What the caller gave is a ValueError and an Error of ours; the rest is only that."""
    assert issubclass(fa_mlir.ArgumentError, ValueError) and issubclass(fa_mlir.ArgumentError, fa_mlir.Error)
    assert not issubclass(fa_mlir.Error, ValueError)


def test_failed_check_on_the_cpu():
    """Sizes that only the program itself compares."""
    x, offsets = np.zeros((4, 8), np.float32), np.array([0, 3, 2], np.int32)
    text = """
#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @packed(%q: memref<?x8xf32>, %k: memref<?x8xf32>, %v: memref<?x8xf32>, %s: memref<?xi32>, %o: memref<?x8xf32>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : memref<?x8xf32>, memref<?x8xf32>, memref<?x8xf32>)
    query_offsets(%s : memref<?xi32>) key_offsets(%s : memref<?xi32>) outs(%o : memref<?x8xf32>)
  return
}
"""
    kernel = fa_mlir.compile(text, "cpu")
    with pytest.raises(fa_mlir.ArgumentError, match="fa.attention: "):
        kernel(x, x, x, offsets, x.copy())
