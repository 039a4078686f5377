"""Kernels for sm_90a from MLIR to the driver, on a stand-in for it that says it is an H100."""

import os
import re
import subprocess
import sys

import pytest

PROGRAM = """
import sys; sys.path[:0] = {path!r}
import fa_mlir
from fa_mlir._arrays import View

def array(pointer, *shape, stride=None):
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    strides[-2] = stride or strides[-2]
    return View(pointer, "bf16", shape, tuple(strides), 0, None)

query, key, out = array(0x100000, 2, 4, 300, 128), array(0x200000, 2, 2, 500, 128), array(0x400000, 2, 4, 300, 128)
text = fa_mlir.attention_text(query, key, key, causal=True)
kernel = fa_mlir.compile(text, "sm_90a", ptxas="none")

def split(view):
    shape, strides = view.shape, view.strides
    return view._replace(shape=(2, 2, 2, *shape[2:]), strides=(strides[0], 2 * strides[1], strides[1], *strides[2:]))

def call(query, key):
    kernel(split(query), key, key, split(out))
    print(*fa_mlir.last_launched())

call(query, key)
call(query, array(0x200002, 2, 2, 500, 128))
call(query, array(0x200000, 2, 2, 500, 128, stride=132))
call(query, array(0x200000, 2, 2, 0, 128))

lengths = View(0x300000, "i32", (2,), (1,), 0, None)
print(fa_mlir.attention_kernel(query, key, key, target="sm_90a").choice)
print(fa_mlir.attention_kernel(query, key, key, target="sm_90a", key_lengths=lengths).choice)
text = fa_mlir.attention_text(query, key, key, key_lengths=lengths)
kernel = fa_mlir.compile(text, "sm_90a", ptxas="none", schedule="key-tile=64 stages=1 overlap=false")
print(*kernel.diagnostics.splitlines())
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    log = tmp_path_factory.mktemp("hopper") / "log"
    environment = {**os.environ, "FAKE_CUDA_CAPABILITY": "90", "FAKE_CUDA_LOG": str(log)}
    code = PROGRAM.format(path=sys.path)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), log.read_text().splitlines()


def test_what_tma_cannot_address_goes_to_the_other_kernel(run):
    launched, _ = run
    fast, *others = launched[:4]
    assert len(set(others)) == 1 and others[0] != fast


def test_maps(run):
    """Query and out with five dimensions, key and value with four."""
    _, log = run
    maps = [line for line in log if line.startswith("map type 9")]
    assert len(maps) == 4
    assert re.search(r"address 100000 sizes 128 300 2 2 2 strides 256 76800 153600 307200 box 64 64 1 1 1 swizzle 3", maps[0])
    assert re.search(r"address 200000 sizes 128 500 2 2 strides 256 128000 256000 box 64 \d+ 1 1 swizzle 3", maps[1])
    assert re.search(r"address 400000 ", maps[3])


def test_launch(run):
    """Persistent: at most one block per multiprocessor, with the kernel's shared memory."""
    launched, log = run
    (launch,) = [line for line in log if line.startswith(f"launch {launched[0]} ")]
    found = re.search(r"grid (\d+) 1 1 block (\d+) 1 1 shared (\d+)", launch)
    blocks, threads, shared = map(int, found.groups())
    assert 0 < blocks <= 132 and threads in (384, 512) and 48 * 1024 < shared <= 232448
    assert f"attribute 8 {shared}" in log
    sizes = re.findall(r"parameter \d+: (\d+) bytes", "\n".join(log[log.index(launch) :]))
    assert sizes[:4] == ["128"] * 4
    assert "  misaligned parameter" not in log


def test_choice(run):
    """Why a kernel is not the fast one."""
    launched, _ = run
    assert launched[4] == "sm_90a as asked for"
    assert launched[5] == "sm_90a as asked for"
    assert re.search("this kernel stays with mma.sync: values to clear past a length need two stages", launched[6])
