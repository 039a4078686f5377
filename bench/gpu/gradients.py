#!/usr/bin/env python3
"""Gradients by warp-specialised kernels (sm_90a): against float64, then beside cuDNN and FlashAttention-2 of torch.

    python bench/gpu/gradients.py [--schedule gradients=roles] [--no-speed] [--json OUT]

Every shape is computed twice: d_key and d_value must have the same bits, d_query, a sum in any order, nearly so. A
gradient's error is relative, in the Frobenius norm. Times are medians of rounds in which the candidates take turns.
"""

import argparse
import json
import math
import pathlib
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]

import fa_mlir  # noqa: E402, F401
from fa_mlir import _attention  # noqa: E402

# batch, key heads, group, queries, keys, head dimension, type, causal
SHAPES = [
    (b, h, g, m, n, d, t, causal)
    for d in (128, 64)
    for causal in (False, True)
    for b, h, g, m, n, t in (
        (1, 1, 1, 64, 128, torch.bfloat16),
        (2, 3, 1, 256, 256, torch.bfloat16),
        (1, 2, 1, 1000, 1000, torch.bfloat16),
        (1, 2, 1, 1024, 1024, torch.float16),
        (1, 2, 4, 333, 517, torch.bfloat16),
        (1, 2, 1, 700, 65, torch.bfloat16),
        (1, 1, 1, 77, 900, torch.float16),
        (2, 16, 1, 2048, 2048, torch.bfloat16),
    )
]


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


def gradients_of(q, k, v, out, lse, d_out, causal):
    arguments = (
        d_out, None, out, lse, q, k, v, None, None, None, None, None, None, None, "top_left" if causal else "", None, None, None,
        "bhsd", "sm_90a", False, False, False,
    )  # fmt: skip
    return torch.ops.fa_mlir.attention_backward(*arguments)


def relative(a, b):
    return ((a.double() - b.double()).norm() / b.double().norm()).item()


def check():
    failures = 0
    for b, h, g, m, n, d, dtype, causal in SHAPES:
        q, k, v, d_out = (
            torch.randn(b, heads, rows, d, device="cuda", dtype=dtype) for heads, rows in ((h * g, m), (h, n), (h, n), (h * g, m))
        )
        out, lse, truth = reference(q, k, v, d_out, causal)
        out, lse = out.to(dtype), lse.float()
        runs = [gradients_of(q, k, v, out, lse, d_out, causal) for _ in range(2)]
        errors = [relative(x, y) for x, y in zip(runs[0], truth)]
        same = torch.equal(runs[0][1], runs[1][1]) and torch.equal(runs[0][2], runs[1][2])
        repeat = relative(runs[0][0], runs[1][0])
        good = max(errors) < 1e-2 and same and repeat < 1e-3
        failures += not good
        print(
            f"{'ok   ' if good else 'WRONG'} {b}x{h}x{g} {m}x{n} d{d} {str(dtype)[6:]} {'causal' if causal else 'full'}: "
            + " ".join(f"d{name} {error:.2e}" for name, error in zip("qkv", errors))
            + f", repeat dq {repeat:.0e}, dk and dv {'the same' if same else 'DIFFER'}",
            flush=True,
        )
    print(f"{len(SHAPES) - failures} right, {failures} wrong", flush=True)
    return failures


def peer(backend, q, k, v, d_out, causal):
    with sdpa_kernel(backend):
        q, k, v = (t.detach().requires_grad_() for t in (q, k, v))
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return lambda: torch.autograd.grad(out, (q, k, v), d_out, retain_graph=True)


def medians(candidates, flops, rounds=5):
    times = {name: [] for name in candidates}
    names = list(candidates)
    count = max(3, int(20e-3 * 400e12 / flops))
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
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


def time_all():
    rows = []
    for dim in (128, 64):
        for causal in (False, True):
            for length in (1024, 4096, 16384):
                batch, heads = max(1, 16384 // length), 2048 // dim
                q, k, v, d_out = (torch.randn(batch, heads, length, dim, device="cuda", dtype=torch.bfloat16) for _ in range(4))
                out, lse = torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, 0.0, causal)[:2]
                lse = lse.contiguous()
                flops = 10 * batch * heads * length * length * dim * (0.5 if causal else 1)
                candidates = {
                    "FA": lambda: gradients_of(q, k, v, out, lse, d_out, causal),
                    "cuDNN": peer(SDPBackend.CUDNN_ATTENTION, q, k, v, d_out, causal),
                    "FlashAttention-2": peer(SDPBackend.FLASH_ATTENTION, q, k, v, d_out, causal),
                }
                ms = medians(candidates, flops)
                rows.append({"head_dim": dim, "causal": causal, "length": length, "ms": ms})
                text = "  ".join(f"{name} {t:.3f} ms {flops / t / 1e9:.0f} TFLOP/s" for name, t in ms.items())
                best = min(ms["cuDNN"], ms["FlashAttention-2"])
                print(f"hd{dim} {'causal' if causal else 'full'} S={length}: {text}  ratio {best / ms['FA']:.3f}", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedule", default="gradients=roles")
    parser.add_argument("--no-speed", action="store_true")
    parser.add_argument("--json")
    args = parser.parse_args()
    torch.manual_seed(0)
    _attention.GPU_SCHEDULE = args.schedule
    failures = check()
    rows = [] if args.no_speed else time_all()
    if args.json:
        device = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "schedule": args.schedule}
        pathlib.Path(args.json).write_text(json.dumps({**device, "failures": failures, "speed": rows}, indent=1))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
