"""fa_mlir.compile and what it returns; GPU kernels on a stand-in for the CUDA driver."""

import json
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import fa_mlir
from fa_mlir._arrays import View

SAXPY = (pathlib.Path(__file__).parents[1] / "Target" / "Manifest" / "add.mlir").read_text()

ATTENTION = """
#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @attention(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %q, %c0 : tensor<?x8xf32>
  %o = tensor.empty(%n) : tensor<?x8xf32>
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>)
    outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
"""


def on_gpu(pointer, shape, strides=(1,), dtype="f32", device=0):
    return View(pointer, dtype, shape, strides, device, None)


@pytest.fixture
def log(tmp_path, monkeypatch):
    path = tmp_path / "log"
    monkeypatch.setenv("FAKE_CUDA_LOG", str(path))
    return path


@pytest.fixture(scope="module")
def saxpy():
    return fa_mlir.compile(SAXPY, "sm_80", lowered=1)


def test_parts(saxpy):
    assert ".target sm_80" in saxpy.ptx
    assert saxpy.cubin.startswith(b"\x7fELF")
    assert json.loads(saxpy.manifest)["version"] == 1
    assert "gpu.launch_func" in saxpy.ir("source")


def test_launch(saxpy, log):
    x, y = 0x1000, 0x2000
    saxpy(on_gpu(x, (300,), (2,)), on_gpu(y, (300,)), 1.5)
    lines = log.read_text().splitlines()
    assert lines[:2] == ["load cubin", "alloc 4800"]
    assert "fill 4800 with 0" in lines
    # More than 48 KiB of shared memory must be asked for.
    assert "attribute 8 65536" in lines
    assert "launch add grid 3 1 1 block 128 1 1 shared 65536 stream 0" in lines
    assert lines[-1] == "free"
    assert fa_mlir.last_launched() == ["add"]


def test_parameters(log):
    kernel = fa_mlir.compile(SAXPY, "sm_80", lowered=1, ptxas="none")
    assert kernel.cubin is None
    kernel(on_gpu(0x1000, (300,), (2,)), on_gpu(0x2000, (300,)), 1.5)
    values = re.findall(r"parameter \d+: (\d) bytes (\w+)", log.read_text())
    expected = [0x1000, 0x1000, 0, 300, 2, 0x2000, 0x2000, 0, 300, 1, 0x3FC00000]
    assert [int(value, 16) for _, value in values] == expected
    assert [int(size) for size, _ in values] == [8] * 10 + [4]


def test_nothing_to_do(saxpy, log):
    saxpy(on_gpu(0, (0,)), on_gpu(0, (0,)), 1.0)
    assert "launch" not in log.read_text()
    assert fa_mlir.last_launched() == []


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((on_gpu(1, (3,)), on_gpu(1, (3,))), TypeError, "3 arguments are needed, not 2"),
        ((on_gpu(1, (3,)), on_gpu(1, (4,)), 1.0), ValueError, r"\('y'\): dimension 0 is 4, but argument 0 \('x'\) has 3"),
        ((on_gpu(1, (3, 1), (1, 1)), on_gpu(1, (3,)), 1.0), ValueError, "rank is 2, expected 1"),
        ((on_gpu(1, (3,), dtype="f64"), on_gpu(1, (3,)), 1.0), ValueError, "dtype is f64, expected f32"),
        ((on_gpu(1, (3,)), on_gpu(1, (3,), (2,)), 1.0), ValueError, "stride 0 is 2, expected 1"),
        ((on_gpu(1, (3,)), on_gpu(1, (3,)), "x"), TypeError, "a number is expected"),
        ((1.0, on_gpu(1, (3,)), 1.0), TypeError, "an array"),
        ((on_gpu(1, (3,)), on_gpu(1, (3,), device=1), 1.0), ValueError, "different devices"),
        ((on_gpu(1, (3,), device=-1), on_gpu(1, (3,), device=-1), 1.0), ValueError, "host memory"),
        ((on_gpu(1, (2000000,)), on_gpu(1 << 30, (2000000,)), 1.0), fa_mlir.Error, "too long"),
    ],
)
def test_bad_arguments(saxpy, arguments, error, message):
    with pytest.raises(error, match=message):
        saxpy(*arguments)


def run_apart(code, **environment):
    """The driver is opened once per process."""
    program = f"import sys; sys.path[:0] = {sys.path!r}\nimport fa_mlir\nfrom fa_mlir._arrays import View\n" + code
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


CALL = """
try:
    x, y = (View(address, "f32", (3,), (1,), {device}, None) for address in (1, 512))
    fa_mlir.compile({text!r}, "{target}", lowered=1)(x, y, 1.0)
    print("no error")
except fa_mlir.Error as error:
    print(error)
"""


def call(target="sm_80", device=0):
    return CALL.format(text=SAXPY, target=target, device=device)


@pytest.mark.parametrize(
    "target, environment, message",
    [
        ("sm_80", dict(FA_CUDA_DRIVER="libnothing.so"), "no CUDA driver: libnothing.so"),
        ("sm_80", dict(FAKE_CUDA_VERSION="11040"), "the CUDA driver is for CUDA 11.4; FA needs a driver for CUDA 12.0"),
        ("sm_80", dict(FAKE_CUDA_DEVICES="0"), "no CUDA device 0; there are 0"),
        ("sm_80", dict(FAKE_CUDA_FAIL="cuInit"), "cannot initialise the CUDA driver: CUDA_ERROR_OUT_OF_MEMORY"),
        ("sm_80", dict(FAKE_CUDA_CAPABILITY="75"), r"compiled for sm_80; device 0 \(Fake GPU\) is sm_75 and cannot run it"),
        ("sm_90a", dict(FAKE_CUDA_CAPABILITY="100"), "compiled for sm_90a; device 0"),
        ("sm_80", dict(FAKE_CUDA_FAIL="cuModuleLoadDataEx"), "cannot load the kernel: CUDA_ERROR_OUT_OF_MEMORY"),
        ("sm_80", dict(FAKE_CUDA_FAIL="cuLaunchKernel"), "cannot launch the kernel: CUDA_ERROR_OUT_OF_MEMORY"),
        ("sm_80", dict(FAKE_CUDA_FAIL="cuMemAllocAsync"), "cannot allocate 48 bytes of workspace"),
        ("sm_80", dict(FAKE_CUDA_CAPABILITY="86"), "no error"),
    ],
)
def test_bad_driver(target, environment, message):
    assert re.search(message, run_apart(call(target), **environment))


def test_later_device_takes_ptx(tmp_path):
    log = tmp_path / "log"
    assert run_apart(call(), FAKE_CUDA_CAPABILITY="90", FAKE_CUDA_LOG=str(log)) == "no error"
    assert log.read_text().startswith("load ptx")


def test_files(tmp_path, log):
    build = pathlib.Path(os.environ["FA_MLIR_LIBRARY"]).parents[1]
    source = tmp_path / "add.mlir"
    source.write_text(SAXPY)
    subprocess.run([build / "bin" / "fa-compile", source, "--lowered", "-o", tmp_path / "out"], check=True)
    kernel = fa_mlir.load(tmp_path / "out")
    kernel(on_gpu(1, (3,)), on_gpu(512, (3,)), 1.0)
    assert "launch add" in log.read_text()
    with pytest.raises(fa_mlir.Error, match="not known"):
        kernel.ir("tile")
    with pytest.raises(fa_mlir.Error, match="cannot read"):
        fa_mlir.load(tmp_path / "none")
    (tmp_path / "out" / "manifest.json").write_text('{"version": 99}')
    with pytest.raises(fa_mlir.Error, match="version 99 is not supported"):
        fa_mlir.load(tmp_path / "out")


def test_host_results():
    kernel = fa_mlir.compile(ATTENTION, "reference")
    q, k, v = np.random.default_rng(0).standard_normal((3, 5, 8)).astype(np.float32)
    weights = np.exp(q @ k.T / np.sqrt(8))
    out = kernel(q, k, v)
    np.testing.assert_allclose(out, weights @ v / weights.sum(1, keepdims=True), atol=1e-6)
    assert kernel.ptx is None and kernel.cubin is None
    with pytest.raises(ValueError, match="dimension 1 is 7, expected 8"):
        kernel(q, k, np.ascontiguousarray(v[:, :7]))


def test_names_and_extents():
    """Arguments of attention have names, and extents of one dimension must agree."""
    kernel = fa_mlir.compile(ATTENTION, "reference")
    q, k, v = np.zeros((5, 8), np.float32), np.zeros((6, 8), np.float32), np.zeros((7, 8), np.float32)
    with pytest.raises(ValueError, match=r"\('value'\): dimension 0 is 7, but argument 1 \('key'\) has 6 in dimension 0"):
        kernel(q, k, v)


@pytest.mark.parametrize(
    "text, options, message",
    [
        ("func.func @f() {", {}, r"source:1:\d+: error: "),
        (ATTENTION, dict(target="sm_1"), "source: error: unknown processor 'sm_1'"),
        (ATTENTION, dict(entry="g"), "there is no function 'g' with a body"),
        (ATTENTION, dict(colour="red"), "unknown option 'colour=red'"),
    ],
)
def test_bad_source(text, options, message):
    with pytest.raises(fa_mlir.Error, match=message):
        fa_mlir.compile(text, **{"target": "reference", **options})


def test_hint_without_gpu(monkeypatch):
    """A target that nobody asked for: what to say where there is no GPU, with a program refused and with arrays of the host."""
    hint = "no GPU: compiled for sm_80; say target='cpu' to run here"
    monkeypatch.setattr(fa_mlir._kernel.lib, "fa_device_capability", lambda device: -1)
    with pytest.raises(fa_mlir.Error, match=hint):
        fa_mlir.compile("func.func @f(")
    with pytest.raises(fa_mlir.Error) as refused:
        fa_mlir.compile("func.func @f(", "sm_80")
    assert hint not in str(refused.value)
    with pytest.raises(ValueError, match=f"in host memory; {hint}"):
        fa_mlir.compile(ATTENTION.replace("f32", "f16"), ptxas="none")(*[np.zeros((4, 8), "f2")] * 3)
