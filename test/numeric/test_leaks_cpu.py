#===- test_leaks_cpu.py - compiled code frees what it allocates -------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Memory in use before and after calls of compiled programs: only results may remain, and the caller frees them."""

import ctypes
import re

import numpy as np
import pytest
import runner

from programs import PROGRAMS

LIBC = ctypes.CDLL(None)
LIBC.free.argtypes = [ctypes.c_void_p]
#: What MLIR writes where a buffer is a constant.
CONSTANT = 0xDEADBEEF

ATTENTION = """
#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (h, m)>
func.func @attention(%q: tensor<2x?x32xf32>, %k: tensor<2x?x32xf32>, %v: tensor<2x?x32xf32>)
    -> (tensor<2x?x32xf32>, tensor<2x?xf32>) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %q, %c1 : tensor<2x?x32xf32>
  %o = tensor.empty(%n) : tensor<2x?x32xf32>
  %l = tensor.empty(%n) : tensor<2x?xf32>
  %r:2 = fa.attention {causal, indexing_maps = [#q, #k, #v, #o, #l]}
    ins(%q, %k, %v : tensor<2x?x32xf32>, tensor<2x?x32xf32>, tensor<2x?x32xf32>)
    outs(%o, %l : tensor<2x?x32xf32>, tensor<2x?xf32>) -> tensor<2x?x32xf32>, tensor<2x?xf32>
  %s = arith.addf %r#0, %q : tensor<2x?x32xf32>
  return %s, %r#1 : tensor<2x?x32xf32>, tensor<2x?xf32>
}
// An attention in each of some layers.
func.func @layers(%x: tensor<2x64x32xf32>) -> tensor<2x64x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> (tensor<2x64x32xf32>) {
    %e = tensor.empty() : tensor<2x64x32xf32>
    %y = math.tanh %t : tensor<2x64x32xf32>
    %a = fa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%y, %t, %y : tensor<2x64x32xf32>, tensor<2x64x32xf32>, tensor<2x64x32xf32>) outs(%e : tensor<2x64x32xf32>)
      -> tensor<2x64x32xf32>
    scf.yield %a : tensor<2x64x32xf32>
  }
  return %r : tensor<2x64x32xf32>
}
"""


class MallInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
                                                     "uordblks", "fordblks", "keepcost")]


LIBC.mallinfo2.restype = MallInfo


def in_use():
    info = LIBC.mallinfo2()
    return info.uordblks + info.hblkhd


def memory_kept(library, name, arrays, results):
    """What every call keeps: the least of some, for other threads allocate as well, and malloc fills its caches."""
    scalars = {"i": ctypes.c_int64, "f": ctypes.c_float, "b": ctypes.c_int64}
    fields = []
    for i, result in enumerate(results):
        is_scalar = isinstance(result, np.generic)
        kind = ctypes.c_int32 if is_scalar and result.itemsize == 4 and result.dtype.kind == "i" else None
        kind = kind or (scalars[result.dtype.kind] if is_scalar else runner._descriptor_type(result.ndim))
        fields.append((f"r{i}", kind))
    frame = type("Results", (ctypes.Structure, ), {"_fields_": fields})()
    # Compiled functions may write to their arguments.
    arrays = [a.copy() for a in arrays]
    keep = [a if isinstance(a, np.generic) else runner._descriptor(a) for a in arrays]
    values = [ctypes.byref(frame)] if results else []
    values += [scalars[a.dtype.kind](a.item()) if isinstance(a, np.generic) else ctypes.byref(a) for a in keep]
    owned = {a.ctypes.data for a in arrays if not isinstance(a, np.generic)} | {0, CONSTANT}
    function = runner._find_wrapper(library, name)
    function.restype = None
    kept = []
    for _ in range(4):
        before = in_use()
        function(*values)
        memory = {getattr(frame, field).allocated for field, kind in fields if hasattr(kind, "allocated")}
        for address in memory - owned:
            LIBC.free(address)
        kept.append(in_use() - before)
    return min(kept, key=abs)


@pytest.mark.parametrize("schedule", ["fa1", "fa2"])
def test_attention(schedule):
    library = runner.compile_module(ATTENTION, f"fa-pipeline{{target=cpu schedule={schedule}}}", lower="")
    x = np.zeros((2, 100, 32), np.float32)
    assert memory_kept(library, "attention", [x] * 3, [x, x[..., 0]]) == 0
    x = np.zeros((2, 64, 32), np.float32)
    assert memory_kept(library, "layers", [x], [x]) == 0


def test_programs():
    text = "\n".join(text for text, _, _ in PROGRAMS.values())
    library = runner.compile_module(text, "fa-pipeline{target=cpu}", lower="")
    kept = {}
    for name, (text, arrays, results) in PROGRAMS.items():
        returns = "->" in text.split("{", 1)[0]
        kept[name] = memory_kept(library, name, arrays, results if returns else [])
    assert not {name: n for name, n in kept.items() if n}
