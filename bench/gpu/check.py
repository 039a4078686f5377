#!/usr/bin/env python3
"""Random attention problems through fa_mlir.attention against float64, on the GPU (or, slowly, on the CPU target).

    python bench/gpu/check.py --count 300 --seed 0 [--device cuda|cpu] [--target sm_80] [--json OUT]

Draws shapes, types, layouts, strides and every feature; checks architecture's error rule. Prints one line a failure,
exits with 1 if there is one. The same seed draws the same problems.
"""

import argparse
import json
import pathlib
import random
import sys

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "gpu")]

import fa_mlir  # noqa: E402
from counts import Counts  # noqa: E402
from reference import Config, violations  # noqa: E402

HEAD_DIMS = [1, 3, 8, 16, 31, 32, 40, 48, 64, 64, 72, 80, 96, 100, 128, 128, 160, 192, 200, 256]
LENGTHS = [1, 2, 5, 16, 17, 63, 64, 65, 100, 127, 128, 129, 200, 256, 300, 513]


def draw(rng, generator, device, dtypes):
    """A random problem and its tensors."""
    config = Config(
        batch=rng.choice([1, 2, 3]),
        kv_heads=rng.choice([1, 2, 3]),
        group=rng.choice([1, 1, 2, 4]),
        query_length=rng.choice(LENGTHS),
        key_length=rng.choice(LENGTHS + [0] if rng.random() < 0.2 else LENGTHS),
        head_dim=rng.choice(HEAD_DIMS),
        dtype=rng.choice(dtypes),
    )
    config.value_dim = config.head_dim if rng.random() < 0.7 else rng.choice(HEAD_DIMS)
    heads = config.kv_heads * config.group
    sq, sk = config.query_length, config.key_length
    o = config.options

    def normal(*shape, dtype=torch.float32):
        return torch.randn(*shape, generator=generator, device=device).to(dtype)

    layout = rng.choice(["bhsd", "bshd"])
    if rng.random() < 0.3:
        o["scale"] = rng.choice([0.0, -0.3, 0.05, 0.5, 1.0])
    o["causal"] = rng.choice([False, False, True, "top_left", "bottom_right"])
    if rng.random() < 0.3:
        side = lambda: rng.choice([None, 0, 1, 7, 64, 100])  # noqa: E731
        o["window"] = (side(), side())
    if rng.random() < 0.2:
        o["softcap"] = rng.choice([5.0, 30.0])
    if rng.random() < 0.25:
        shape = [s if rng.random() < 0.6 else 1 for s in (config.batch, heads, sq, sk)]
        o["bias"] = normal(*shape, dtype=rng.choice([config.dtype, torch.float32]))
        if rng.random() < 0.3:
            o["bias"].masked_fill_(torch.rand(shape, generator=generator, device=device) < 0.3, float("-inf"))
    if rng.random() < 0.25:
        shape = [s if rng.random() < 0.6 else 1 for s in (config.batch, heads, sq, sk)]
        o["mask"] = torch.rand(shape, generator=generator, device=device) < 0.7
    if rng.random() < 0.2:
        o["alibi_slopes"] = normal(heads).abs() * 0.1
    if rng.random() < 0.2:
        o["sinks"] = normal(heads)
    if rng.random() < 0.2:
        o["key_lengths"] = torch.tensor(
            [rng.randint(0, sk) for _ in range(config.batch)], dtype=torch.int32, device=device
        )
    if rng.random() < 0.15:
        o["query_lengths"] = torch.tensor(
            [rng.randint(0, sq) for _ in range(config.batch)], dtype=torch.int32, device=device
        )

    def tensor(heads, length, dim):
        """[B, H, S, D] in the layout's memory order, sometimes a slice of something wider."""
        extra = rng.choice([0, 0, 0, 8, 3])
        magnitude = rng.choice([1.0, 1.0, 1.0, 4.0])
        if layout == "bhsd":
            t = normal(config.batch, heads, length, dim + extra)[..., :dim]
        else:
            t = normal(config.batch, length, heads, dim + extra)[..., :dim].transpose(1, 2)
        return (t * magnitude).to(config.dtype) if not extra else pad_like(t * magnitude, config.dtype, extra)

    def pad_like(t, dtype, extra):
        wide = torch.empty(*t.shape[:-1], t.shape[-1] + extra, dtype=dtype, device=device)
        if layout == "bshd":
            wide = torch.empty(
                t.shape[0], t.shape[2], t.shape[1], t.shape[3] + extra, dtype=dtype, device=device
            ).transpose(1, 2)
        view = wide[..., : t.shape[-1]]
        view.copy_(t)
        return view

    query = tensor(heads, sq, config.head_dim)
    key = tensor(config.kv_heads, sk, config.head_dim)
    value = tensor(config.kv_heads, sk, config.value_dim)
    if "key_lengths" in o and rng.random() < 0.5:
        # What lies past a length must not matter, whatever it is.
        past = torch.arange(sk, device=device).view(1, 1, -1, 1) >= o["key_lengths"].view(-1, 1, 1, 1)
        key.masked_fill_(past, float("nan"))
        value.masked_fill_(past, float("nan"))
    return config, layout, query, key, value


def run(target, config, layout, query, key, value):
    order = (lambda t: t) if layout == "bhsd" else (lambda t: t.transpose(1, 2))
    out, lse = fa_mlir.attention(
        order(query), order(key), order(value), layout=layout, return_lse=True, target=target, **config.options
    )
    return order(out), lse


def check_one(target, problem):
    """What is wrong with one problem's results, as text."""
    out, lse = run(target, *problem)
    config, _, query, key, value = problem
    reasons = violations(config, query, key, value, out, lse)
    again, again_lse = run(target, *problem)
    if not (torch.equal(out, again) and torch.equal(lse, again_lse)):
        reasons.append("a second run gave other bits")
    return reasons


def check_problems(args, dtypes, check):
    """Draws args.count problems and prints those that `check(problem, generator)` has reasons against; returns them."""
    counts, failures = Counts(), []
    for i in range(args.count):
        seed = args.seed * 1_000_003 + i
        rng = random.Random(seed)
        generator = torch.Generator(device=args.device).manual_seed(seed)
        problem = draw(rng, generator, args.device, dtypes)
        name = f"{problem[0]} {problem[1]}"
        reasons = counts.add(f"{i}: {name}", lambda: check(problem, generator))
        if reasons:
            failures.append({"index": i, "problem": name, "reasons": reasons})
    print(counts)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--target", help="sm_80, ...; by default what fa_mlir.attention chooses")
    parser.add_argument("--json")
    args = parser.parse_args()

    dtypes = [torch.bfloat16, torch.float16]
    if args.device == "cpu":
        dtypes += [torch.float32, torch.float64]
    failures = check_problems(args, dtypes, lambda problem, _: check_one(args.target, problem))
    if args.json:
        device = torch.cuda.get_device_name() if args.device == "cuda" else "cpu"
        pathlib.Path(args.json).write_text(
            json.dumps(
                {"device": device, "torch": torch.__version__, "count": args.count, "seed": args.seed, "failures": failures},
                indent=1,
            )
        )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
