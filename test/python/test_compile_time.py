"""Processor time from MLIR text to PTX, in units of what Python needs to compile a fixed program.

That unit takes memory, branches and caches much as our work does, so the ratio is nearly one on fast, slow and busy machines.
Half as much again as was measured (bench/results/2026-11-30-cpu/compile.md has milliseconds) is a failure.
"""

import pathlib
import sys
import time

import pytest

import fa_mlir

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "numeric"))
from gpu_kernels import FEATURES, attention  # noqa: E402

PROGRAM = "\n".join(f"def f{i}(a, b):\n    return [a[{i} + j] * b.x({i}, j) if a else {{j: b}} for j in range({i})]" for i in range(1200))

# Kernel: units, measured.
MEASURED = {
    (64, "full", "sm_80"): 2.3,
    (128, "causal+lse", "sm_80"): 3.1,
    (128, "softcap", "sm_80"): 5.0,
    (128, "full", "sm_90a"): 8.6,
}
SLACK = 1.5


def least_times(calls, repeats):
    """Of each call, taken in turn: the smallest processor time of this process."""
    least = [float("inf")] * len(calls)
    for _ in range(repeats):
        for i, call in enumerate(calls):
            start = time.process_time()
            call()
            least[i] = min(least[i], time.process_time() - start)
    return least


def measure_ratio(head_dim, feature, target, repeats):
    text = attention(head_dim, "bf16", *FEATURES[feature])
    ours = lambda: fa_mlir.compile(text, target, ptxas="none")
    ours()
    time_of_ours, unit = least_times([ours, lambda: compile(PROGRAM, "program", "exec")], repeats)
    return time_of_ours / unit


@pytest.mark.parametrize("head_dim, feature, target", MEASURED)
def test_processor_time(head_dim, feature, target):
    limit = SLACK * MEASURED[head_dim, feature, target]
    for repeats in (3, 9):
        ratio = measure_ratio(head_dim, feature, target, repeats)
        if ratio <= limit:
            return
    pytest.fail(f"compiling takes {ratio:.2f} units, more than {limit:.2f}")
