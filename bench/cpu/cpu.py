#!/usr/bin/env python3
#===- cpu.py - the CPU target beside the naive program and PyTorch ----------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Error, time and peak memory of the tile program and of the naive program, and the time of PyTorch's SDPA.

    bench/cpu/cpu.py [--max 8192] [--heads 1] [--dtype f32] [--causal] [--schedule fa2]

One thread each. Errors are against the naive program in float64 (fa-run --check), up to --check-max. PyTorch is
used where the Python that runs this has it. Times are the thread's CPU time (programs have one), medians of
--repeat runs, and the fastest in parentheses. Peak memory is a call's growth beyond its arguments, pages of the output included.
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
        return float("nan"), float("nan")
    torch.set_num_threads(1)
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f64": torch.float64}[options.dtype]
    q, k, v = (torch.randn(1, options.heads, n, 64, dtype=dtype) for _ in range(3))
    times = []
    for _ in range(repeat + 1):
        start = time.thread_time()
        torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=options.causal)
        times.append(time.thread_time() - start)
    times = sorted(times[1:])
    return times[len(times) // 2] * 1e3, times[0] * 1e3


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
    parser.add_argument("--repeat", type=int, help="runs of each; by default more of short ones, 5 to 21")
    options = parser.parse_args()
    try:
        import torch
        version = f"PyTorch {torch.__version__}"
    except ImportError:
        version = "no PyTorch"
    flags = int("avx512f" in pathlib.Path("/proc/cpuinfo").read_text())
    print(f"{cpu_model()}{' (AVX-512)' if flags else ''}, one thread; {version}; 1 x {options.heads} x S x 64 {options.dtype}"
          f"{', causal' if options.causal else ''}, schedule {options.schedule}\n")
    print(f"{'S':>6} | {'ms':>8} {'(fastest)':>9} {'GFLOP/s':>8} {'MiB':>6} | {'naive ms':>9} {'MiB':>7} | "
          f"{'PyTorch ms':>10} {'(fastest)':>9} | {'error':>8} {'naive error':>11}")
    n = 512
    while n <= options.max:
        repeat = options.repeat or max(5, min(21, 2**26 // n**2))
        tiled = fa_run(options, n, f"--repeat={repeat}", f"--schedule={options.schedule}",
                       *(["--check"] if n <= options.check_max else []))
        naive = fa_run(options, n, "--target=reference")
        ms, fastest = found(r"cpu: ([\d.]+) ms", tiled), found(r"fastest ([\d.]+) ms", tiled)
        torch_median, torch_fastest = torch_time(options, n, repeat)
        flops = 4 * n * n * 64 * options.heads * (0.5 if options.causal else 1)
        print(f"{n:>6} | {ms:>8.2f} {f'({fastest:.2f})':>9} {flops / fastest / 1e6:>8.1f} "
              f"{found(r'call: ([-0-9.]+) MiB', tiled):>6.1f} | {found(r'reference: ([0-9.]+) ms', naive):>9.1f} "
              f"{found(r'call: ([-0-9.]+) MiB', naive):>7.1f} | {torch_median:>10.2f} {f'({torch_fastest:.2f})':>9} | "
              f"{found(r'error ([-0-9.e+]+)', tiled):>8.2g} {found(r'naive ([-0-9.e+]+),', tiled):>11.2g}", flush=True)
        n *= 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
