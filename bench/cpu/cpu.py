#!/usr/bin/env python3
#===- cpu.py - the CPU target beside the naive program and PyTorch ----------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Error, time and peak memory of the tile program and of the naive program, and the time of PyTorch's SDPA.

    bench/cpu/cpu.py [--max 8192] [--heads 1] [--dtype f32] [--causal] [--schedule fa2]

One thread each. Errors are against the naive program in float64 (fa-run --check), up to --check-max. PyTorch is
used where the Python that runs this has it. Times are the fastest of some runs: other work on the machine only adds.
"""

import argparse
import pathlib
import platform
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FA_RUN = ROOT / "build/release/bin/fa-run"


def fa_run(options, n, *flags):
    text = (pathlib.Path(__file__).parent / "attention.mlir.in").read_text()
    text = text.replace("@T@", options.dtype).replace("@MASK@", "causal, " if options.causal else "")
    command = [FA_RUN, "-", "--memory", *flags] + ["--arg", f"shape=1x{options.heads}x{n}x64"] * 4
    process = subprocess.run(command, input=text, capture_output=True, text=True)
    if process.returncode:
        sys.exit(process.stdout + process.stderr)
    return process.stdout


def found(pattern, text):
    match = re.search(pattern, text)
    return float(match.group(1)) if match else float("nan")


def torch_time(options, n, repeat):
    try:
        import torch
    except ImportError:
        return float("nan")
    torch.set_num_threads(1)
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64}[options.dtype]
    q, k, v = (torch.randn(1, options.heads, n, 64, dtype=dtype) for _ in range(3))
    times = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=options.causal)
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--max", type=int, default=8192)
    parser.add_argument("--check-max", type=int, default=2048)
    parser.add_argument("--heads", type=int, default=1)
    parser.add_argument("--dtype", default="f32", choices=["f32", "f64", "bf16", "f16"])
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--schedule", default="fa2")
    options = parser.parse_args()
    try:
        import torch
        version = f"PyTorch {torch.__version__}"
    except ImportError:
        version = "no PyTorch"
    flags = int("avx512f" in pathlib.Path("/proc/cpuinfo").read_text())
    print(f"{cpu_model()}{' (AVX-512)' if flags else ''}, one thread; {version}; 1 x {options.heads} x S x 64 {options.dtype}"
          f"{', causal' if options.causal else ''}, schedule {options.schedule}\n")
    print(f"{'S':>6} | {'ms':>10} {'GFLOP/s':>8} {'MiB':>7} | {'naive ms':>10} {'MiB':>8} | {'PyTorch ms':>10} | "
          f"{'error':>9} {'naive err':>9}")
    n = 512
    while n <= options.max:
        repeat = max(2, min(20, 2**24 // n**2))
        # A call's memory is its growth beyond its arguments, pages of the output included.
        tiled = fa_run(options, n, f"--repeat={repeat}", f"--schedule={options.schedule}",
                       *(["--check"] if n <= options.check_max else []))
        naive = fa_run(options, n, "--target=reference")
        ms = found(r"fastest ([\d.]+) ms", tiled)
        flops = 4 * n * n * 64 * options.heads * (0.5 if options.causal else 1)
        print(f"{n:>6} | {ms:>10.2f} {flops / ms / 1e6:>8.1f} {found(r'call: ([-0-9.]+) MiB', tiled):>7.1f} | "
              f"{found(r'reference: ([0-9.]+) ms', naive):>10.1f} {found(r'call: ([-0-9.]+) MiB', naive):>8.1f} | "
              f"{torch_time(options, n, repeat):>10.2f} | {found(r'error ([-0-9.e+]+)', tiled):>9.2g} "
              f"{found(r'naive ([-0-9.e+]+),', tiled):>9.2g}", flush=True)
        n *= 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
