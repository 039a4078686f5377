#!/usr/bin/env python3
"""The exported models of test/models whole on the GPU, beside the naive program on the CPU.

    python bench/gpu/check_models.py [--schedules fa2 standard] [--only llama sdpa] [--device cuda|cpu] [--compile-only]

Everything of a model becomes kernels: attention by the schedule, each linalg op around it as one. Data, sizes and the bound (a few
roundings of the narrowest type, relative to the largest value) are those of test/numeric/raised.py. What a schedule refuses
is printed with the reason (fa2: contractions in f32). Exits with 1 if a result is wrong. Needs numpy beside torch.
"""

import argparse
import pathlib
import re
import shlex
import sys

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("python", "test/numeric", "bench/gpu")]

import fa_mlir  # noqa: E402
import raised  # noqa: E402
from counts import Counts  # noqa: E402

# Of models that the numeric test does not have: nothing is raised in them.
DYNAMIC_SIZE = 5
NUMERIC_TEST = ROOT / "test/Transforms/raise-attention-models-numeric.test"


def settings():
    """Model -> (sizes of dynamic dimensions, lowest and highest integer), as the numeric test has them."""
    found = {}
    for name, options in re.findall(r"%models/(\w+)\.mlir(.*)", NUMERIC_TEST.read_text()):
        words = shlex.split(options)
        value = lambda flag, default: words[words.index(flag) + 1] if flag in words else default
        sizes = [int(n) for n in value("--sizes", "").split(",") if n]
        found[name] = sizes, int(value("--low", 0)), int(value("--high", 2))
    return found


def make_arguments(types, sizes, low, high):
    generator, sizes, arguments = np.random.default_rng(0), iter(sizes), []
    for element, shape in types:
        dims = [next(sizes, DYNAMIC_SIZE) if d == "?" else int(d) for d in shape or []]
        array = np.asarray(raised.random_array(generator, element, dims, low, high))
        if shape is None:
            arguments.append(array.item())
        elif element == "bf16":
            arguments.append(torch.from_numpy(array.view(np.int16).reshape(dims)).view(torch.bfloat16))
        else:
            arguments.append(torch.from_numpy(array.reshape(dims)))
    return arguments


def as_tuple(results):
    return results if isinstance(results, tuple) else (results, )


def compare(got, expected, elements):
    bound = max(raised.BOUND[element] for element in elements if element in raised.BOUND)
    problems = []
    for i, (g, e) in enumerate(zip(as_tuple(got), as_tuple(expected))):
        g, e = g.cpu().double(), e.double()
        if g.shape != e.shape:
            problems.append(f"result {i}: shape {tuple(g.shape)}, not {tuple(e.shape)}")
            continue
        defined = ~e.isnan()
        error = (g - e)[defined].abs().max().item() if defined.any() else 0.0
        largest = e[defined].abs().max().item() if defined.any() else 0.0
        if not error <= bound * largest:
            problems.append(f"result {i}: error {error:.3g} > {bound * largest:.3g}")
    return problems


def check(path, schedule, setting, args):
    """What is wrong with the results."""
    text = path.read_text()
    name, argument_types, result_types, _ = next(raised.functions(text))
    target = "sm_80" if args.device == "cuda" else "cpu"
    kernel = fa_mlir.compile(text, target, entry=name, schedule=schedule if target == "sm_80" else None)
    if args.compile_only:
        return []
    arguments = make_arguments(argument_types, *setting)
    expected = fa_mlir.compile(text, "reference", entry=name)(*arguments)
    got = kernel(*(a.to(args.device) if isinstance(a, torch.Tensor) else a for a in arguments))
    elements = {element for element in re.findall(r"x(bf16|f16|f32)>", text)}
    return compare(got, expected, elements)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedules", nargs="+", default=["fa2", "standard"])
    parser.add_argument("--only", nargs="+", help="parts of names")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--compile-only", action="store_true", help="needs no GPU")
    args = parser.parse_args()
    counts, known = Counts(), settings()
    for path in sorted((ROOT / "test/models").glob("*.mlir")):
        if args.only and not any(part in path.name for part in args.only):
            continue
        for schedule in args.schedules:
            counts.add(f"{path.stem} {schedule}", lambda: check(path, schedule, known.get(path.stem, ([], 0, 2)), args))
    print(counts)
    return 1 if counts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
