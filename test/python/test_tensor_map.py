"""Manifests with tensor maps, clusters and memory that is kept 0, on a stand-in for the CUDA driver."""

import copy
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import fa_mlir
from fa_mlir._arrays import View

PTX = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(
\t.param .align 64 .b8 k_param_0[128],
\t.param .u64 .ptr .align 1 k_param_1,
\t.param .u32 k_param_2
)
{
}
"""

# One argument x: [batch, rows, columns] in slots 0 to 6. Constants in 8 to 15, the map in 16 to 31.
CONSTANTS = [1, 64, 384, 200000, 4, 128, 2, 0]
MAP = {
    "op": "tensor_map",
    "name": "x",
    # Columns as two blocks of 64: [batch, 2, rows, 64].
    "in": [0, 1, 14, 2, 9, 4, 9, 5, 6],
    "to": 16,
    "dtype": "bf16",
    "box": [1, 2, 64, 64],
    "swizzle": 128,
    "l2_promotion": 256,
}


def make_manifest():
    program = [{"op": "const", "to": 8 + i, "value": value} for i, value in enumerate(CONSTANTS)]
    program += [
        dict(MAP),
        {"op": "multiprocessors", "to": 32},
        {"op": "alloc", "in": [12], "to": 33, "kept_zero": True},
        {
            "op": "launch", "in": [], "kernel": "k", "grid": [32, 8, 8], "block": [10, 8, 8], "shared": 11,
            "parameters": [16, 33, 32],
        },
    ]  # fmt: skip
    argument = {
        "name": "x", "kind": "buffer", "dtype": "bf16", "slot": 0, "access": "read",
        "shape": [None, None, 128], "strides": [None, None, None],
    }  # fmt: skip
    function = {"name": "f", "arguments": [argument], "results": [], "slots": 40, "program": program}
    return {"version": 2, "target": "sm_90a", "ptx": "kernel.ptx", "functions": [function]}


def write(folder, manifest):
    (folder / "kernel.ptx").write_text(PTX)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def run(folder, calls, **environment):
    """What calls with (address, shape, strides, stream) do; each process has one driver."""
    log = folder / "log"
    code = f"""
import sys; sys.path[:0] = {sys.path!r}
import fa_mlir
from fa_mlir import _arrays
from fa_mlir._arrays import View
kernel = fa_mlir.load({str(folder)!r})
for address, shape, strides, stream in {calls!r}:
    _arrays.current_stream = lambda device: stream
    try:
        kernel(View(address, "bf16", shape, strides, 0, None))
    except (fa_mlir.Error, ValueError) as error:
        print(error)
"""
    environment = {**os.environ, "FAKE_CUDA_CAPABILITY": "90", "FAKE_CUDA_LOG": str(log), **environment}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    lines = log.read_text().splitlines() if log.exists() else []
    return done.stdout.strip(), lines


CALL = (0x1000, (3, 100, 128), (25600, 256, 1), 0)


def test_launch(tmp_path):
    said, log = run(write(tmp_path, make_manifest()), [CALL, CALL])
    assert said == ""
    # Innermost first, strides in bytes, none for the innermost.
    encode = "map type 9 address 1000 sizes 64 100 2 3 strides 512 128 51200 box 64 64 2 1 swizzle 3 promotion 3 fill 0"
    # A map that was made is kept.
    assert log.count(encode) == 1
    assert log.count("launch k grid 132 1 1 block 384 1 1 shared 200000 stream 0") == 2
    assert "attribute 8 200000" in log
    assert "  misaligned parameter" not in log
    assert "  parameter 0: 128 bytes 1000" in log
    assert "  parameter 2: 4 bytes 84" in log


def test_kept_maps(tmp_path):
    """A map of each address, size and stride; a map that was made again is the same."""

    def summary(log):
        encoded = sum(line.startswith("map ") for line in log)
        return encoded, [line.split()[-1] for line in log if line.startswith("  parameter 0")]

    address, shape, strides, stream = CALL
    folder = write(tmp_path, make_manifest())
    calls = [
        CALL, (0x2000, *CALL[1:]), (address, (3, 90, 128), strides, stream), (address, shape, (51200, 256, 1), stream),
        CALL, (0x2000, *CALL[1:]), (address, shape, strides, 0x77),
    ]  # fmt: skip
    said, log = run(folder, calls)
    assert said == ""
    assert summary(log) == (4, ["1000", "2000", "1000", "1000", "1000", "2000", "1000"])
    # So many that some are forgotten.
    (tmp_path / "log").unlink()
    said, log = run(folder, [(0x1000 + 16 * i, *CALL[1:]) for i in [*range(1100), 0, 1099]])
    assert said == ""
    encoded, addresses = summary(log)
    assert encoded == 1101 and addresses[-2:] == ["1000", f"{0x1000 + 16 * 1099:x}"]


def test_kept_zero(tmp_path):
    """One memory per stream, cleared once; its own in every capture."""

    def pointers(log):
        return [line for line in log if line.startswith("  parameter 1")]

    other = CALL[:3] + (0x77,)
    _, log = run(write(tmp_path, make_manifest()), [CALL, other, CALL, other])
    assert len(set(pointers(log))) == 2 and pointers(log)[:2] == pointers(log)[2:]
    assert len([line for line in log if line.startswith("permanent alloc")]) == 1
    assert len([line for line in log if line.startswith("fill")]) == 1
    (tmp_path / "log").unlink()
    _, log = run(tmp_path, [CALL] * 3, FAKE_CUDA_CAPTURES="1")
    assert len(set(pointers(log))) == 3


def test_strides_of_one_element_mean_nothing(tmp_path):
    said, log = run(write(tmp_path, make_manifest()), [(0x1000, (1, 100, 128), (7, 256, 1), 0)])
    assert said == "" and "sizes 64 100 2 1" in "\n".join(log)


def test_nothing_in_it(tmp_path):
    said, log = run(write(tmp_path, make_manifest()), [(0, (3, 0, 128), (0, 128, 1), 0)])
    assert said == "" and not any(line.startswith("map") for line in log)
    assert "  parameter 0: 128 bytes 0" in log


@pytest.mark.parametrize(
    "call, message",
    [
        ((0x1008, (3, 100, 128), (25600, 256, 1), 0), r"'x': its address 0x1008 is not a multiple of 16 bytes"),
        ((0x1000, (3, 100, 128), (25600, 129, 1), 0), r"'x': the stride of dimension 2 .* 129 elements of 2 bytes; .* multiple of 16"),
        ((0x1000, (3, 100, 128), (0, 256, 1), 0), r"'x': the stride of dimension 0 .* 0 elements .* more than 0"),
        ((0x1000, (3, 100, 128), (25600, 256, 2), 0), r"'x': the stride of dimension 3 .* 2 elements .* needs 1 element"),
    ],
)
def test_bad_arrays(tmp_path, call, message):
    said, log = run(write(tmp_path, make_manifest()), [call])
    assert re.search(message, said) and "sm_80" in said
    assert not any(line.startswith("launch") for line in log)


def test_bad_driver(tmp_path):
    folder = write(tmp_path, make_manifest())
    old = pathlib.Path(os.environ["FA_CUDA_DRIVER"]).with_name("libfake_old_cuda.so")
    said, _ = run(folder, [CALL], FA_CUDA_DRIVER=str(old), FAKE_CUDA_VERSION="12000")
    assert "for CUDA 12.0) lacks cuTensorMapEncodeTiled, which the kernel needs for 'x': update the driver" in said
    said, _ = run(folder, [CALL], FAKE_CUDA_FAIL="cuTensorMapEncodeTiled")
    assert "cannot make the tensor map of 'x': CUDA_ERROR" in said
    said, _ = run(folder, [CALL], FAKE_CUDA_FAIL="cuMemAlloc")
    assert "cannot allocate memory" in said


def change_launch(**changes):
    def change(program):
        program[-1].update(changes)

    return change


def change_map(**changes):
    def change(program):
        program[8].update(changes)

    return change


def test_cluster(tmp_path):
    manifest = make_manifest()
    change_launch(cluster=[12, 8, 8])(manifest["functions"][0]["program"])
    said, log = run(write(tmp_path, manifest), [CALL])
    assert said == ""
    assert "launch k grid 132 1 1 block 384 1 1 shared 200000 cluster 4 1 1" in log


@pytest.mark.parametrize(
    "change, message",
    [
        (change_launch(cluster=[9, 8, 8]), "kernel 'k': a grid of 132 x 1 x 1 blocks cannot be made of clusters of 64 x 1 x 1"),
        (change_launch(block=[10, 12, 8]), "kernel 'k': a block of 384 x 4 x 1 threads; CUDA allows 1024"),
        (change_launch(grid=[8, 11, 8]), "kernel 'k': the launch needs a grid of 1 x 200000 x 1 blocks, more than CUDA allows"),
    ],
)
def test_bad_launch(tmp_path, change, message):
    manifest = make_manifest()
    change(manifest["functions"][0]["program"])
    said, log = run(write(tmp_path, manifest), [CALL])
    assert message in said
    assert not any(line.startswith("launch") for line in log)


@pytest.mark.parametrize(
    "change, message",
    [
        (change_map(dtype="i1"), "tensor map 'x': there are no tensor maps of dtype 'i1'"),
        (change_map(box=[]), "tensor map 'x': a box has 1 to 5 dimensions, not 0"),
        (change_map(box=[1] * 6), "tensor map 'x': a box has 1 to 5 dimensions, not 6"),
        (change_map(box=[1, 2, 257, 64]), "tensor map 'x': a box is from 1 to 256 in every dimension, not 257"),
        (change_map(box=[1, 2, 64, 20]), "tensor map 'x': a row of the box is a multiple of 16 bytes, not 40"),
        (change_map(box=[1, 2, 64, 128]), "tensor map 'x': a row of the box is 256 bytes, more than the swizzle of 128"),
        (change_map(swizzle=100), "tensor map 'x': a swizzle is of 0, 32, 64 or 128 bytes, not 100"),
        (change_map(l2_promotion=32), "tensor map 'x': an L2 promotion is of 0, 64, 128 or 256 bytes, not 32"),
        (change_map(fill="one"), "tensor map 'x': a fill is 'zero' or 'nan', not 'one'"),
        (change_map(fill="nan", dtype="i16"), "tensor map 'x': only maps of f16, bf16, f32 and f64 can be filled with NaN"),
        (change_map(**{"in": [0, 1, 2]}), "tensor map 'x' needs 9 inputs, not 3"),
        (change_map(to=17), "tensor map 'x' needs 16 slots from a multiple of 8"),
        (change_map(to=32), "tensor map 'x' needs 16 slots from a multiple of 8"),
        (change_map(to=99), "slot out of range"),
    ],
)
def test_bad_manifest(tmp_path, change, message):
    manifest = copy.deepcopy(make_manifest())
    change(manifest["functions"][0]["program"])
    with pytest.raises(fa_mlir.Error, match=re.escape(message)):
        fa_mlir.load(write(tmp_path, manifest))


def test_unknown_version(tmp_path):
    with pytest.raises(fa_mlir.Error, match="version 4 is not supported; this reader knows versions 1 to 3"):
        fa_mlir.load(write(tmp_path, {**make_manifest(), "version": 4}))




COMPILE = """
import sys; sys.path[:0] = {path!r}
import fa_mlir
from fa_mlir._arrays import View
kernel = fa_mlir.compile(open({file!r}).read(), "sm_90a", lowered=1, ptxas="none")
kernel(View(0x1000, "bf16", (2, 100, 4, 128), (51200, 512, 128, 1), 0, None))
try:
    kernel(View(0x1000, "bf16", (2, 100, 4, 128), (51204, 512, 128, 1), 0, None))
except fa_mlir.Error as error:
    print(error)
"""


def test_compiled(tmp_path):
    """The host ops of the compiler, through the manifest, to the driver."""
    file = pathlib.Path(__file__).parents[1] / "Target" / "Manifest" / "tensor-map.mlir"
    log = tmp_path / "log"
    environment = {**os.environ, "FAKE_CUDA_CAPABILITY": "90", "FAKE_CUDA_LOG": str(log)}
    code = COMPILE.format(path=sys.path, file=str(file))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    # From row 7 on: 7 * 512 * 2 bytes.
    assert "map type 9 address 2c00 sizes 128 100 4 2 strides 1024 256 102400 box 64 80 1 1 swizzle 3 promotion 3 fill 0" in log.read_text()
    assert "launch attn grid 132 1 1 block 384 1 1 shared 200000" in log.read_text()
    assert "'key': the stride of dimension 0 of its tensor map is 51204 elements of 2 bytes; TMA needs a multiple of 16" in done.stdout
