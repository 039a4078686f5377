#!/usr/bin/env python3
"""Time of fa_mlir.attention under several schedules of target sm_80, in one run: what the defaults are chosen by.

    python bench/gpu/schedules.py [--rounds 5] [--only d128 bias] [--length 4096] [--json OUT]

Every schedule of a problem must give the first one's result (to rounding) and is timed in rounds, in an order drawn anew
each round; the figure is the median over rounds of each round's median, in TFLOP/s. The first of each list is the default.
"""

import argparse
import json
import pathlib
import random
import statistics
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "gpu")]

import fa_mlir  # noqa: E402
import report  # noqa: E402
from clock import DeviceClock  # noqa: E402
from fa_mlir import _attention  # noqa: E402

#: Problem -> (head dimension, options, schedules). "bias" and "mask" stand for tensors [B, 1, Sq, Sk].
PROBLEMS = {
    "d64 full": (64, {}, ["", "skip-rescale=false"]),
    "d64 causal": (64, {"causal": "top_left"}, ["", "skip-rescale=false"]),
    "d128 full": (128, {}, ["", "skip-rescale=false", "early-keys=false", "key-tile=32 stages=2"]),
    "d128 causal": (128, {"causal": "top_left"}, ["", "skip-rescale=false", "early-keys=false"]),
    "d192 full": (192, {}, ["", "skip-rescale=false"]),
    "d256 full": (256, {}, ["", "skip-rescale=false"]),
    "d64 bias": (64, {"bias": True}, ["", "key-tile=64", "query-tile=64 key-tile=64", "key-tile=32 stages=1"]),
    "d128 bias": (128, {"bias": True}, ["", "key-tile=64", "query-tile=64 key-tile=64", "key-tile=32 stages=2"]),
    "d64 mask": (64, {"mask": True}, ["", "key-tile=64", "query-tile=64 key-tile=64"]),
    "d128 mask": (128, {"mask": True}, ["", "key-tile=64", "query-tile=64 key-tile=64"]),
    "d128 softcap": (128, {"softcap": 30.0, "causal": "top_left"}, ["", "query-tile=64 key-tile=64"]),
}


def make_call(head_dim, options, length):
    batch, heads = max(1, 16384 // length), 2048 // head_dim
    shape = (batch, heads, length, head_dim)
    q, k, v = (torch.randn(shape, device="cuda").to(torch.bfloat16) for _ in range(3))
    options = dict(options)
    if "bias" in options:
        options["bias"] = torch.randn(batch, 1, length, length, device="cuda").to(torch.bfloat16)
    if "mask" in options:
        options["mask"] = torch.rand(batch, 1, length, length, device="cuda") < 0.7
    flops = 4 * batch * heads * length * length * head_dim / (2 if "causal" in options else 1)
    return lambda: fa_mlir.attention(q, k, v, target="sm_80", **options), flops


def use(schedule):
    _attention.GPU_SCHEDULE = schedule or None
    _attention._plans.clear()


def is_close(out, expected):
    return (out.float() - expected.float()).norm() <= 5e-3 * expected.float().norm()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--length", type=int, default=4096)
    parser.add_argument("--only", nargs="+", help="problems whose names have one of these words")
    parser.add_argument("--json")
    args = parser.parse_args()
    torch.manual_seed(0)
    rng, clock, rows, wrong = random.Random(0), DeviceClock(torch), [], 0
    for name, (head_dim, options, schedules) in PROBLEMS.items():
        if args.only and not any(word in name.split() for word in args.only):
            continue
        call, flops = make_call(head_dim, options, args.length)
        repeats = max(3, int(0.01 / (flops / 300e12)))
        expected, times = None, {}
        for schedule in schedules:
            use(schedule)
            out = call()
            expected = out if expected is None else expected
            if is_close(out, expected):
                times[schedule] = []
            else:
                print(f"{name}: {schedule or 'default'}: WRONG RESULT beside the default")
                wrong += 1
        for _ in range(args.rounds):
            for schedule in rng.sample(list(times), len(times)):
                use(schedule)
                times[schedule].append(clock.median(call, repeats))
        rates = {schedule or "default": flops / statistics.median(t) / 1e9 for schedule, t in times.items()}
        rows.append({"problem": name, "length": args.length, "tflops": rates})
        print(f"{name}: " + "; ".join(f"{schedule} {rate:.0f}" for schedule, rate in rates.items()), flush=True)
    use("")
    if args.json:
        info = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "command": report.command(), "rows": rows}
        pathlib.Path(args.json).write_text(json.dumps(info, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
