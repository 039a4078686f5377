#!/usr/bin/env python3
"""Speed of fa_mlir.attention beside every peer present, in one run, on random data.

    python bench/gpu/speed.py [--rounds 5] [--head-dims 64 128 256] [--lengths 1024 4096 16384] [--json OUT]

B*S = 16384 and H*D = 2048 as in the literature. Candidates are interleaved, their order is drawn per round, each has
its own warm-up; the figure is the median over rounds of the median time. FLOPs: 4*B*H*Sq*Sk*D, half if causal.
"""

import argparse
import json
import pathlib
import random
import statistics
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import fa_mlir  # noqa: E402


def sdpa(backend, q, k, v, causal):
    def call():
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    return call


def candidates(q, k, v, causal, standard):
    table = {
        "fa": lambda: fa_mlir.attention(q, k, v, causal="top_left" if causal else False),
        "FlashAttention-2": sdpa(SDPBackend.FLASH_ATTENTION, q, k, v, causal),
        "cuDNN": sdpa(SDPBackend.CUDNN_ATTENTION, q, k, v, causal),
    }
    if standard:
        table["standard (PyTorch math)"] = sdpa(SDPBackend.MATH, q, k, v, causal)
    present = {}
    expected = None
    for name, call in table.items():
        try:
            out = call()
            torch.cuda.synchronize()
        except Exception as error:
            print(f"  {name}: absent ({str(error).splitlines()[0]})")
            continue
        if expected is None:
            expected = out
        elif (out.float() - expected.float()).norm() > 1e-2 * expected.float().norm():
            print(f"  {name}: WRONG RESULT beside {next(iter(present))}")
            continue
        present[name] = call
    return present


def time_of(call, repeats):
    for _ in range(max(2, repeats // 2)):
        call()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(repeats + 1)]
    events[0].record()
    for event in events[1:]:
        call()
        event.record()
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) for a, b in zip(events, events[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--head-dims", type=int, nargs="+", default=[64, 128, 256])
    parser.add_argument("--lengths", type=int, nargs="+", default=[1024, 4096, 16384])
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--json")
    args = parser.parse_args()

    torch.manual_seed(0)
    rng = random.Random(0)
    rows = []
    for d in args.head_dims:
        for causal in (False, True):
            for s in args.lengths:
                b, h = max(1, 16384 // s), 2048 // d
                q, k, v = (
                    torch.randn(b, h, s, d, device="cuda", dtype=getattr(torch, args.dtype)) for _ in range(3)
                )
                flops = 4 * b * h * s * s * d / (2 if causal else 1)
                present = candidates(q, k, v, causal, standard=s <= 4096)
                repeats = max(3, int(0.02 / (flops / 400e12)))
                times = {name: [] for name in present}
                for _ in range(args.rounds):
                    order = list(present)
                    rng.shuffle(order)
                    for name in order:
                        times[name].append(time_of(present[name], repeats))
                row = {"head_dim": d, "causal": causal, "S": s, "B": b, "H": h}
                row["tflops"] = {n: flops / statistics.median(t) / 1e9 for n, t in times.items()}
                rows.append(row)
                text = "  ".join(f"{n} {x:.0f}" for n, x in row["tflops"].items())
                print(f"hd{d} {'causal' if causal else 'full'} S={s}: {text}", flush=True)
    if args.json:
        info = {
            "device": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
            "cudnn": torch.backends.cudnn.version(), "command": " ".join(sys.argv), "rows": rows,
        }
        pathlib.Path(args.json).write_text(json.dumps(info, indent=1))


if __name__ == "__main__":
    main()
