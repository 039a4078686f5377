"""Any number of batches and heads, on a stand-in for the CUDA driver: CUDA's grids have at most 65535 blocks along y and z."""

import os
import re
import subprocess
import sys

import pytest

from fa_mlir import _attention, _call, _library
from fa_mlir._arrays import View


def launch(log, batch, heads, target, monkeypatch):
    """The launches of a call: kernel, grid, and the last parameters (the first y and z)."""
    monkeypatch.setattr(_attention._targets, "get_capability", lambda device: 90)
    shape, strides = (batch, heads, 4, 64), (heads * 256, 256, 64, 1)
    addresses = [(1 << 45) + (i << 42) for i in range(4)]
    arrays = [View(address, "bf16", shape, strides, 0, None) for address in addresses[:3]]
    options = (None, False, None, None, "bhsd", False, target)
    plan = _attention._bind_plan(*_attention._prepare(*arrays, options, (None,) * 6), None)
    log.write_text("")
    assert _library.lib.fa_call(plan.handle, plan.pack(*addresses), 0, None, None, None) == 0, _library.last_error()
    found = []
    for part in log.read_text().split("launch ")[1:]:
        name, *grid = re.match(r"(\w+) grid (\d+) (\d+) (\d+)", part).groups()
        parameters = [int(value, 16) for value in re.findall(r"parameter \d+: \d+ bytes (\w+)", part)]
        found.append((name, tuple(map(int, grid)), tuple(parameters[-2:])))
    return found


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_CUDA_LOG", str(tmp_path / "log"))
    # The driver assembles: the stand-in sees the parameters.
    compile_one = _attention._targets._kernel.compile
    monkeypatch.setattr(
        _attention._targets._kernel, "compile", lambda *a, **options: compile_one(*a, **{**options, "ptxas": "none", "assemble_for": None})
    )
    monkeypatch.setattr(_attention, "_kernels", {})
    return tmp_path / "log"


@pytest.mark.parametrize(
    "batch, heads, expected",
    [
        (2, 3, [((1, 3, 2), (0, 0))]),
        (65535, 1, [((1, 1, 65535), (0, 0))]),
        (65536, 1, [((1, 1, 65535), (0, 0)), ((1, 1, 1), (0, 65535))]),
        (1, 140000, [((1, 65535, 1), (0, 0)), ((1, 65535, 1), (65535, 0)), ((1, 8930, 1), (131070, 0))]),
        (
            70000, 70000,
            [
                ((1, 65535, 65535), (0, 0)), ((1, 65535, 4465), (0, 65535)),
                ((1, 4465, 65535), (65535, 0)), ((1, 4465, 4465), (65535, 65535)),
            ],
        ),
        (0, 3, []),
    ],
)  # fmt: skip
def test_parts(log, monkeypatch, batch, heads, expected):
    assert launch(log, batch, heads, "sm_80", monkeypatch) == [("attention_kernel", *part) for part in expected]


HOPPER = """
import sys; sys.path[:0] = {path!r}
import fa_mlir
from fa_mlir._arrays import View
from fa_mlir import _attention, _library
for batch, heads in [(70000, 1), (1, 70000), (70000, 70000)]:
    addresses = [(1 << 45) + (i << 42) for i in range(4)]
    arrays = [View(a, "bf16", (batch, heads, 4, 64), (heads * 256, 256, 64, 1), 0, None) for a in addresses[:3]]
    options = (None, False, None, None, "bhsd", False, "sm_90a")
    plan = _attention._bind_plan(*_attention._prepare(*arrays, options, (None,) * 6), None)
    assert _library.lib.fa_call(plan.handle, plan.pack(*addresses), 0, None, None, None) == 0
    print(*fa_mlir.last_launched())
"""


def test_hopper():
    """Persistent blocks take any number of tiles that 32 bits count; more go to the other kernel."""
    environment = {**os.environ, "FAKE_CUDA_CAPABILITY": "90"}
    done = subprocess.run([sys.executable, "-c", HOPPER.format(path=sys.path)], capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines() == ["attention_kernel_tma"] * 2 + ["attention_kernel " * 3 + "attention_kernel"], done.stderr


@pytest.mark.parametrize("lengths, what", [((1, 0, 0), "query (m)"), ((0, 1, 1), "key (n)")])
def test_most(log, monkeypatch, lengths, what):
    """Positions are counted in 32 bits: the program, too, refuses more than 2^29 of them."""
    monkeypatch.setattr(_call, "_MAX_POSITIONS", 1 << 40)
    addresses = [(1 << 45) + (i << 42) for i in range(4)]
    shapes = [(1, 1, (1 << 29) + 1 if long else 4, 64) for long in lengths]
    arrays = [View(a, "bf16", s, (s[2] * 64, s[2] * 64, 64, 1), 0, None) for a, s in zip(addresses, shapes)]
    options = (None, False, None, None, "bhsd", False, "sm_80")
    plan = _attention._bind_plan(*_attention._prepare(*arrays, options, (None,) * 6), None)
    assert _library.lib.fa_call(plan.handle, plan.pack(*addresses), 0, None, None, None) != 0
    assert f"of {what} is more than 536870912, the most that kernels for GPUs count to" in _library.last_error()
