#!/usr/bin/env python3
"""Gradients of random attention problems through torch.ops.fa_mlir.attention_backward against float64; then their speed.

    python bench/gpu/check_backward.py --count 300 --seed 0 [--device cuda|cpu] [--json OUT]
    python bench/gpu/check_backward.py --count 60 --schedule d-query=atomic --max-head-dim 128
    python bench/gpu/check_backward.py --count 300 --target sm_90a --schedule gradients=roles --head-dims 64 128 --only-qkv [--deterministic]
    python bench/gpu/check_backward.py --count 12 --repeats 200      # workspaces and results full of NaN before each call
    python bench/gpu/check_backward.py --count 0 --speed     # beside torch's FlashAttention-2

Problems are those of check.py. out and lse are inputs of the gradients, so the reference starts from the same rounded
values. A gradient may be no worse than twice the naive computation in the inputs' types, plus two roundings. How wrong that
is depends on the order of its sums, so it is done in some ways: as torch adds; as tensor cores add, where after every 16
products the sum is cut, not rounded, to float32; and, where these do not suffice, one addition after another in random orders
(docs/backward.md, "Errors"). Prints one line a failure, exits with 1 if there is one.

--mutate asks what the bound is good for: every problem is checked again with gradients that have one small defect, of which
MUTATIONS has the list, and the share of problems in which each is found is printed.
"""

import argparse
import ctypes
import json
import math
import pathlib
import sys

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "gpu")]

import check  # noqa: E402
import fa_mlir  # noqa: E402
from fa_mlir import _attention  # noqa: E402
from reference import keep_mask  # noqa: E402


def cut(x):
    """float64 to float32 towards 0."""
    near = x.float()
    too_far = near.double().abs() > x.abs()
    return torch.where(too_far, torch.nextafter(near, torch.zeros_like(near)), near)


def cut_products(a, b):
    """a @ b of 16-bit values as tensor cores add."""
    total = torch.zeros(*torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1], device=a.device)
    for first in range(0, a.shape[-1], 16):
        total = cut(total.double() + a[..., first : first + 16].double() @ b[..., first : first + 16, :].double())
    return total


def exp2_of(x):
    """exp as hardware has it."""
    return torch.exp2(x * (1 / math.log(2)))


def one_by_one(a, b):
    """a @ b, one addition after another."""
    total = torch.zeros(*torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1], dtype=a.dtype, device=a.device)
    for k in range(a.shape[-1]):
        total += a[..., k : k + 1] * b[..., k : k + 1, :]
    return total


def summed_dims(t, shape):
    return [i for i, size in enumerate(shape) if size != t.shape[i]]


def sum_backwards(t, shape):
    return t.flip(summed_dims(t, shape)).sum_to_size(shape)


def sum_one_by_one(t, shape, direction=1):
    """t.sum_to_size(shape), one addition after another. (Torch's sums add many terms at a time, its cumsum in double.)"""
    summed = summed_dims(t, shape)
    kept = [i for i in range(t.dim()) if i not in summed]
    array = t.permute(*kept, *summed).reshape(*(t.shape[i] for i in kept), -1).cpu().numpy()[..., ::direction]
    total = np.cumsum(array, -1, dtype=array.dtype)[..., -1] if array.shape[-1] else np.zeros(array.shape[:-1], array.dtype)
    return torch.from_numpy(np.ascontiguousarray(total)).to(t.device).reshape(shape)


#: Ways to compute naively: products of rows and keys, the exponential, sums over all but some dimensions.
WAYS = [
    (torch.matmul, torch.exp, lambda t, shape: t.sum_to_size(shape)),
    (cut_products, exp2_of, sum_backwards),
]
ORDERS = 8


def shuffled_way(seed, multiply):
    """All sums one addition after another, in a random order."""
    random = torch.Generator().manual_seed(seed)

    def order(t, dim):
        return torch.randperm(t.shape[dim], generator=random).to(t.device)

    def multiply_shuffled(a, b):
        at = order(a, -1)
        return multiply(a[..., at], b[..., at, :])

    def sum_shuffled(t, shape):
        for dim in summed_dims(t, shape):
            t = t.index_select(dim, order(t, dim))
        return sum_one_by_one(t, shape)

    return multiply_shuffled, (torch.exp, exp2_of)[seed % 2], sum_shuffled


def slow_ways(dtype):
    """Only where the others do not suffice."""
    kinds = [one_by_one, cut_products] if dtype.itemsize == 2 else [one_by_one]
    return [(one_by_one, exp2_of, sum_one_by_one)] + [shuffled_way(i, kinds[i // 2 % len(kinds)]) for i in range(ORDERS)]


def gradients(config, query, key, value, out, lse, d_out, d_lse, dtype, way=WAYS[0]):
    """What the description of fa.attention_backward says, with the whole matrix in memory; products in `dtype`."""
    multiply, exp, sum_to = way
    o = config.options
    soft = torch.promote_types(dtype, torch.float32)
    q, k, v, out, d_out = (t.to(dtype) for t in (query, key, value, out, d_out))
    lse, d_lse = lse.to(soft), d_lse.to(soft)
    sq, sk = config.query_length, config.key_length

    def clear(tensor, lengths):
        if lengths is None:
            return tensor
        inside = torch.arange(tensor.shape[2], device=tensor.device).view(1, 1, -1) < lengths.view(-1, 1, 1)
        return torch.where(inside[..., None] if tensor.dim() == 4 else inside, tensor, torch.zeros((), dtype=tensor.dtype, device=tensor.device))

    q, out, d_out, d_lse = (clear(t, o.get("query_lengths")) for t in (q, out, d_out, d_lse))
    k, v = (clear(t, o.get("key_lengths")) for t in (k, v))
    wide_k, wide_v = (t.repeat_interleave(config.group, dim=1) for t in (k, v))
    scale = o.get("scale")
    scale = 1 / math.sqrt(config.head_dim) if scale is None else scale
    s = multiply(q.to(soft), wide_k.to(soft).transpose(-1, -2)) * scale
    slope = 1.0
    if o.get("softcap") is not None:
        t = torch.tanh(s / o["softcap"])
        s, slope = o["softcap"] * t, 1 - t * t
    keep, offset = keep_mask(config, q.device)
    if o.get("alibi_slopes") is not None:
        i = torch.arange(sq, device=q.device).view(1, 1, -1, 1)
        j = torch.arange(sk, device=q.device).view(1, 1, 1, -1)
        s = s - o["alibi_slopes"].to(soft).view(1, -1, 1, 1) * (i + offset - j).abs().to(soft)
    if o.get("bias") is not None:
        s = s + o["bias"].to(soft)
    if o.get("mask") is not None:
        keep = keep & o["mask"]
    live = lse != float("-inf")
    zero = torch.zeros((), dtype=soft, device=q.device)
    base = torch.where(live, lse, zero)
    p = torch.where(keep & live[..., None], exp(s - base[..., None]), zero)
    heads = config.kv_heads * config.group
    delta = torch.where(live, sum_to(out.to(soft) * d_out.to(soft), (config.batch, heads, sq, 1))[..., 0] - d_lse, zero)
    dp = multiply(d_out.to(soft), wide_v.to(soft).transpose(-1, -2))
    ds = torch.where(keep & live[..., None], p * (dp - delta[..., None]), zero)
    dx = (ds * slope).to(dtype)

    def over_rows(weights, rows):
        """The sum over the rows of all heads that share a key head."""
        weights, rows = (t.to(soft).reshape(config.batch, config.kv_heads, config.group * sq, t.shape[-1]) for t in (weights, rows))
        return multiply(weights.transpose(-1, -2), rows)

    result = {
        "query": multiply(dx.to(soft), wide_k.to(soft)) * scale,
        "key": over_rows(dx, q) * scale,
        "value": over_rows(p.to(dtype), d_out),
    }
    if o.get("bias") is not None:
        full = ds.expand(config.batch, heads, sq, sk)
        bias = o["bias"].shape
        result["bias"] = sum_to(full, (1,) * (4 - len(bias)) + tuple(bias)).view(bias)
    if o.get("sinks") is not None:
        weight = exp(o["sinks"].to(soft).view(1, -1, 1) - base)
        result["sinks"] = sum_to(torch.where(live, -weight * delta, zero), (1, heads, 1)).view(heads)
    return result


def without_last(t, dim):
    t = t.clone()
    t.narrow(dim, t.shape[dim] - 1, min(1, t.shape[dim])).zero_()
    return t


def change(name, make):
    return lambda given: {**given, name: make(given[name])}


#: Small defects, as changes of what gradients are computed from.
MUTATIONS = {
    "no gradient of lse": change("d_lse", torch.zeros_like),
    "the last row's d_out lost": change("d_out", lambda t: without_last(t, 2)),
    "the last key's value lost": change("value", lambda t: without_last(t, 2)),
    "the last of a head's dimensions lost": change("query", lambda t: without_last(t, 3)),
    "lse off by one part in 1000": change("lse", lambda t: t * 1.001),
    "out rounded once more, to 6 bits": change("out", lambda t: (t.double() * 64).round().to(t.dtype) / 64),
}


class Mutations:
    """In how many problems a defect is found, of those that it shows in at all."""

    def __init__(self):
        self.found, self.shown = dict.fromkeys(MUTATIONS, 0), dict.fromkeys(MUTATIONS, 0)

    def check(self, given, names, truth, naive, inputs):
        config, *tensors = given
        given = dict(zip(("query", "key", "value", "out", "lse", "d_out", "d_lse"), tensors))
        for title, mutate in MUTATIONS.items():
            changed = mutate(given)
            exact, rounded = (gradients(config, **changed, dtype=dtype) for dtype in (torch.float64, config.dtype))
            shows = any(not torch.equal(exact[name].to(inputs[name].dtype), truth[name].to(inputs[name].dtype)) for name in names)
            got = [rounded[name].to(inputs[name].dtype) for name in names]
            self.shown[title] += shows
            self.found[title] += shows and bool(violations(names, got, truth, naive, inputs))

    def __str__(self):
        return "\n".join(f"{title}: found in {self.found[title]} of {self.shown[title]}" for title in MUTATIONS)


def violations(names, got, truth, naive, inputs):
    reasons = []
    for name, gradient in zip(names, got):
        expected = truth[name]
        rough = [way[name].to(inputs[name].dtype).double() for way in naive]
        if not expected.numel():
            continue
        if not torch.isfinite(gradient).all():
            reasons.append(f"d_{name}: {int((~torch.isfinite(gradient)).sum())} values are not finite")
            continue
        error = (gradient.double() - expected).abs().max().item()
        ulp = torch.finfo(gradient.dtype).eps
        bar = 2 * max((r - expected).abs().max().item() for r in rough) + 2 * ulp * expected.abs().max().item() + 1e-30
        if gradient.dtype == torch.float64:
            bar = max(bar, 1e-12 * expected.abs().max().item(), 1e-12)
        if not error <= bar:
            reasons.append(f"d_{name}: error {error:.3e} > {bar:.3e}, largest {expected.abs().max().item():.3e}")
    return reasons


def poison():
    """From here on, all that the kernels' caller allocates is NaN at first."""
    from fa_mlir import _torch
    from fa_mlir._library import Allocate, Allocator, Release

    empty, kept = torch.empty, {}

    def full_of_nan(*sizes, **options):
        made = empty(*sizes, **options)
        return made.fill_(float("nan")) if made.is_floating_point() else made

    def allocate(_context, _result, size, _stream):
        memory = torch.full((max(size, 1),), 255, dtype=torch.uint8, device="cuda")
        kept[memory.data_ptr()] = memory
        return memory.data_ptr()

    def release(_context, pointer, _stream):
        del kept[pointer]

    allocator = Allocator(Allocate(allocate), Release(release), None)
    _torch.get_allocator = lambda _: ctypes.byref(allocator)
    torch.empty = full_of_nan


def check_one(problem, generator, args):
    config, layout, query, key, value = problem
    if max(config.head_dim, config.value_dim) > args.max_head_dim:
        return []
    if args.head_dims and not {config.head_dim, config.value_dim} <= set(args.head_dims):
        return []
    order = (lambda t: t) if layout == "bhsd" else (lambda t: t.transpose(1, 2))
    out, lse = check.run(None, *problem)
    # Rows past a length of a real tensor hold anything; here the outputs of the forward pass.
    device = query.device
    d_out = torch.randn(out.shape, generator=generator, device=device).to(config.dtype)
    if generator.initial_seed() % 5 == 0:
        d_out = d_out[:1, :1, :1, :1].expand(out.shape)
    d_lse = torch.randn(lse.shape, generator=generator, device=device).to(lse.dtype)
    o = config.options
    names = ["query", "key", "value"]
    with_bias, with_sinks = (not args.only_qkv and o.get(name) is not None for name in ("bias", "sinks"))
    names += ["bias"] * with_bias + ["sinks"] * with_sinks
    left, right = o.get("window") or (None, None)
    causal = {True: "bottom_right", False: "", None: ""}.get(o.get("causal"), o.get("causal"))
    extras = (o.get(x) for x in ("bias", "mask", "alibi_slopes", "sinks", "query_lengths", "key_lengths"))
    arguments = (
        order(d_out), d_lse, order(out), lse, order(query), order(key), order(value), *extras, o.get("scale"), causal, left, right,
        o.get("softcap"), layout, args.target, args.deterministic, with_bias, with_sinks,
    )  # fmt: skip

    def call():
        results = torch.ops.fa_mlir.attention_backward(*arguments)
        return [order(r) if i < 3 else r for i, r in enumerate(results)]

    got = call()
    given = (config, query, key, value, out, lse, d_out, d_lse)
    truth = gradients(*given, torch.float64)
    # In wide types products are exact enough.
    ways = WAYS if config.dtype.itemsize == 2 else [WAYS[0], (torch.matmul, *WAYS[1][1:])]
    naive = [gradients(*given, config.dtype, way) for way in ways]
    inputs = dict(query=query, key=key, value=value, bias=config.options.get("bias"), sinks=config.options.get("sinks"))
    reasons = violations(names, got, truth, naive, inputs)
    if reasons or args.mutations:
        naive += [gradients(*given, config.dtype, way) for way in slow_ways(config.dtype)]
        reasons = violations(names, got, truth, naive, inputs)
    if args.mutations:
        args.mutations.check(given, names, truth, naive, inputs)
    # Only d_query may be added up in any order.
    same = names if args.deterministic else names[1:]
    for _ in range(args.repeats - 1):
        again = call()
        others = [name for name, a, b in zip(names, got, again) if name in same and not torch.equal(a, b)]
        if others:
            reasons.append("a second run gave other bits of " + ", ".join("d_" + name for name in others))
        if reasons := reasons + violations(names, again, truth, naive, inputs):
            break
    return reasons


#===------------------------------------------------------------------------===#
# Speed
#===------------------------------------------------------------------------===#


def best_time(function, repeats=7, rounds=3):
    """Milliseconds of one call: the least of some averages."""
    function()
    torch.cuda.synchronize()
    best = float("inf")
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(rounds):
            function()
        end.record()
        torch.cuda.synchronize()
        best = min(best, start.elapsed_time(end) / rounds)
    return best


def flash(q, k, v, d_out, causal):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        q, k, v = (t.detach().requires_grad_() for t in (q, k, v))
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return lambda: torch.autograd.grad(out, (q, k, v), d_out, retain_graph=True)


def time_speed(schedules, rows):
    heads = 16
    for dim in (64, 128):
        for length in (1024, 4096, 16384):
            for causal in (False, True):
                batch = max(1, 16384 // length)
                q, k, v, d_out = (torch.randn(batch, heads, length, dim, device="cuda", dtype=torch.bfloat16) for _ in range(4))
                out, lse = fa_mlir.attention(q, k, v, causal=causal, return_lse=True)
                flops = 10 * batch * heads * length * length * dim * (0.5 if causal else 1)
                times = {"FlashAttention-2": best_time(flash(q, k, v, d_out, causal))}
                for schedule in schedules:
                    only, colon, rest = (schedule or "").rpartition(":")
                    if colon and int(only) != dim:
                        continue
                    _attention.GPU_SCHEDULE = rest or None
                    _attention._plans.clear()
                    arguments = (
                        d_out, None, out, lse, q, k, v, None, None, None, None, None, None, None, "top_left" if causal else "",
                        None, None, None, "bhsd", "sm_80", False, False, False,
                    )  # fmt: skip
                    try:
                        times[rest or "default"] = best_time(lambda: torch.ops.fa_mlir.attention_backward(*arguments))
                    except Exception as error:
                        print(f"{schedule}: {error}", flush=True)
                row = {"head_dim": dim, "length": length, "causal": causal, "ms": times}
                rows.append(row)
                text = "  ".join(f"{name} {ms:.3f} ms {flops / ms / 1e9:.0f} TFLOP/s" for name, ms in times.items())
                print(f"hd{dim} S={length} {'causal' if causal else 'full'}: {text}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--schedule", help="of the GPU kernels; default: the compiler's")
    parser.add_argument("--only-qkv", action="store_true", help="no gradients of biases and sinks")
    parser.add_argument("--deterministic", action="store_true", help="ask for it: the same bits whatever the schedule")
    parser.add_argument("--target", help="default: the package's")
    parser.add_argument("--head-dims", type=int, nargs="+", help="skip problems of others")
    parser.add_argument("--max-head-dim", type=int, default=256, help="skip problems of larger ones")
    parser.add_argument("--repeats", type=int, default=2, help="more than 2: with memory full of NaN before each call")
    parser.add_argument("--mutate", action="store_true", help="what the bound is good for, see above")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--schedules", default="", help="for --speed, separated by ;; 64: before one: only for that head dimension")
    parser.add_argument("--json")
    args = parser.parse_args()
    _attention.GPU_SCHEDULE = args.schedule
    dtypes = [torch.bfloat16, torch.float16]
    if args.device == "cpu":
        dtypes += [torch.float32, torch.float64]
    args.mutations = Mutations() if args.mutate else None
    rows = []
    if args.repeats > 2:
        poison()
    failures = check.check_problems(args, dtypes, lambda problem, generator: check_one(problem, generator, args))
    if args.mutations:
        print(args.mutations)
    if args.speed:
        time_speed([s or None for s in args.schedules.split(";")], rows)
    if args.json:
        device = torch.cuda.get_device_name() if args.device == "cuda" else "cpu"
        pathlib.Path(args.json).write_text(
            json.dumps(
                {"device": device, "torch": torch.__version__, "count": args.count, "seed": args.seed, "schedule": args.schedule,
                 "failures": failures, "speed": rows},
                indent=1,
            )
        )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
