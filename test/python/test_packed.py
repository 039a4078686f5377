"""Offsets of packed sequences on a GPU, on a stand-in for its driver: kernels clip them, and the host checks them where asked to."""

import numpy as np
import pytest

import fa_mlir
from fa_mlir._arrays import View

TEXT = """
#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @packed(%query: memref<?x64xf16>, %key: memref<?x64xf16>, %value: memref<?x64xf16>,
                  %query_offsets: memref<?xi32>, %key_offsets: memref<?xi32>, %out: memref<?x64xf16>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : memref<?x64xf16>, memref<?x64xf16>, memref<?x64xf16>)
    query_offsets(%query_offsets : memref<?xi32>) key_offsets(%key_offsets : memref<?xi32>)
    outs(%out : memref<?x64xf16>)
  return
}
"""

BAD = [
    ([0, 7, 21], [0, 30, 30], "query_offsets end past the rows of query"),
    ([0, 7, 2**31 - 1], [0, 30, 30], "query_offsets end past the rows of query"),
    ([0, 7, 20], [0, 30, 20], "key_offsets descend"),
    ([-1, 7, 20], [0, 30, 30], "query_offsets start below 0"),
    ([0, 7, 20], [-(2**31), 30, 30], "key_offsets start below 0"),
]


def on_gpu(array):
    strides = tuple(stride // array.itemsize for stride in array.strides)
    return View(array.ctypes.data, {"float16": "f16", "int32": "i32"}[array.dtype.name], array.shape, strides, 0, array)


def call(kernel, query_offsets, key_offsets):
    """On 20 rows and 30 keys."""
    arrays = [np.zeros((rows, 64), np.float16) for rows in (20, 30, 30, 20)]
    offsets = [np.array(list_, np.int32) for list_ in (query_offsets, key_offsets)]
    kernel(*map(on_gpu, (*arrays[:3], *offsets, arrays[3])))


@pytest.fixture
def log(tmp_path, monkeypatch):
    path = tmp_path / "log"
    path.write_text("")
    monkeypatch.setenv("FAKE_CUDA_LOG", str(path))
    return path


@pytest.fixture(scope="module")
def kernels():
    options = {"": {}, "checked": dict(check_offsets=True), "standard": dict(schedule="standard")}
    return {name: fa_mlir.compile(TEXT, "sm_80", ptxas="none", **more) for name, more in options.items()}


def launches(log):
    return [line.split()[1] for line in log.read_text().splitlines() if line.startswith("launch")]


def test_usual_call_does_not_wait(kernels, log):
    call(kernels[""], [0, 7, 20], [0, 30, 30])
    for query_offsets, key_offsets, _ in BAD:
        call(kernels[""], query_offsets, key_offsets)
    assert launches(log) == ["packed_kernel"] * (1 + len(BAD))
    assert "read" not in log.read_text()


def test_kernel_clips(kernels):
    """Every offset that is loaded is brought between 0 and the number of rows before anything else is made of it."""
    lines = kernels[""].ir("tile").splitlines()
    loads = [i for i, line in enumerate(lines) if "memref<?xi32>" in line and "memref.load" in line]
    assert len(loads) == 4
    for i in loads:
        cast, low, high = lines[i + 1 : i + 4]
        assert "arith.index_cast" in cast and "arith.maxsi" in low and "%c0 " in low and "arith.minsi" in high and "%dim" in high
        name = cast.split()[0]
        assert sum(f"{name} " in line or f"{name}," in line for line in lines) == 2


@pytest.mark.parametrize("mode", ["checked", "standard"])
@pytest.mark.parametrize("query_offsets, key_offsets, message", BAD)
def test_checked(kernels, log, mode, query_offsets, key_offsets, message):
    with pytest.raises(fa_mlir.ArgumentError, match=f"fa.attention: {message}"):
        call(kernels[mode], query_offsets, key_offsets)
    assert not launches(log)


def test_checked_call_launches(kernels, log):
    call(kernels["checked"], [0, 7, 20], [0, 30, 30])
    assert launches(log) == ["packed_kernel"]
    assert log.read_text().count("read 4") > 4


def test_standard_goes_sequence_by_sequence(kernels, log):
    call(kernels["standard"], [0, 7, 20], [0, 10, 30])
    two = launches(log)
    log.write_text("")
    call(kernels["standard"], [0, 7, 15, 20], [0, 10, 20, 30])
    three = launches(log)
    assert len(set(two)) > 3 and len(three) * 2 == len(two) * 3
    # The scores of the longest sequence, not of all rows together.
    sizes = [int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("alloc")]
    assert max(sizes) < 20 * 30 * 4


@pytest.mark.parametrize("mode", ["", "checked", "standard"])
def test_shapes(kernels, log, mode):
    """What the host knows without waiting is checked in any case."""
    with pytest.raises(fa_mlir.ArgumentError, match="query_offsets and key_offsets differ in length"):
        call(kernels[mode], [0, 7, 20], [0, 10, 20, 30])
    assert not launches(log) and "read" not in log.read_text()


def test_capture(kernels, log, monkeypatch):
    """A graph holds launches, not what the host reads."""
    monkeypatch.setenv("FAKE_CUDA_CAPTURES", "1")
    call(kernels[""], [0, 7, 20], [0, 30, 30])
    with pytest.raises(fa_mlir.Error, match="which a CUDA graph cannot hold: call it outside of a capture"):
        call(kernels["checked"], [0, 7, 20], [0, 30, 30])


def test_failed_read(kernels, log, monkeypatch):
    monkeypatch.setenv("FAKE_CUDA_FAIL", "cuMemcpyDtoHAsync")
    with pytest.raises(fa_mlir.Error, match="cannot read memory of the device: CUDA_ERROR_OUT_OF_MEMORY") as caught:
        call(kernels["checked"], [0, 7, 20], [0, 30, 30])
    assert not isinstance(caught.value, ValueError)
