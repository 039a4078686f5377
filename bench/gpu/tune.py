#!/usr/bin/env python3
"""The candidates of fa_mlir.tune beside cuDNN: which schedule of sm_90a is the fastest for a head dimension, a mask and a length.

    python bench/gpu/tune.py                                    # head dims 64, 128, 256; full and causal; 512 .. 8192
    python bench/gpu/tune.py --head-dims 128 --masks causal --lengths 512 1024 --json out.json
    python bench/gpu/tune.py --candidate "consumers=2 key-tile=128 stages=2 dynamic=false" --rounds 9
    python bench/gpu/tune.py --compile-only --jobs 2            # no GPU needed: does every candidate compile?

B*S = 16384 and H*D = 2048. Every candidate is compiled once per head dimension and mask, in parallel; one whose result differs
from cuDNN's is reported and not timed. Two steps per cell: all schedules, then the best few at several levels of LLVM's optimiser
(opt-level) and code generator (codegen-level). Candidates and cuDNN run in rounds, in an order drawn anew each round; the
figure is the median of the rounds' medians, as cuDNN's time over the candidate's.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "gpu")]

import cells as cells_module  # noqa: E402
import report  # noqa: E402
from fa_mlir import tune as fa_tune  # noqa: E402

DEFAULT = ""
#: Names of LLVM levels -> options of fa_mlir.compile. "" is what fa_mlir.attention uses.
LEVELS = {
    "": {},
    "c0": {"codegen_level": "0"},
    "O3": {"opt_level": "3"},
}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--head-dims", type=int, nargs="+", default=[64, 128, 256])
    parser.add_argument("--value-dim", type=int, help="of values, where it is not that of queries")
    parser.add_argument("--masks", nargs="+", default=["full", "causal"], choices=["full", "causal"])
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 1024, 2048, 8192])
    parser.add_argument("--candidate", action="append", help="schedules instead of the search's; may be repeated")
    parser.add_argument("--levels", nargs="+", default=list(LEVELS), choices=list(LEVELS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--best", type=int, default=4, help="schedules that the second step keeps")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json")
    parser.add_argument("--compile-only", action="store_true")
    return parser.parse_args()


def get_text(head_dim, value_dim, mask):
    """What fa_mlir.attention compiles; the arrays' sizes do not matter."""
    import numpy as np

    import fa_mlir

    array, values = (np.zeros((1, 2, 4, dim), dtype=np.float16) for dim in (head_dim, value_dim))
    text = fa_mlir.attention_text(array, array, values, causal=mask == "causal")
    return text.replace("f16", "bf16")


def compile_all(head_dim, mask, schedules, options):
    """(schedule, level) -> kernel or the reason why there is none."""
    import fa_mlir

    text = get_text(head_dim, options.value_dim or head_dim, mask)

    def compile_one(key):
        schedule, level = key
        try:
            extra = {"ptxas": "none"} if options.compile_only else {}
            return key, fa_mlir.compile(text, "sm_90a", schedule=schedule or None, **extra, **LEVELS[level])
        except Exception as error:  # a candidate that does not compile is not one
            return key, str(error).strip().splitlines()[-1][:160]

    # Threads: the compiler is outside Python, ptxas a process of its own.
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        kernels = dict(pool.map(compile_one, [(s, level) for s in schedules for level in options.levels]))
    refused = {key: k for key, k in kernels.items() if isinstance(k, str)}
    print(f"d{head_dim} {mask}: {len(kernels)} kernels in {time.time() - start:.0f} s, {len(refused)} refused", flush=True)
    for key, reason in refused.items():
        print(f"  {make_name(key)}: {reason}", flush=True)
    for key, kernel in kernels.items():
        lines = [] if key in refused else kernel.diagnostics.splitlines()
        warnings = [line for line in lines if "spills" in line or "C75" in line]
        if warnings:
            print(f"  {make_name(key)}: {warnings[0][-120:]}", flush=True)
    return {key: k for key, k in kernels.items() if not isinstance(k, str)}


class Bench:
    """One cell: cuDNN and our kernels on the same arrays."""

    def __init__(self, cell):
        import peers
        import torch
        from clock import DeviceClock

        self.cell, self.clock = cell, DeviceClock(torch)
        self.problem = peers.Problem(cell, "cuda")
        self.cudnn = peers.all_peers()[peers.BASELINE](self.problem)
        self.expected = self.cudnn().float()
        self.repeats = max(3, min(100, int(0.012 / (cell.flops() / 400e12))))
        self.out = torch.empty_like(self.expected, dtype=self.problem.query.dtype)

    def prepare(self, kernel):
        """A call, or None where the result is wrong."""
        query, key, value = self.problem.inputs
        arguments = (query.unflatten(1, (-1, 1)), key, value, self.out.unflatten(1, (-1, 1)))
        self.out.fill_(float("nan"))
        kernel(*arguments)
        error = (self.out.float() - self.expected).norm() / self.expected.norm()
        return (lambda: kernel(*arguments)) if error < 1e-2 else None

    def time(self, kernels, rounds):
        """name -> ratio of cuDNN's time to its own."""
        from clock import measure

        calls, wrong = {"cuDNN": (self.cudnn, self.clock)}, []
        for name, kernel in kernels.items():
            call = self.prepare(kernel)
            if call:
                calls[name] = (call, self.clock)
            else:
                wrong.append(name)
        times = measure(calls, rounds, self.repeats, random.Random(0))
        medians = {name: sorted(t)[len(t) // 2] for name, t in times.items()}
        base = medians.pop("cuDNN")
        return {name: base / t for name, t in medians.items()}, self.cell.flops() / base / 1e9, wrong


def make_name(key):
    schedule, level = key
    return " ".join([schedule or "default", *([f"[{level}]"] if level else [])])


def tune(cell, kernels, options):
    bench = Bench(cell)
    first, _, wrong = bench.time({key: k for key, k in kernels.items() if not key[1]}, options.rounds)
    ranked = sorted(first, key=first.get, reverse=True)
    kept = ranked[: options.best] + [key for key in [(DEFAULT, "")] if key not in ranked[: options.best]]
    again = {key: k for key, k in kernels.items() if (key[0], "") in kept}
    second, rate, more = bench.time(again, 2 * options.rounds - 1)
    final = sorted(second, key=second.get, reverse=True)
    print(f"\n{cell}: cuDNN {rate:.0f} TFLOP/s", flush=True)
    for key in wrong + more:
        print(f"  WRONG RESULT: {make_name(key)}", flush=True)
    for key in final[:6] + [key for key in [(DEFAULT, "")] if key not in final[:6] and key in second]:
        print(f"  {second[key]:.3f} {make_name(key)}", flush=True)
    print("  first step: " + "; ".join(f"{first[key]:.3f} {make_name(key)}" for key in ranked[:12]), flush=True)
    return {
        "cell": str(cell),
        "cudnn_tflops": rate,
        "ratios": {make_name(key): second[key] for key in final},
        "first": {make_name(key): first[key] for key in ranked},
        "wrong": [make_name(key) for key in wrong + more],
    }


def main():
    options = parse_arguments()
    rows = []
    for head_dim in options.head_dims:
        for mask in options.masks:
            schedules = options.candidate or fa_tune.list_schedules("sm_90a", head_dim)
            kernels = compile_all(head_dim, mask, [DEFAULT, *(s for s in schedules if s)], options)
            if options.compile_only:
                continue
            for cell in cells_module.table((head_dim,), options.lengths, (mask,)):
                cell = dataclasses.replace(cell, value_dim=options.value_dim or head_dim)
                rows.append(tune(cell, kernels, options))
                if options.json:
                    pathlib.Path(options.json).write_text(json.dumps({"command": report.command(), "rows": rows}, indent=1))
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
