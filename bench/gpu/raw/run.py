#!/usr/bin/env python3
"""Checks folders that build.py made against float64 and times them beside PyTorch, on a GPU.

    python bench/gpu/raw/run.py build/gpu-raw [--check-only] [--only NAME ...] [--lengths 4096 16384] [--rounds 5]

Needs torch and cuda-python. Candidates of one shape are interleaved and their order rotates from round to round;
the figure is the median over rounds. TFLOP/s count 4*B*H*Sq*Sk*D, half of it if causal.
"""

import argparse
import json
import math
import pathlib
import statistics

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from manifest import Program

DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16}


def make(variant, batch, heads, sq, sk, layout="bhsd"):
    dtype = DTYPES[variant["dtype"]]

    def tensor(s, d):
        if layout == "bhsd":
            return torch.randn(batch, heads, s, d, device="cuda").to(dtype)
        if layout == "odd":  # rows that start at odd elements: the element-wise path
            return torch.randn(batch, heads, s, d + 3, device="cuda").to(dtype)[..., 1 : 1 + d]
        return torch.randn(batch, s, heads, d, device="cuda").to(dtype).transpose(1, 2)

    q, k, v = tensor(sq, variant["head_dim"]), tensor(sk, variant["head_dim"]), tensor(sk, variant["value_dim"])
    out = torch.full_like(tensor(sq, variant["value_dim"]), float("nan"))
    if layout != "bhsd":
        storage = tensor(sq, variant["value_dim"])
        storage.fill_(float("nan"))
        out = storage
    lse = torch.full((batch, heads, sq), float("nan"), device="cuda")
    return q, k, v, out, lse


def reference(q, k, v, causal, dtype):
    """out, lse; rows without keys give 0 and -inf."""
    q, k, v = q.to(dtype), k.to(dtype), v.to(dtype)
    s = (q @ k.transpose(-1, -2)).double() if dtype == torch.float64 else (q @ k.transpose(-1, -2)).float()
    s = s / math.sqrt(q.shape[-1])
    if causal:
        i = torch.arange(q.shape[2], device="cuda").view(-1, 1) + k.shape[2] - q.shape[2]
        s = s.masked_fill(torch.arange(k.shape[2], device="cuda").view(1, -1) > i, -math.inf)
    lse = torch.logsumexp(s, -1)
    p = torch.exp(s - torch.where(lse == -math.inf, 0.0, lse).unsqueeze(-1))
    return (p.to(dtype) @ v).double(), lse.double()


def check(program, variant):
    worst = 0.0
    shapes = [(1, 2, 128, 128), (2, 3, 512, 512), (1, 2, 1, 77), (2, 1, 130, 257), (1, 2, 300, 65), (1, 1, 1024, 1000)]
    for batch, heads, sq, sk in shapes:
        for layout in ("bhsd", "bshd", "odd"):
            q, k, v, out, lse = make(variant, batch, heads, sq, sk, layout)
            program.bind(q, k, v, out, lse)()
            torch.cuda.synchronize()
            truth, truth_lse = reference(q, k, v, variant["causal"], torch.float64)
            naive, naive_lse = reference(q, k, v, variant["causal"], q.dtype)
            ulp = 2.0**-7 if q.dtype == torch.bfloat16 else 2.0**-10
            bound = 2 * (naive - truth).abs().max() + 2 * ulp * truth.abs().max()
            error = (out.double() - truth).abs().max()
            finite = truth_lse > -math.inf
            lse_same = bool(((lse > -math.inf) == finite).all())
            lse_error = (lse.double() - truth_lse)[finite].abs().max() if finite.any() else torch.tensor(0.0)
            where = f"B{batch} H{heads} {sq}x{sk} {layout}"
            if not error <= bound or not lse_error <= 1e-5 or not lse_same:
                return f"WRONG at {where}: error {error:.2e}, allowed {bound:.2e}; lse {lse_error:.1e} {lse_same}"
            worst = max(worst, (error / bound).item())
    return f"ok, worst error {worst:.2f} of what is allowed"


def time_once(run, repeats):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    run()
    start.record()
    for _ in range(repeats):
        run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / repeats


def bench(candidates, rounds):
    times = {name: [] for name, _ in candidates}
    for _, run in candidates:
        run()
    for r in range(rounds):
        order = candidates[r % len(candidates) :] + candidates[: r % len(candidates)]
        for name, run in order:
            times[name].append(time_once(run, 10))
    return {name: statistics.median(t) for name, t in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--check-only", action="store_true")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--lengths", type=int, nargs="*", default=[1024, 4096, 16384])
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")  # makes the context that kernels are loaded into
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "CUDA", torch.version.cuda)
    good = {}
    for path in sorted(args.folder.glob("*/variant.json")):
        name = path.parent.name
        if args.only and name not in args.only:
            continue
        variant = json.loads(path.read_text())
        try:
            program = Program(path.parent)
            verdict = check(program, variant)
        except RuntimeError as error:
            print(f"{name:24} FAILED {error}", flush=True)
            if "ILLEGAL" in str(error) or "LAUNCH" in str(error) or "CUDA error" in str(error):
                return 1  # the context is lost
            continue
        resources = "; ".join(text for _, text in program.kernels.values())
        print(f"{name:24} {verdict}; {resources}", flush=True)
        if verdict.startswith("ok"):
            good[name] = (program, variant)
    if args.check_only:
        return 0
    groups = sorted({(v["head_dim"], v["value_dim"], v["dtype"], v["causal"]) for _, v in good.values()})
    for head_dim, value_dim, dtype, causal in groups:
        members = {
            n: pv
            for n, pv in good.items()
            if (pv[1]["head_dim"], pv[1]["value_dim"], pv[1]["dtype"], pv[1]["causal"])
            == (head_dim, value_dim, dtype, causal)
        }
        for length in args.lengths:
            heads = max(1, 2048 // head_dim)
            batch = max(1, 16384 // length)
            variant = next(iter(members.values()))[1]
            q, k, v, out, lse = make(variant, batch, heads, length, length)
            candidates = [(n, p.bind(q, k, v, out, lse)) for n, (p, _) in members.items()]
            for label, backend in (("FA2", SDPBackend.FLASH_ATTENTION), ("cuDNN", SDPBackend.CUDNN_ATTENTION)):

                def peer(backend=backend):
                    with sdpa_kernel(backend):
                        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

                try:
                    peer()
                    candidates.append((label, peer))
                except RuntimeError:
                    pass
            times = bench(candidates, args.rounds)
            flops = 2 * batch * heads * length * length * (head_dim + value_dim) * (0.5 if causal else 1)
            figures = "  ".join(f"{n} {flops / t / 1e9:.0f}" for n, t in times.items())
            kind = "causal" if causal else "full"
            print(f"D{head_dim}/{value_dim} {dtype} {kind} B{batch} H{heads} S{length}: {figures} TFLOP/s", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
