#!/usr/bin/env python3
"""Gradients by warp-specialised kernels (sm_90a): against float64, then beside cuDNN and FlashAttention-2 of torch.

    python bench/gpu/gradients.py [--schedule gradients=roles] [--no-speed] [--json OUT]
    python bench/gpu/gradients.py --schedules "gradients=roles" "gradients=roles gradient-fold-delta=1" --dims 128

Every shape is computed twice: d_key and d_value must have the same bits, d_query, a sum in any order, nearly so. A
gradient's error is relative, in the Frobenius norm. Times are medians of rounds in which the candidates take turns, in an order drawn
anew each round. Of several schedules the first is checked on all shapes, the others on some; a schedule with a wrong answer is not
timed.
"""

import argparse
import json
import math
import pathlib
import random
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]

import fa_mlir  # noqa: E402, F401
from fa_mlir import _attention  # noqa: E402

# batch, key heads, group, queries, keys, type
SHAPES = [
    (1, 1, 1, 64, 128, torch.bfloat16),
    (2, 3, 1, 256, 256, torch.bfloat16),
    (1, 2, 1, 1000, 1000, torch.bfloat16),
    (1, 2, 1, 1024, 1024, torch.float16),
    (1, 2, 4, 333, 517, torch.bfloat16),
    (1, 2, 1, 700, 65, torch.bfloat16),
    (1, 1, 1, 77, 900, torch.float16),
    (2, 16, 1, 2048, 2048, torch.bfloat16),
]
# The ones that go to the same compiled programs as what is timed.
FEW = [SHAPES[0], SHAPES[2], SHAPES[5], SHAPES[7]]


def reference(q, k, v, d_out, causal):
    q, k, v, d_out = (t.double() for t in (q, k, v, d_out))
    group = q.shape[1] // k.shape[1]
    wide_k, wide_v = (t.repeat_interleave(group, dim=1) for t in (k, v))
    scale = 1 / math.sqrt(q.shape[-1])
    s = q @ wide_k.transpose(-1, -2) * scale
    if causal:
        s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(1), -math.inf)
    lse = torch.logsumexp(s, -1)
    p = torch.exp(s - lse[..., None])
    out = p @ wide_v
    ds = p * (d_out @ wide_v.transpose(-1, -2) - (d_out * out).sum(-1, keepdim=True))

    def over_group(t):
        return t.view(k.shape[0], k.shape[1], group, *t.shape[2:]).sum(2)

    gradients = ds @ wide_k * scale, over_group(ds.transpose(-1, -2) @ q) * scale, over_group(p.transpose(-1, -2) @ d_out)
    return out, lse, gradients


def gradients_of(q, k, v, out, lse, d_out, causal, schedule, softcap=None, slopes=None):
    """A schedule that ends with "deterministic" asks for that."""
    plain = schedule.removesuffix(" deterministic")
    is_deterministic = plain != schedule
    _attention.GPU_SCHEDULE = plain
    arguments = (
        d_out, None, out, lse, q, k, v, None, None, slopes, None, None, None, None, "top_left" if causal else "", None, None, softcap,
        "bhsd", "sm_90a", is_deterministic, False, False,
    )  # fmt: skip
    return torch.ops.fa_mlir.attention_backward(*arguments)


def relative(a, b):
    return ((a.double() - b.double()).norm() / b.double().norm()).item()


def head_dims(text):
    """Of queries and keys, and of values: 128 or 192/128."""
    parts = [int(part) for part in text.split("/")]
    return parts[0], parts[-1]


def title_of(d, e):
    return str(d) if d == e else f"{d}/{e}"


def check(schedule, shapes, dims):
    failures, worst = 0, 0.0
    every = [(d, causal, *shape) for d in dims for causal in (False, True) for shape in shapes]
    for (d, e), causal, b, h, g, m, n, dtype in every:
        q, k, v, d_out = (
            torch.randn(b, heads, rows, dim, device="cuda", dtype=dtype)
            for heads, rows, dim in ((h * g, m, d), (h, n, d), (h, n, e), (h * g, m, e))
        )
        out, lse, truth = reference(q, k, v, d_out, causal)
        out, lse = out.to(dtype), lse.float()
        runs = [gradients_of(q, k, v, out, lse, d_out, causal, schedule) for _ in range(2)]
        errors = [relative(x, y) for x, y in zip(runs[0], truth)]
        same = torch.equal(runs[0][1], runs[1][1]) and torch.equal(runs[0][2], runs[1][2])
        repeat = relative(runs[0][0], runs[1][0])
        good = max(errors) < 1e-2 and same and repeat <= (0 if schedule.endswith(" deterministic") else 1e-3)
        failures += not good
        worst = max(worst, *errors)
        if good and shapes is FEW:
            continue
        print(
            f"{'ok   ' if good else 'WRONG'} {b}x{h}x{g} {m}x{n} d{title_of(d, e)} {str(dtype)[6:]} {'causal' if causal else 'full'}: "
            + " ".join(f"d{name} {error:.2e}" for name, error in zip("qkv", errors))
            + f", repeat dq {repeat:.0e}, dk and dv {'the same' if same else 'DIFFER'}",
            flush=True,
        )
    print(f"{schedule}: {len(every) - failures} right, {failures} wrong, errors up to {worst:.2e}", flush=True)
    return failures


def forward(q, k, v, causal):
    """out and lse, which the gradients start from."""
    if q.shape[-1] == v.shape[-1]:
        return torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, 0.0, causal)[:2]
    _attention.GPU_SCHEDULE = None
    return fa_mlir.attention(q, k, v, causal=causal, return_lse=True)


def peer(backend, q, k, v, d_out, causal):
    with sdpa_kernel(backend):
        q, k, v = (t.detach().requires_grad_() for t in (q, k, v))
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return lambda: torch.autograd.grad(out, (q, k, v), d_out, retain_graph=True)


def medians(candidates, flops, rounds):
    times = {name: [] for name in candidates}
    count = max(3, int(15e-3 * 400e12 / flops))
    for _ in range(rounds):
        for name in random.sample(list(candidates), len(candidates)):
            for _ in range(count):
                candidates[name]()
            events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
            events[0].record()
            for event in events[1:]:
                candidates[name]()
                event.record()
            torch.cuda.synchronize()
            spans = sorted(a.elapsed_time(b) for a, b in zip(events, events[1:]))
            times[name].append(spans[len(spans) // 2])
    return {name: sorted(values)[len(values) // 2] for name, values in times.items()}


def kernel_times(call):
    """Microseconds per kernel of one call."""
    from torch.profiler import ProfilerActivity, profile

    call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        for _ in range(3):
            call()
        torch.cuda.synchronize()
    return {event.key: round(event.device_time_total / event.count, 1) for event in trace.key_averages() if event.device_time_total > 0}


def time_all(schedules, args):
    rows = []
    for d, e in args.dims:
        for causal in (False, True):
            for length in args.lengths:
                batch, heads = max(1, 16384 // length), 2048 // e
                q, k, v, d_out = (torch.randn(batch, heads, length, dim, device="cuda", dtype=torch.bfloat16) for dim in (d, d, e, e))
                out, lse = (t.contiguous() for t in forward(q, k, v, causal))
                flops = (6 * d + 4 * e) * batch * heads * length * length * (0.5 if causal else 1)
                candidates = {s: lambda s=s: gradients_of(q, k, v, out, lse, d_out, causal, s) for s in schedules}
                candidates["cuDNN"] = peer(SDPBackend.CUDNN_ATTENTION, q, k, v, d_out, causal)
                if args.all_peers and d == e:
                    candidates["FlashAttention-2"] = peer(SDPBackend.FLASH_ATTENTION, q, k, v, d_out, causal)
                ms = medians(candidates, flops, args.rounds)
                row = {"head_dim": title_of(d, e), "causal": causal, "length": length, "ms": ms}
                best = min(t for name, t in ms.items() if name not in schedules)
                title = f"hd{title_of(d, e)} {'causal' if causal else 'full'} S={length}"
                print(f"{title}: peers " + ", ".join(f"{n} {flops / t / 1e9:.0f}" for n, t in ms.items() if n not in schedules))
                for s in schedules:
                    print(f"  {best / ms[s]:.3f}  {flops / ms[s] / 1e9:.0f} TFLOP/s  {s}", flush=True)
                if args.profile:
                    row["kernels"] = {s: kernel_times(candidates[s]) for s in schedules}
                    for s in schedules[: args.profile]:
                        print(f"  us: {row['kernels'][s]}  {s}", flush=True)
                rows.append(row)
                del q, k, v, d_out, out, lse, candidates
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedules", "--schedule", nargs="+", default=["gradients=roles"])
    parser.add_argument("--dims", type=head_dims, nargs="+", default=[(128, 128), (64, 64)], help="such as 256 192/128")
    parser.add_argument("--lengths", type=int, nargs="+", default=[1024, 4096, 16384])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-speed", action="store_true")
    parser.add_argument("--few", action="store_true", help="check the first schedule on few shapes, too")
    parser.add_argument("--all-peers", action="store_true", help="FlashAttention-2 beside cuDNN")
    parser.add_argument("--profile", type=int, default=0, help="print the kernels' times of so many schedules")
    parser.add_argument("--json")
    args = parser.parse_args()
    torch.manual_seed(0)
    random.seed(0)
    failures = {}
    for i, schedule in enumerate(args.schedules):
        start = time.time()
        try:
            failures[schedule] = check(schedule, FEW if i or args.few else SHAPES, args.dims)
        except Exception as error:  # noqa: BLE001: one schedule less
            print(f"{schedule}: {error}", flush=True)
            failures[schedule] = -1
        print(f"  checked in {time.time() - start:.0f} s", flush=True)
    right = [s for s in args.schedules if failures[s] == 0]
    rows = [] if args.no_speed or not right else time_all(right, args)
    if args.json:
        device = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "schedules": args.schedules}
        pathlib.Path(args.json).write_text(json.dumps({**device, "failures": failures, "speed": rows}, indent=1))
    return 1 if any(failures.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
