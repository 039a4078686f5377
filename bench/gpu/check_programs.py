#!/usr/bin/env python3
"""Random fa.attention programs through fa_mlir.compile against float64: what fa_mlir.attention has no arguments for.

    python bench/gpu/check_programs.py --count 60 --seed 0 [--shard 0/16] [--schedule standard] [--device cuda|cpu] [--backward]
    python bench/gpu/check_programs.py --target sm_90a --masks --count 60   # mask regions and lengths, sizes that TMA can address

Score and mask regions with captures, packed sequences, bases, limits and offsets, memory orders that mix dimensions, mixed types,
tensors and memrefs. Programs and reference are those of test/numeric/configs.py; the bound is architecture's error rule.
With --backward the program is the gradient of such a program, and the reference that of test/numeric/backward.py.
Each program runs twice and must give the same bits. `--shard I/N` takes every N-th program. Prints one line a failure
and what was covered; exits with 1 if there is a failure. Needs numpy beside torch.
"""

import argparse
import collections
import pathlib
import sys

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("python", "test/numeric", "bench/gpu")]

import fa_mlir  # noqa: E402
from backward import BackwardCase  # noqa: E402
from configs import random_config  # noqa: E402
from counts import Counts  # noqa: E402

#: What tensor cores do not compute.
NOT_ON_GPU = ("f64", "softmax_f64")
NO_GRADIENT_ON_GPU = ("mixed_types",)
#: A program should have one of these; fa_mlir.attention covers the rest.
WANTED = ("score:", "keep:", "packed", "base", "offset", "mixed_types", "absent_dims")
#: Largest extents: tiles of every kind, decoding, wide heads.
SIZES = [
    dict(b=2, h=2, g=2, m=200, n=300, d=64, e=64),
    dict(b=2, h=2, g=1, m=130, n=200, d=128, e=128),
    dict(b=1, h=1, g=2, m=100, n=150, d=256, e=256),
    dict(b=3, h=2, g=8, m=1, n=500, d=80, e=80),
    dict(b=3, h=2, g=3, m=70, n=70, d=40, e=40),
]
#: With --masks: several tiles of keys in each direction.
LONG = [dict(b=2, h=2, g=2, m=700, n=900, d=d, e=d) for d in (64, 128, 128, 64, 192)]
TORCH = {"f16": torch.float16, "f32": torch.float32, "i1": torch.bool, "i32": torch.int32}


class Gradient:
    """The gradient of a program, as a program."""

    def __init__(self, config):
        self.case = BackwardCase(config)
        self.seed, self.features = 1, config.features
        self.arguments, self.outputs, self.expected = self.case.arguments, self.case.outputs, self.case.expected
        self.check = self.case.check

    def mlir(self, _form):
        return self.case.mlir()

    def __str__(self):
        return f"gradient of {self.case.config}"


def draw(seed, masks=False, backward=False):
    """The first random program from `seed` on that has something wanted."""
    if masks:
        without = NOT_ON_GPU + ("mixed_types", "layouts", "packed", "empty")
        return random_config(seed, without, LONG[seed % len(LONG)], ("bf16", "f16"), ("keep", ), 8)
    without = NOT_ON_GPU + (NO_GRADIENT_ON_GPU if backward else ())
    for attempt in range(100):
        config = random_config(seed * 100 + attempt, without, SIZES[seed % len(SIZES)], ("bf16", "f16"))
        if any(feature.startswith(WANTED) for feature in config.features):
            return Gradient(config) if backward else config
    raise ValueError(f"seed {seed}: no program")


def to_tensor(argument, array, device):
    if argument.is_scalar:
        return array.item()
    if argument.element == "bf16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16).to(device)
    return torch.from_numpy(array).to(device)


def to_storage(tensor):
    tensor = tensor.cpu().contiguous()
    return tensor.view(torch.int16).numpy().view(np.uint16) if tensor.dtype == torch.bfloat16 else tensor.numpy()


def compile_program(config, form, args):
    options = {}
    if args.device == "cuda" and args.target != "sm_90a":
        major, minor = torch.cuda.get_device_capability()
        options["assemble_for"] = f"sm_{major}{minor}"
    return fa_mlir.compile(config.mlir(form), "cpu" if args.device == "cpu" else args.target, schedule=args.schedule, **options)


def run(kernel, config, form, device):
    """One array per argument, outputs as the program left them."""
    arrays = [argument.storage() for argument in config.arguments]
    tensors = [to_tensor(argument, array, device) for argument, array in zip(config.arguments, arrays)]
    results = kernel(*tensors)
    outputs = [i for i, argument in enumerate(config.arguments) if argument.is_output]
    if form == "tensor":
        results = results if isinstance(results, tuple) else (results, )
    else:
        results = [tensors[i] for i in outputs]
    for i, result in zip(outputs, results):
        arrays[i] = to_storage(result).reshape(arrays[i].shape)
    return arrays


def overwritten(config, form, arrays):
    """Outputs of which something was written that belongs to no row."""
    if form == "tensor":
        return []
    problems = []
    for argument, expected in zip(config.outputs, config.expected):
        before = argument.storage()[np.isnan(expected)]
        after = arrays[config.arguments.index(argument)][np.isnan(expected)]
        if not np.array_equal(before, after):
            problems.append(f"{argument.name}: written where there is no row")
    return problems


def check(config, args):
    form = "memref" if config.seed % 3 else "tensor"
    kernel = compile_program(config, form, args)
    arrays = run(kernel, config, form, args.device)
    problems = config.check(arrays) + overwritten(config, form, arrays)
    again = run(kernel, config, form, args.device)
    # A gradient of a capture taken whole, which has no order of dimensions, is added up by atomic additions.
    by_chance = [i for i, a in enumerate(config.arguments) if a.is_output and a.order is None and args.device == "cuda"]
    if by_chance and not problems:
        problems += config.check(again)
    for i, argument in enumerate(config.arguments):
        if i in by_chance:
            continue
        known = ~np.isnan(config.expected[config.outputs.index(argument)]) if argument.is_output else ()
        if argument.is_output and not np.array_equal(arrays[i][known], again[i][known]):
            problems.append(f"{argument.name}: a second run gave other bits")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--schedule")
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--masks", action="store_true", help="every program has a mask region")
    parser.add_argument("--backward", action="store_true", help="gradients")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    args = parser.parse_args()
    shard, shards = map(int, args.shard.split("/"))

    counts, covered = Counts(), collections.Counter()
    for seed in range(args.seed + shard, args.seed + args.count, shards):
        config = draw(seed, args.masks, args.backward)
        before = counts.passed
        counts.add(config, lambda: check(config, args))
        if counts.passed > before:
            covered.update(config.features)
    print("covered: " + " ".join(f"{name} {n}" for name, n in sorted(covered.items())))
    print(counts)
    return 1 if counts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
