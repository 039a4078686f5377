#===- raised.py - a program and what raising makes of it, compared ----------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Runs functions on tensors before and after --fa-raise-attention (then --fa-decompose) on equal random data.

    raised.py FILE [--sizes 2,5,...] [--split] [--low N --high N]

Every function of FILE is called; with --split the file's `// -----` parts are modules. `--sizes` are the dynamic
dimensions of the arguments in order. A function must raise as many attentions as its attribute `raises` says.

The bound: the two differ by no more than rounding in the narrowest type that the source uses, unless the source gave NaN
where the attention gives 0 (an empty row).
"""

import argparse
import ctypes
import pathlib
import re
import sys
import tempfile

import numpy as np

import runner

#: Functions on tensors need what models use, on top of what an attention lowers to.
LOWER = runner.LOWER.replace("convert-scf-to-cf", "func.func(math-expand-ops),convert-scf-to-cf", 1)
PREPARE = "func.func(math-expand-ops),"
LOWER = LOWER.replace("unknown-type-conversion=", "allow-return-allocs-from-loops unknown-type-conversion=", 1)
#: linalg.softmax has no lowering to loops.
DECOMPOSE_SOFTMAX = """module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %ops = transform.structured.decompose_interface %softmax : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
"""
STORAGE = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i1": np.bool_, "i8": np.int8, "i32": np.int32,
    "i64": np.int64, "index": np.int64
}
#: Relative to the largest value of a result: a few roundings of the type.
BOUND = {"f64": 1e-12, "f32": 3e-5, "f16": 4e-3, "bf16": 3e-2}


def widened(array, element):
    if element == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def types_of(text):
    return [(m[2], [d for d in m[1].split("x") if d]) if m[1] is not None else (m[3], None)
            for m in re.finditer(r"(tensor<((?:[0-9?]+x)*)([a-z0-9]+)>)|\b(f32|f64|index|i32|i64)\b", text)
            for m in [(m[0], m[2], m[3], m[4])]]


def functions(text, raises_default=1):
    """name, argument types, result types, number of attentions expected."""
    for m in re.finditer(r"func\.func (?:public )?@(\w+)\((.*?)\)(?: -> (.*?))?(?: attributes \{(.*?)\})? \{$", text, re.M):
        raises = re.search(r"raises = (\d+)", m[4] or "")
        arguments = re.sub(r"\{.*?\}", "", m[2])
        results = re.sub(r"\{.*?\}", "", m[3] or "")
        yield m[1], types_of(arguments), types_of(results), int(raises[1]) if raises else raises_default


def random_array(generator, element, shape, low, high):
    if element == "i1":
        return generator.random(shape) > 0.4
    if element in ("i8", "i32", "i64", "index"):
        return generator.integers(low, high, shape).astype(STORAGE[element])
    values = (generator.standard_normal(shape) * 0.7).astype(np.float32)
    if element == "bf16":
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    return values.astype(STORAGE[element])


def arguments_of(types, sizes, low, high, seed):
    generator = np.random.default_rng(seed)
    left = list(sizes)
    arrays = []
    for element, shape in types:
        extents = [int(left.pop(0)) if d == "?" else int(d) for d in shape or []]
        arrays.append(np.ascontiguousarray(random_array(generator, element, extents, low, high)))
    return arrays


def call(library, name, types, arrays, results):
    """The results of @name, which allocates them."""
    fields, keep, values = [], [], []
    for i, (element, shape) in enumerate(results):
        fields.append((f"r{i}", type(runner._descriptor(np.zeros([1] * len(shape))))))
    struct = type("Results", (ctypes.Structure, ), {"_fields_": fields})()
    values.append(ctypes.byref(struct))
    for (element, shape), array in zip(types, arrays):
        if shape is None:
            values.append(runner.SCALARS.get(element, ctypes.c_int64)(array.item()))
            continue
        keep.append(runner._descriptor(array))
        values.append(ctypes.byref(keep[-1]))
    function = getattr(library, f"_mlir_ciface_{name}")
    function.restype = None
    function(*values)
    out = []
    for i, (element, shape) in enumerate(results):
        memref = getattr(struct, f"r{i}")
        extents = list(memref.sizes) if shape else []
        size = np.dtype(STORAGE[element]).itemsize
        strides = [s * size for s in memref.strides] if shape else []
        span = size * (1 + sum((n - 1) * s for n, s in zip(extents, memref.strides))) if shape else size
        raw = (ctypes.c_char * span).from_address(memref.aligned + memref.offset * size)
        view = np.ndarray(extents, STORAGE[element], raw, 0, strides)
        out.append(widened(view.copy(), element))
    return out


def narrowest(text):
    return next(t for t in ("bf16", "f16", "f32", "f64") if re.search(rf"\b{t}\b|x{t}\b", text))


def compare(name, want, got, bound, is_raised):
    problems = []
    for i, (x, y) in enumerate(zip(want, got)):
        empty = np.isnan(x) & ((y == 0) if is_raised else np.isnan(y))
        scale = max(np.abs(x[np.isfinite(x)]).max(initial=0), 1e-30)
        error = np.where(empty, 0, np.abs(x - y)).max(initial=0) / scale
        if not error <= bound or np.isnan(y[~empty]).any():
            problems.append(f"{name}: result {i} differs by {error:.1e} of its largest value, above {bound:.0e}")
    return problems


def check(text, arguments):
    found = list(functions(text, arguments.raises))
    raised = runner.opt(text, arguments.raise_pass)
    problems = []
    for name, _, _, expected in found:
        body = raised[raised.index(f"@{name}("):]
        count = len(re.findall(r"= fa\.attention ", body.split("func.func")[0]))
        if count != expected:
            problems.append(f"{name}: {count} attentions raised, not {expected}")
    if problems:
        return problems
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as library:
        library.write(DECOMPOSE_SOFTMAX)
        library.flush()
        softmax = (f"transform-preload-library{{transform-library-paths={library.name}}},transform-interpreter"
                   if "linalg.softmax" in text else "")
        before = runner.compile_module(text, softmax, PREPARE + LOWER)
        passes = ",".join(p for p in (arguments.raise_pass, softmax, "fa-decompose") if p)
        after = runner.compile_module(text, passes, PREPARE + LOWER)
    for name, types, results, expected in found:
        for seed in range(arguments.seeds):
            arrays = arguments_of(types, arguments.sizes, arguments.low, arguments.high, seed)
            want = call(before, name, types, [a.copy() for a in arrays], results)
            got = call(after, name, types, [a.copy() for a in arrays], results)
            problems += compare(name, want, got, BOUND[narrowest(text)], expected > 0)
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--sizes", type=lambda s: s.split(","), default=[])
    parser.add_argument("--split", action="store_true")
    parser.add_argument("--low", type=int, default=0)
    parser.add_argument("--high", type=int, default=2)
    parser.add_argument("--raises", type=int, default=1, help="attentions per function, where it does not say")
    parser.add_argument("--wide", action="store_true", help="i64 for i32: upstream lowers i32 shapes of reshapes wrongly")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--raise-pass", default="fa-raise-attention")
    arguments = parser.parse_args()
    text = arguments.file.read_text()
    if arguments.wide:
        text = re.sub(r"i32\b", "i64", text)
    parts = text.split("// -----") if arguments.split else [text]
    problems = []
    count = 0
    for part in parts:
        count += len(list(functions(part)))
        problems += check(part, arguments)
    print("\n".join(problems) or f"{count} functions agree")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
