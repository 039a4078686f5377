#===- runner.py - compile modules for the CPU and call them from numpy ------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Runs functions on memrefs: fa-opt, mlir-translate, clang, ctypes. Nothing of it is part of the compiler.

    library = compile_module(text, passes="fa-decompose")
    call(library, "attention_7", config.arguments, arrays)      # outputs are written in place
"""

import ctypes
import os
import pathlib
import subprocess
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
LLVM_BIN = pathlib.Path(os.environ.get("LLVM_BIN", "/usr/lib/llvm-22/bin"))
#: Has memrefCopy, which memref.copy of strided views becomes.
RUNNER_UTILS = LLVM_BIN.parent / "lib/libmlir_c_runner_utils.so"

BUFFERIZE = ("one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map "
             "unknown-type-conversion=identity-layout-map}")
#: The plainest way down: no tiling, no vectors. It is the reference path.
LOWER = ",".join([
    "func.func(llvm-request-c-wrappers)", "canonicalize", "cse", BUFFERIZE, "func.func(convert-linalg-to-loops)",
    "func.func(scf-forall-to-for)", "expand-strided-metadata", "lower-affine",
    "func.func(arith-expand{include-bf16=true})", "convert-scf-to-cf", "convert-math-to-llvm", "convert-math-to-libm",
    "convert-arith-to-llvm", "convert-index-to-llvm", "finalize-memref-to-llvm", "convert-func-to-llvm",
    "convert-cf-to-llvm", "reconcile-unrealized-casts"
])


def fa_opt():
    return pathlib.Path(os.environ.get("FA_BUILD", ROOT / "build/release")) / "bin/fa-opt"


def run(command, stdin):
    process = subprocess.run(command, input=stdin, capture_output=True)
    if process.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{process.stderr.decode()[:4000]}")
    return process.stdout


def opt(text, passes):
    """fa-opt with a pass pipeline over builtin.module."""
    return run([str(fa_opt()), f"--pass-pipeline=builtin.module({passes})"], text.encode()).decode()


def compile_module(text, passes, lower=LOWER, flags=("-O1", "-march=native", "-fno-math-errno")):
    """Loads the module, after `passes` and the way down to LLVM, as a ctypes library."""
    lowered = opt(text, ",".join(p for p in (passes, lower) if p))
    ir = run([LLVM_BIN / "mlir-translate", "--mlir-to-llvmir"], lowered.encode())
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        run([LLVM_BIN / "clang", "-Wno-override-module", "-shared", "-fPIC", *flags, "-o", file.name, "-x", "ir", "-",
             "-x", "none", RUNNER_UTILS, f"-Wl,-rpath,{RUNNER_UTILS.parent}", "-lm"], ir)
        return ctypes.CDLL(file.name)


def _descriptor_type(rank):
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"Memref{rank}", (ctypes.Structure, ), {"_fields_": fields})


def _descriptor(array):
    """A memref descriptor of a numpy array."""
    value = _descriptor_type(array.ndim)(array.ctypes.data, array.ctypes.data, 0)
    for i in range(array.ndim):
        value.sizes[i] = array.shape[i]
        value.strides[i] = array.strides[i] // array.itemsize
    return value


def _copy_from(descriptor, array):
    """What a returned memref holds, into an array."""
    if array.size == 0:
        return
    last = sum((n - 1) * stride for n, stride in zip(descriptor.sizes, descriptor.strides)) if array.ndim else 0
    bytes_ = (ctypes.c_char * ((last + 1) * array.itemsize)).from_address(descriptor.aligned +
                                                                         descriptor.offset * array.itemsize)
    strides = [s * array.itemsize for s in descriptor.strides] if array.ndim else []
    array[...] = np.lib.stride_tricks.as_strided(np.frombuffer(bytes_, array.dtype), array.shape, strides)


SCALARS = {"f32": ctypes.c_float, "f64": ctypes.c_double, "index": ctypes.c_int64}


def _find_wrapper(library, name):
    """Whole pipelines rename functions (--fa-prefix-symbols), passes alone do not."""
    renamed = f"_mlir_ciface_fa.{name}"
    return getattr(library, renamed if hasattr(library, renamed) else f"_mlir_ciface_{name}")


def call(library, name, arguments, arrays, returns=False):
    """Calls @name with one array per configs.Argument. Outputs are written in place; `returns`: they are returned, and
    copied."""
    outputs = [array for argument, array in zip(arguments, arrays) if argument.is_output]
    keep, values = [], []
    if returns:
        fields = [(f"r{i}", _descriptor_type(array.ndim)) for i, array in enumerate(outputs)]
        results = type("Results", (ctypes.Structure, ), {"_fields_": fields})()
        values.append(ctypes.byref(results))
    for argument, array in zip(arguments, arrays):
        if argument.is_scalar:
            values.append(SCALARS[argument.element](array.item()))
            continue
        keep.append(_descriptor(array))
        values.append(ctypes.byref(keep[-1]))
    function = _find_wrapper(library, name)
    function.restype = None
    function(*values)
    if returns:
        for i, array in enumerate(outputs):
            _copy_from(getattr(results, f"r{i}"), array)
