#!/usr/bin/env python3
"""How long compiling one attention takes, in process and by fa-compile.

    python bench/compile/compile.py [--repeats 9] [--fa-compile PATH] [--json OUT]

"PTX" is fa_mlir.compile of one attention's MLIR text to PTX (150 ms are allowed where that is one kernel; a program for sm_90a
may choose among four), "cubin" the same with ptxas for the kernel's
processor; "fa-compile" is the tool with ptxas, process start and files included (1 s is allowed). Medians of wall time, and of
processor time, which a busy machine does not change (for cubin and fa-compile: of this process and its children). The first call
in a process, with all that is set up once, is given apart.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "numeric")]

import fa_mlir  # noqa: E402
from gpu_kernels import FEATURES, attention  # noqa: E402

SM_80 = [(64, "full"), (64, "causal"), (128, "full"), (128, "causal+lse"), (128, "softcap"), (128, "bias"), (256, "full")]
KERNELS = [(*case, "sm_80") for case in SM_80] + [(64, "full", "sm_90a"), (128, "full", "sm_90a"), (128, "causal+lse", "sm_90a")]


def processor_seconds():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measure(call, repeats):
    """Medians of (wall, processor) milliseconds."""
    samples = []
    for _ in range(repeats):
        wall, processor = time.perf_counter(), processor_seconds()
        call()
        samples.append(((time.perf_counter() - wall) * 1e3, (processor_seconds() - processor) * 1e3))
    return tuple(statistics.median(sample[i] for sample in samples) for i in (0, 1))


def find_tool(given):
    candidates = [given] if given else [ROOT / "build" / name / "bin/fa-compile" for name in ("static", "release")]
    return next((str(path) for path in candidates if path and pathlib.Path(path).exists()), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--fa-compile", help="the tool; by default that of the build folder")
    parser.add_argument("--json")
    args = parser.parse_args()
    tool, rows = find_tool(args.fa_compile), []
    start = time.perf_counter()
    fa_mlir.compile(attention(64, "bf16"), "sm_80", ptxas="none")
    print(f"First call in the process: {(time.perf_counter() - start) * 1e3:.0f} ms. Milliseconds, wall (processor):\n")
    print("| | kernels | PTX | cubin | fa-compile |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for head_dim, feature, target in KERNELS:
            text = attention(head_dim, "bf16", *FEATURES[feature])
            source = pathlib.Path(folder, "attention.mlir")
            source.write_text(text)
            calls = {
                "PTX": lambda: fa_mlir.compile(text, target, ptxas="none"),
                "cubin": lambda: fa_mlir.compile(text, target),
            }
            if tool:
                command = [tool, source, "--target", target, "-o", folder]
                calls["fa-compile"] = lambda: subprocess.run(command, check=True, capture_output=True)
            row = {name: measure(call, args.repeats) for name, call in calls.items()}
            kernels = fa_mlir.compile(text, target, ptxas="none").ptx.count(".entry ")
            rows.append({"head_dim": head_dim, "feature": feature, "target": target, "kernels": kernels, "milliseconds": row})
            cells = [f"{row[name][0]:.0f} ({row[name][1]:.0f})" if name in row else "" for name in ("PTX", "cubin", "fa-compile")]
            print(f"| {target} hd{head_dim} {feature} | {kernels} | " + " | ".join(cells) + " |", flush=True)
    if args.json:
        info = {"machine": platform.processor() or platform.machine(), "processors": os.cpu_count(), "rows": rows}
        pathlib.Path(args.json).write_text(json.dumps(info, indent=1))


if __name__ == "__main__":
    main()
