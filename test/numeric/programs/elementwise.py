#===- elementwise.py - programs around attention --------------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Elementwise."""

import math

import numpy as np

from .table import RNG, integer, program, real

PI = np.pi
x = real(2, 16)
MATH = {
    "absf": np.abs,
    "ceil": np.ceil,
    "floor": np.floor,
    "round": lambda v: np.sign(v) * np.floor(np.abs(v) + 0.5),
    "roundeven": np.round,
    "trunc": np.trunc,
    "cos": np.cos,
    "sin": np.sin,
    "tan": np.tan,
    "tanh": np.tanh,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "atan": np.arctan,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "erf": np.vectorize(math.erf),
    "erfc": np.vectorize(math.erfc),
    "cbrt": np.cbrt,
}
POSITIVE = {
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda v: 1 / np.sqrt(v)
}
NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
for element, dtype in NUMPY.items():
    functions = {**MATH, **POSITIVE}
    arrays = [np.abs(x) + 0.25 if name in POSITIVE else x for name in functions]
    text = f"func.func @math_{element}(" + ", ".join(
        f"%{name}: tensor<2x16x{element}>"
        for name in functions) + ") -> (" + ", ".join([f"tensor<2x16x{element}>"] * len(functions)) + ") {\n"
    text += "".join(f"  %r_{name} = math.{name} %{name} : tensor<2x16x{element}>\n" for name in functions)
    text += "  return " + ", ".join(f"%r_{name}" for name in functions) + " : "
    text += ", ".join([f"tensor<2x16x{element}>"] * len(functions)) + "\n}"
    program(text, [a.astype(dtype) for a in arrays],
            [f(a.astype(dtype).astype(np.float64)).astype(dtype) for f, a in zip(functions.values(), arrays)])

x, y, n = real(2, 16), real(2, 16), integer(2, 16, low=-3, high=4, dtype=np.int32)
program(
    """
func.func @two_operands(%x: tensor<2x16xf32>, %y: tensor<2x16xf32>, %n: tensor<2x16xi32>) -> (tensor<2x16xf32>,
    tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>) {
  %a = math.absf %x : tensor<2x16xf32>
  %pow = math.powf %a, %y : tensor<2x16xf32>
  %atan2 = math.atan2 %x, %y : tensor<2x16xf32>
  %fma = math.fma %x, %y, %x : tensor<2x16xf32>
  %copysign = math.copysign %x, %y : tensor<2x16xf32>
  %rem = arith.remf %x, %y : tensor<2x16xf32>
  %powi = math.fpowi %x, %n : tensor<2x16xf32>, tensor<2x16xi32>
  %c3 = arith.constant dense<3> : tensor<2x16xi64>
  %cube = math.fpowi %x, %c3 : tensor<2x16xf32>, tensor<2x16xi64>
  %neg = arith.negf %x : tensor<2x16xf32>
  %min = arith.minnumf %neg, %y : tensor<2x16xf32>
  return %pow, %atan2, %fma, %copysign, %rem, %powi, %cube, %min : tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>,
    tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2x16xf32>
}""", [x, y, n], [
        np.abs(x)**y,
        np.arctan2(x, y), x * y + x,
        np.copysign(x, y),
        np.fmod(x, y), (x.astype(np.float64)**n).astype(np.float32), x**3,
        np.minimum(-x, y)
    ])

x = real(2, 16).astype(np.float16)
program(
    """
func.func @powi_f16(%x: tensor<2x16xf16>) -> tensor<2x16xf16> {
  %e = tensor.empty() : tensor<2x16xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x16xf16>) outs(%e : tensor<2x16xf16>) {
  ^bb0(%i: f16, %o: f16):
    %two = arith.constant 2 : i64
    %p = math.fpowi %i, %two : f16, i64
    linalg.yield %p : f16
  } -> tensor<2x16xf16>
  return %r : tensor<2x16xf16>
}""", [x], [x * x])

INTEGERS = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": lambda a, b: np.trunc(a / b).astype(a.dtype),
    "remsi": np.fmod,
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "maxsi": np.maximum,
    "minsi": np.minimum,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
}
for element, dtype in {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}.items():
    a, b = integer(2, 16, low=-9, high=10, dtype=dtype), integer(2, 16, low=1, high=6, dtype=dtype)
    shaped = f"tensor<2x16x{element}>"
    text = f"func.func @integers_{element}(%a: {shaped}, %b: {shaped}) -> (" + ", ".join([shaped] *
                                                                                        len(INTEGERS)) + ") {\n"
    text += "".join(f"  %{name} = arith.{name} %a, %b : {shaped}\n" for name in INTEGERS)
    text += "  return " + ", ".join(f"%{name}" for name in INTEGERS) + " : " + ", ".join([shaped] * len(INTEGERS)) + "\n}"
    program(text, [a, b], [f(a, b) for f in INTEGERS.values()])

x, n = real(2, 16) * 10, integer(2, 16, low=-9, high=10, dtype=np.int32)
bits = x.view(np.int32)
program(
    """
func.func @conversions(%x: tensor<2x16xf32>, %n: tensor<2x16xi32>) -> (tensor<2x16xi32>, tensor<2x16xi64>, tensor<2x16xf64>,
    tensor<2x16xf16>, tensor<2x16xf32>, tensor<2x16xi8>, tensor<2x16xi1>, tensor<2x16xi32>, tensor<2x16xf32>, tensor<2x16xi32>) {
  %a = arith.fptosi %x : tensor<2x16xf32> to tensor<2x16xi32>
  %b = arith.extsi %n : tensor<2x16xi32> to tensor<2x16xi64>
  %c = arith.extf %x : tensor<2x16xf32> to tensor<2x16xf64>
  %d = arith.truncf %x : tensor<2x16xf32> to tensor<2x16xf16>
  %e = arith.sitofp %n : tensor<2x16xi32> to tensor<2x16xf32>
  %f = arith.trunci %n : tensor<2x16xi32> to tensor<2x16xi8>
  %g = arith.cmpi sgt, %n, %a : tensor<2x16xi32>
  %h = arith.bitcast %x : tensor<2x16xf32> to tensor<2x16xi32>
  %i = arith.uitofp %g : tensor<2x16xi1> to tensor<2x16xf32>
  %j = math.ctpop %n : tensor<2x16xi32>
  return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j : tensor<2x16xi32>, tensor<2x16xi64>, tensor<2x16xf64>, tensor<2x16xf16>,
    tensor<2x16xf32>, tensor<2x16xi8>, tensor<2x16xi1>, tensor<2x16xi32>, tensor<2x16xf32>, tensor<2x16xi32>
}""", [x, n], [
        x.astype(np.int32),
        n.astype(np.int64),
        x.astype(np.float64),
        x.astype(np.float16),
        n.astype(np.float32),
        n.astype(np.int8), n > x.astype(np.int32), bits, (n > x.astype(np.int32)).astype(np.float32),
        np.vectorize(lambda v: bin(int(v) & 0xFFFFFFFF).count("1"))(n).astype(np.int32)
    ])

a, b, x, y = (RNG.integers(0, 2, size=(4, 64)).astype(bool) for _ in range(2)), None, real(4, 64), real(4, 64)
a, b = a
program(
    """
func.func @booleans(%a: tensor<4x64xi1>, %b: tensor<4x64xi1>, %x: tensor<4x64xf32>, %y: tensor<4x64xf32>)
    -> (tensor<4x64xi1>, tensor<4x64xi1>, tensor<4x64xf32>, tensor<4x64xi8>, tensor<2x32xi1>, tensor<64x4xi1>) {
  %true = arith.constant dense<true> : tensor<4x64xi1>
  %and = arith.andi %a, %b : tensor<4x64xi1>
  %not = arith.xori %a, %true : tensor<4x64xi1>
  %sel = arith.select %a, %x, %y : tensor<4x64xi1>, tensor<4x64xf32>
  %ext = arith.extui %a : tensor<4x64xi1> to tensor<4x64xi8>
  %s = tensor.extract_slice %not[1, 16] [2, 32] [1, 1] : tensor<4x64xi1> to tensor<2x32xi1>
  %e = tensor.empty() : tensor<64x4xi1>
  %t = linalg.transpose ins(%a : tensor<4x64xi1>) outs(%e : tensor<64x4xi1>) permutation = [1, 0]
  return %and, %not, %sel, %ext, %s, %t : tensor<4x64xi1>, tensor<4x64xi1>, tensor<4x64xf32>, tensor<4x64xi8>, tensor<2x32xi1>,
    tensor<64x4xi1>
}""", [a, b, x, y], [a & b, ~a, np.where(a, x, y),
                     a.astype(np.int8), ~a[1:3, 16:48], a.T])

x = real(8, 16)
program(
    """
func.func @body_with_branch(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%i: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %i, %zero : f32
    %v = scf.if %c -> (f32) {
      %s = math.sqrt %i : f32
      scf.yield %s : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}""", [x], [np.sqrt(np.maximum(x, 0))])

z, w = real(4, 16, 2), real(4, 16, 2)
product = (z[..., 0] + 1j * z[..., 1]) * (w[..., 0] + 1j * w[..., 1])
program(
    """
func.func @complex_rope(%x: tensor<4x16x2xf32>, %y: tensor<4x16x2xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %e = tensor.empty() : tensor<4x16xcomplex<f32>>
  %f = tensor.empty() : tensor<4x16xf32>
  %x0 = tensor.extract_slice %x[0, 0, 0] [4, 16, 1] [1, 1, 1] : tensor<4x16x2xf32> to tensor<4x16xf32>
  %x1 = tensor.extract_slice %x[0, 0, 1] [4, 16, 1] [1, 1, 1] : tensor<4x16x2xf32> to tensor<4x16xf32>
  %y0 = tensor.extract_slice %y[0, 0, 0] [4, 16, 1] [1, 1, 1] : tensor<4x16x2xf32> to tensor<4x16xf32>
  %y1 = tensor.extract_slice %y[0, 0, 1] [4, 16, 1] [1, 1, 1] : tensor<4x16x2xf32> to tensor<4x16xf32>
  %p = linalg.map ins(%x0, %x1, %y0, %y1 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
      outs(%e : tensor<4x16xcomplex<f32>>)
    (%a: f32, %b: f32, %c: f32, %d: f32, %o: complex<f32>) {
      %u = complex.create %a, %b : complex<f32>
      %v = complex.create %c, %d : complex<f32>
      %m = complex.mul %u, %v : complex<f32>
      linalg.yield %m : complex<f32>
    }
  %re = linalg.map ins(%p : tensor<4x16xcomplex<f32>>) outs(%f : tensor<4x16xf32>)
    (%a: complex<f32>, %o: f32) { %v = complex.re %a : complex<f32>  linalg.yield %v : f32 }
  %im = linalg.map ins(%p : tensor<4x16xcomplex<f32>>) outs(%f : tensor<4x16xf32>)
    (%a: complex<f32>, %o: f32) { %v = complex.im %a : complex<f32>  linalg.yield %v : f32 }
  return %re, %im : tensor<4x16xf32>, tensor<4x16xf32>
}""", [z, w], [product.real, product.imag])

x = real(4, 16)
program(
    """
func.func @small_integers(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xi4>
  %f = tensor.empty() : tensor<4x16xf32>
  %q = linalg.map ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xi4>)
    (%a: f32, %o: i4) { %v = arith.fptosi %a : f32 to i4  linalg.yield %v : i4 }
  %r = linalg.map ins(%q : tensor<4x16xi4>) outs(%f : tensor<4x16xf32>)
    (%a: i4, %o: f32) { %v = arith.sitofp %a : i4 to f32  linalg.yield %v : f32 }
  return %r : tensor<4x16xf32>
}""", [x], [np.trunc(x)])
