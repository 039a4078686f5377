#===- programs.py - what stands around attention in models ------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Small programs with a numpy version of each: PROGRAMS[name] = (text, arrays of the arguments, results)."""

import math

import numpy as np

PROGRAMS = {}
RNG = np.random.default_rng(7)


def program(text, arrays=(), results=()):
    """Adds the program whose entry function is named first in the text."""
    name = text.split("@", 1)[1].split("(", 1)[0]
    PROGRAMS[name] = (text, list(arrays), list(results))


def real(*shape, dtype=np.float32):
    return RNG.normal(size=shape).astype(dtype)


def integer(*shape, low=0, high=8, dtype=np.int64):
    return RNG.integers(low, high, size=shape, dtype=dtype)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


#===----------------------------------------------------------------------===#
# Gathers, positions, scatters
#===----------------------------------------------------------------------===#

x, ids = real(10, 32), integer(2, 16, high=10)
program(
    """
func.func @embedding(%table: tensor<10x32xf32>, %ids: tensor<2x16xi64>) -> tensor<2x16x32xf32> {
  %e = tensor.empty() : tensor<2x16x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids : tensor<2x16xi64>) outs(%e : tensor<2x16x32xf32>) {
  ^bb0(%i: i64, %o: f32):
    %n = arith.index_cast %i : i64 to index
    %c = linalg.index 2 : index
    %v = tensor.extract %table[%n, %c] : tensor<10x32xf32>
    linalg.yield %v : f32
  } -> tensor<2x16x32xf32>
  return %r : tensor<2x16x32xf32>
}""", [x, ids], [x[ids]])

x, ids = real(16, 16), integer(16, high=16, dtype=np.int32)
program(
    """
func.func @gather_columns(%x: tensor<16x16xf32>, %ids: tensor<16xi32>) -> tensor<16x16xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<16xi32>) outs(%e : tensor<16x16xf32>) {
  ^bb0(%i: i32, %o: f32):
    %zero = arith.constant 0 : i32
    %isNegative = arith.cmpi slt, %i, %zero : i32
    cf.assert %isNegative, "never"
    %n = arith.index_cast %i : i32 to index
    %row = linalg.index 0 : index
    %v = tensor.extract %x[%row, %n] : tensor<16x16xf32>
    linalg.yield %v : f32
  } -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}""".replace("cf.assert %isNegative", "%isNot = arith.xori %isNegative, %true : i1\n    cf.assert %isNot").replace(
        "%zero = arith.constant 0 : i32", "%zero = arith.constant 0 : i32\n    %true = arith.constant true"), [x, ids],
    [x[:, ids]])

x, ids, v = real(12, 4), np.array([3, 7, 3, 0]), real(4, 4)
expected = x.copy()
for i, row in zip(ids, v):
    expected[i] = row
program(
    """
func.func @scatter_rows(%x: tensor<12x4xf32>, %ids: tensor<4xi64>, %v: tensor<4x4xf32>) -> tensor<12x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x) -> (tensor<12x4xf32>) {
    %id = tensor.extract %ids[%i] : tensor<4xi64>
    %n = arith.index_cast %id : i64 to index
    %row = tensor.extract_slice %v[%i, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
    %u = tensor.insert_slice %row into %t[%n, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<12x4xf32>
    scf.yield %u : tensor<12x4xf32>
  }
  return %r : tensor<12x4xf32>
}""", [x, ids, v], [expected])

program(
    """
func.func @iota_mask() -> tensor<16x16xi1> {
  %e = tensor.empty() : tensor<16x16xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<16x16xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %keep = arith.cmpi sge, %i64, %j64 : i64
    linalg.yield %keep : i1
  } -> tensor<16x16xi1>
  return %r : tensor<16x16xi1>
}""", [], [np.tril(np.ones((16, 16), bool))])

#===----------------------------------------------------------------------===#
# Shapes
#===----------------------------------------------------------------------===#

x, y = real(2, 3, 8), real(2, 5, 8)
program(
    """
func.func @concat(%x: tensor<2x?x8xf32>, %y: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
  %r = tensor.concat dim(1) %x, %y : (tensor<2x?x8xf32>, tensor<2x?x8xf32>) -> tensor<2x?x8xf32>
  return %r : tensor<2x?x8xf32>
}""", [x, y], [np.concatenate([x, y], 1)])

x = real(3, 4)
program(
    """
func.func @pad(%x: tensor<?x4xf32>, %n: index) -> tensor<?x?xf32> {
  %c = arith.constant -1.5 : f32
  %r = tensor.pad %x low[1, %n] high[%n, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<?x4xf32> to tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}""", [x, np.int64(2)], [np.pad(x, ((1, 2), (2, 0)), constant_values=-1.5)])

x = real(4, 4)
program(
    """
func.func @pad_static(%x: tensor<4x4xf32>) -> tensor<6x16xf32> {
  %r = tensor.pad %x low[1, 0] high[1, 12] {
  ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    %k = arith.index_cast %s : index to i32
    %f = arith.sitofp %k : i32 to f32
    tensor.yield %f : f32
  } : tensor<4x4xf32> to tensor<6x16xf32>
  return %r : tensor<6x16xf32>
}""", [x], [
        np.where(
            np.pad(np.ones((4, 4), bool), ((1, 1), (0, 12))), np.pad(x, ((1, 1), (0, 12))),
            np.add.outer(np.arange(6), np.arange(16)).astype(np.float32))
    ])

x = real(4, 6)
for kind in ["i32", "i64", "index"]:
    program(
        """
func.func @reshape_KIND(%x: tensor<?x6xf32>, %n: tensor<3xKIND>) -> tensor<?x?x?xf32> {
  %r = tensor.reshape %x(%n) : (tensor<?x6xf32>, tensor<3xKIND>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}""".replace("KIND", kind), [x, np.array([2, 3, 4], np.int32 if kind == "i32" else np.int64)], [x.reshape(2, 3, 4)])

program(
    """
func.func @reshape_computed(%x: tensor<?x6xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x6xf32>
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %i = arith.index_cast %d : index to i32
  %m = arith.muli %i, %c2 : i32
  %s = tensor.from_elements %m, %c3 : tensor<2xi32>
  %r = tensor.reshape %x(%s) : (tensor<?x6xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}""", [x], [x.reshape(8, 3)])

program(
    """
func.func @expand_collapse(%x: tensor<?x6xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x6xf32>
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [%d, 2, 3] : tensor<?x6xf32> into tensor<?x2x3xf32>
  %t = tensor.empty(%d) : tensor<2x?x3xf32>
  %u = linalg.transpose ins(%e : tensor<?x2x3xf32>) outs(%t : tensor<2x?x3xf32>) permutation = [1, 0, 2]
  %r = tensor.collapse_shape %u [[0, 1], [2]] : tensor<2x?x3xf32> into tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}""", [x], [x.reshape(4, 2, 3).transpose(1, 0, 2).reshape(8, 3)])

x = real(5, 4)
program(
    """
func.func @collapse_slice(%x: tensor<5x4xf32>) -> tensor<6xf32> {
  %s = tensor.extract_slice %x[1, 1] [3, 2] [1, 1] : tensor<5x4xf32> to tensor<3x2xf32>
  %r = tensor.collapse_shape %s [[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
  return %r : tensor<6xf32>
}""", [x], [x[1:4, 1:3].reshape(6)])

program(
    """
func.func @strided_slice(%x: tensor<5x4xf32>) -> tensor<3x2xf32> {
  %s = tensor.extract_slice %x[0, 1] [3, 2] [2, 2] : tensor<5x4xf32> to tensor<3x2xf32>
  return %s : tensor<3x2xf32>
}""", [x], [x[::2, 1::2]])

program(
    """
func.func @generate(%n: index) -> (tensor<?x3xindex>, tensor<2x2xf32>, tensor<?xf32>) {
  %g = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %s = arith.muli %i, %j : index
    tensor.yield %s : index
  } : tensor<?x3xindex>
  %a = arith.constant 1.0 : f32
  %b = arith.constant 2.0 : f32
  %f = tensor.from_elements %a, %b, %b, %a : tensor<2x2xf32>
  %s = tensor.splat %b[%n] : tensor<?xf32>
  return %g, %f, %s : tensor<?x3xindex>, tensor<2x2xf32>, tensor<?xf32>
}""", [np.int64(4)], [
        np.multiply.outer(np.arange(4), np.arange(3)),
        np.array([[1, 2], [2, 1]], np.float32),
        np.full(4, 2, np.float32)
    ])

x = real(3, 1, 16)
program(
    """
func.func @broadcast_from_one(%x: tensor<3x1x16xf32>, %b: tensor<1x1x16xf32>) -> tensor<3x4x16xf32> {
  %e = tensor.empty() : tensor<3x4x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, 0, c)>, affine_map<(a, b, c) -> (0, 0, c)>,
                                        affine_map<(a, b, c) -> (a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %b : tensor<3x1x16xf32>, tensor<1x1x16xf32>) outs(%e : tensor<3x4x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<3x4x16xf32>
  return %r : tensor<3x4x16xf32>
}""", [x, x[:1]], [np.broadcast_to(x + x[:1], (3, 4, 16))])

x = real(4, 16)
program(
    """
func.func @reversed(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, -b + 15)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}""", [x], [x[:, ::-1]])

program(
    """
func.func @same_and_constant(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<2xi32>, f32, tensor<f32>) {
  %c = arith.constant dense<[3, 4]> : tensor<2xi32>
  %f = arith.constant 2.5 : f32
  %z = tensor.from_elements %f : tensor<f32>
  return %x, %x, %c, %f, %z : tensor<4x16xf32>, tensor<4x16xf32>, tensor<2xi32>, f32, tensor<f32>
}""", [x], [x, x, np.array([3, 4], np.int32), np.float32(2.5), np.array(2.5, np.float32)])

program(
    """
func.func @empty_extent(%x: tensor<?x16xf32>) -> (tensor<?x16xf32>, tensor<16xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %a = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%x : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %z = arith.constant dense<0.0> : tensor<16xf32>
  %r = linalg.reduce ins(%x : tensor<?x16xf32>) outs(%z : tensor<16xf32>) dimensions = [0]
    (%i: f32, %o: f32) { %s = arith.addf %i, %o : f32  linalg.yield %s : f32 }
  return %a, %r : tensor<?x16xf32>, tensor<16xf32>
}""", [np.zeros((0, 16), np.float32)], [np.zeros((0, 16), np.float32), np.zeros(16, np.float32)])

#===----------------------------------------------------------------------===#
# Reductions
#===----------------------------------------------------------------------===#

x, b = integer(4, 16, low=-9, high=9, dtype=np.int32), RNG.integers(0, 2, size=(4, 16)).astype(bool)
program(
    """
func.func @integer_reductions(%x: tensor<4x16xi32>, %b: tensor<4x16xi1>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi64>, tensor<4xi1>, tensor<16xi1>) {
  %low = arith.constant dense<-2147483648> : tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %zero64 = arith.constant dense<0> : tensor<4xi64>
  %true = arith.constant dense<true> : tensor<4xi1>
  %false = arith.constant dense<false> : tensor<16xi1>
  %max = linalg.reduce ins(%x : tensor<4x16xi32>) outs(%low : tensor<4xi32>) dimensions = [1]
    (%i: i32, %o: i32) { %s = arith.maxsi %i, %o : i32  linalg.yield %s : i32 }
  %sum = linalg.reduce ins(%x : tensor<4x16xi32>) outs(%zero : tensor<4xi32>) dimensions = [1]
    (%i: i32, %o: i32) { %s = arith.addi %i, %o : i32  linalg.yield %s : i32 }
  %wide = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                          iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xi32>) outs(%zero64 : tensor<4xi64>) {
  ^bb0(%i: i32, %o: i64):
    %w = arith.extsi %i : i32 to i64
    %s = arith.addi %w, %o : i64
    linalg.yield %s : i64
  } -> tensor<4xi64>
  %all = linalg.reduce ins(%b : tensor<4x16xi1>) outs(%true : tensor<4xi1>) dimensions = [1]
    (%i: i1, %o: i1) { %s = arith.andi %i, %o : i1  linalg.yield %s : i1 }
  %any = linalg.reduce ins(%b : tensor<4x16xi1>) outs(%false : tensor<16xi1>) dimensions = [0]
    (%i: i1, %o: i1) { %s = arith.ori %i, %o : i1  linalg.yield %s : i1 }
  return %max, %sum, %wide, %all, %any : tensor<4xi32>, tensor<4xi32>, tensor<4xi64>, tensor<4xi1>, tensor<16xi1>
}""", [x, b],
    [x.max(1), x.sum(1, dtype=np.int32),
     x.sum(1, dtype=np.int64),
     b.all(1), b.any(0)])

x = real(4, 16)
program(
    """
func.func @argmax(%x: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %low = arith.constant dense<0xFF800000> : tensor<4xf32>
  %zero = arith.constant dense<0> : tensor<4xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xf32>) outs(%low, %zero : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%i: f32, %m: f32, %n: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %c = arith.cmpf ogt, %i, %m : f32
    %v = arith.select %c, %i, %m : f32
    %w = arith.select %c, %k, %n : i64
    linalg.yield %v, %w : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi64>
}""", [x], [x.max(1), x.argmax(1)])

program(
    """
func.func @float_reductions(%x: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<f32>, tensor<4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %zero16 = arith.constant dense<0.0> : tensor<16xf32>
  %zero0 = arith.constant dense<0.0> : tensor<f32>
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %c2 = arith.constant 2.0 : f32
  %sum = linalg.reduce ins(%x : tensor<4x16xf32>) outs(%one : tensor<4xf32>) dimensions = [1]
    (%i: f32, %o: f32) { %s = arith.addf %i, %o : f32  linalg.yield %s : f32 }
  %prod = linalg.reduce ins(%x : tensor<4x16xf32>) outs(%one : tensor<4xf32>) dimensions = [1]
    (%i: f32, %o: f32) { %s = arith.mulf %o, %i : f32  linalg.yield %s : f32 }
  %cols = linalg.reduce ins(%x : tensor<4x16xf32>) outs(%zero16 : tensor<16xf32>) dimensions = [0]
    (%i: f32, %o: f32) { %s = arith.maximumf %i, %o : f32  linalg.yield %s : f32 }
  %all = linalg.reduce ins(%x : tensor<4x16xf32>) outs(%zero0 : tensor<f32>) dimensions = [0, 1]
    (%i: f32, %o: f32) { %s = arith.addf %i, %o : f32  linalg.yield %s : f32 }
  %horner = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                            iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %h = arith.divf %o, %c2 : f32
    %s = arith.addf %h, %i : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %sum, %prod, %cols, %all, %horner : tensor<4xf32>, tensor<4xf32>, tensor<16xf32>, tensor<f32>, tensor<4xf32>
}""", [x], [
        1 + x.sum(1),
        x.prod(1),
        x.max(0, initial=0),
        np.array(x.sum()), (x * 0.5**np.arange(15, -1, -1)).sum(1)
    ])

program(
    """
func.func @subtracting(%x: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %down = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                          iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.subf %o, %i : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %last = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                          iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    linalg.yield %i : f32
  } -> tensor<4xf32>
  return %down, %last : tensor<4xf32>, tensor<4xf32>
}""", [x], [-x.sum(1), x[:, -1]])

x = real(4, 16)
program(
    """
func.func @cumsum(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %f = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %e) -> (tensor<4x16xf32>) {
    %q:2 = scf.for %j = %c0 to %c16 step %c1 iter_args(%u = %t, %s = %f) -> (tensor<4x16xf32>, f32) {
      %v = tensor.extract %x[%i, %j] : tensor<4x16xf32>
      %w = arith.addf %s, %v : f32
      %y = tensor.insert %w into %u[%i, %j] : tensor<4x16xf32>
      scf.yield %y, %w : tensor<4x16xf32>, f32
    }
    scf.yield %q#0 : tensor<4x16xf32>
  }
  return %r : tensor<4x16xf32>
}""", [x], [np.cumsum(x, 1)])

program(
    """
func.func @softmaxes(%x: tensor<4x16xf32>, %y: tensor<?x16xf32>) -> (tensor<4x16xf32>, tensor<?x16xf32>) {
  %e = tensor.empty() : tensor<4x16xf32>
  %a = linalg.softmax dimension(1) ins(%x : tensor<4x16xf32>) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x16xf32>
  %f = tensor.empty(%n) : tensor<?x16xf32>
  %b = linalg.softmax dimension(0) ins(%y : tensor<?x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %a, %b : tensor<4x16xf32>, tensor<?x16xf32>
}""", [x, x[:3]], [softmax(x), softmax(x[:3], 0)])

#===----------------------------------------------------------------------===#
# Elementwise
#===----------------------------------------------------------------------===#

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

#===----------------------------------------------------------------------===#
# Products
#===----------------------------------------------------------------------===#

a, b, v = real(8, 12), real(12, 16), real(12)
program(
    """
func.func @products(%a: tensor<8x12xf32>, %b: tensor<12x16xf32>, %v: tensor<12xf32>)
    -> (tensor<8x16xf32>, tensor<8xf32>, tensor<16xf32>, tensor<f32>) {
  %z0 = arith.constant dense<0.0> : tensor<f32>
  %z1 = arith.constant dense<0.0> : tensor<8xf32>
  %z2 = arith.constant dense<0.0> : tensor<16xf32>
  %z3 = arith.constant dense<1.0> : tensor<8x16xf32>
  %p = linalg.matmul ins(%a, %b : tensor<8x12xf32>, tensor<12x16xf32>) outs(%z3 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %q = linalg.matvec ins(%a, %v : tensor<8x12xf32>, tensor<12xf32>) outs(%z1 : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.vecmat ins(%v, %b : tensor<12xf32>, tensor<12x16xf32>) outs(%z2 : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.dot ins(%v, %v : tensor<12xf32>, tensor<12xf32>) outs(%z0 : tensor<f32>) -> tensor<f32>
  return %p, %q, %r, %s : tensor<8x16xf32>, tensor<8xf32>, tensor<16xf32>, tensor<f32>
}""", [a, b, v], [1 + a @ b, a @ v, v @ b, np.array(v @ v)])

a, b = integer(2, 8, 12, low=-9, high=9, dtype=np.int8), integer(2, 12, 16, low=-9, high=9, dtype=np.int8)
program(
    """
func.func @quantized(%a: tensor<2x8x12xi8>, %b: tensor<2x12x16xi8>) -> (tensor<2x8x16xi32>, tensor<8x16xi32>) {
  %z = arith.constant dense<0> : tensor<2x8x16xi32>
  %y = arith.constant dense<0> : tensor<8x16xi32>
  %c = arith.constant 3 : i32
  %d = arith.constant -2 : i32
  %p = linalg.batch_matmul ins(%a, %b : tensor<2x8x12xi8>, tensor<2x12x16xi8>) outs(%z : tensor<2x8x16xi32>) -> tensor<2x8x16xi32>
  %a0 = tensor.extract_slice %a[0, 0, 0] [1, 8, 12] [1, 1, 1] : tensor<2x8x12xi8> to tensor<8x12xi8>
  %b0 = tensor.extract_slice %b[0, 0, 0] [1, 12, 16] [1, 1, 1] : tensor<2x12x16xi8> to tensor<12x16xi8>
  %q = linalg.quantized_matmul ins(%a0, %b0, %c, %d : tensor<8x12xi8>, tensor<12x16xi8>, i32, i32) outs(%y : tensor<8x16xi32>)
    -> tensor<8x16xi32>
  return %p, %q : tensor<2x8x16xi32>, tensor<8x16xi32>
}""", [a, b], [
        a.astype(np.int32) @ b.astype(np.int32),
        (a[0].astype(np.int32) - 3) @ (b[0].astype(np.int32) + 2)
    ])

x, w = real(1, 3, 10, 10), real(8, 3, 3, 3)
expected = np.zeros((1, 8, 8, 8), np.float32)
for i in range(3):
    for j in range(3):
        expected += np.einsum("nchw,fc->nfhw", x[:, :, i:i + 8, j:j + 8], w[:, :, i, j])
pooled = expected.reshape(1, 8, 4, 2, 4, 2).max((3, 5))
program(
    """
func.func @convolution(%x: tensor<1x3x10x10xf32>, %w: tensor<8x3x3x3xf32>) -> (tensor<1x8x8x8xf32>, tensor<1x8x4x4xf32>) {
  %z = arith.constant dense<0.0> : tensor<1x8x8x8xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1x8x4x4xf32>
  %k = tensor.empty() : tensor<2x2xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x3x10x10xf32>, tensor<8x3x3x3xf32>) outs(%z : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %p = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%c, %k : tensor<1x8x8x8xf32>, tensor<2x2xf32>) outs(%low : tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return %c, %p : tensor<1x8x8x8xf32>, tensor<1x8x4x4xf32>
}""", [x, w], [expected, pooled])

x = real(10, 14)
program(
    """
func.func @packing(%x: tensor<10x14xf32>) -> (tensor<3x2x4x8xf32>, tensor<10x14xf32>) {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x2x4x8xf32>
  %p = linalg.pack %x padding_value(%c : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e
    : tensor<10x14xf32> -> tensor<3x2x4x8xf32>
  %f = tensor.empty() : tensor<10x14xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %f : tensor<3x2x4x8xf32> -> tensor<10x14xf32>
  return %p, %u : tensor<3x2x4x8xf32>, tensor<10x14xf32>
}""", [x], [np.pad(x, ((0, 2), (0, 2))).reshape(3, 4, 2, 8).transpose(0, 2, 1, 3), x])

#===----------------------------------------------------------------------===#
# Control flow
#===----------------------------------------------------------------------===#

x = real(4, 16)
program(
    """
func.func @branches(%x: tensor<4x16xf32>, %c: i1) -> (tensor<4x16xf32>, tensor<?x16xf32>) {
  %a:2 = scf.if %c -> (tensor<4x16xf32>, tensor<?x16xf32>) {
    %e = math.exp %x : tensor<4x16xf32>
    %s = tensor.extract_slice %e[0, 0] [2, 16] [1, 1] : tensor<4x16xf32> to tensor<2x16xf32>
    %d = tensor.cast %s : tensor<2x16xf32> to tensor<?x16xf32>
    scf.yield %e, %d : tensor<4x16xf32>, tensor<?x16xf32>
  } else {
    %d = tensor.cast %x : tensor<4x16xf32> to tensor<?x16xf32>
    scf.yield %x, %d : tensor<4x16xf32>, tensor<?x16xf32>
  }
  return %a#0, %a#1 : tensor<4x16xf32>, tensor<?x16xf32>
}""", [x, np.int64(1)], [np.exp(x), np.exp(x[:2])])

program(
    """
func.func @while_loop(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %half = arith.constant dense<0.5> : tensor<4x16xf32>
  %r:2 = scf.while (%t = %x, %i = %c0) : (tensor<4x16xf32>, i32) -> (tensor<4x16xf32>, i32) {
    %c = arith.cmpi slt, %i, %c5 : i32
    scf.condition(%c) %t, %i : tensor<4x16xf32>, i32
  } do {
  ^bb0(%t: tensor<4x16xf32>, %i: i32):
    %u = arith.mulf %t, %half : tensor<4x16xf32>
    %n = arith.addi %i, %c1 : i32
    scf.yield %u, %n : tensor<4x16xf32>, i32
  }
  return %r#0, %r#1 : tensor<4x16xf32>, i32
}""", [x], [x / 32, np.int32(5)])

program(
    """
func.func @blocks(%x: tensor<4x16xf32>, %c: i1) -> tensor<4x16xf32> {
  cf.cond_br %c, ^one, ^two
^one:
  %e = math.exp %x : tensor<4x16xf32>
  cf.br ^three(%e : tensor<4x16xf32>)
^two:
  cf.br ^three(%x : tensor<4x16xf32>)
^three(%r: tensor<4x16xf32>):
  %s = arith.addf %r, %x : tensor<4x16xf32>
  return %s : tensor<4x16xf32>
}""", [x, np.int64(1)], [np.exp(x) + x])

program(
    """
func.func @calls(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %a = call @callee(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %b = call @callee(%a) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %c = call @identity(%b) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %a, %c : tensor<4x16xf32>, tensor<4x16xf32>
}
func.func private @callee(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %y = arith.addf %x, %x : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
func.func private @identity(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  return %x : tensor<4x16xf32>
}""", [x], [2 * x, 4 * x])

program(
    """
func.func @forall(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %r = scf.forall (%i, %j) in (4, 2) shared_outs(%o = %e) -> (tensor<4x16xf32>) {
    %n = affine.apply affine_map<(d) -> (d * 8)>(%j)
    %s = tensor.extract_slice %x[%i, %n] [1, 8] [1, 1] : tensor<4x16xf32> to tensor<1x8xf32>
    %y = math.exp %s : tensor<1x8xf32>
    %q = scf.forall (%k) in (8) shared_outs(%p = %y) -> (tensor<1x8xf32>) {
      %u = tensor.extract_slice %y[0, %k] [1, 1] [1, 1] : tensor<1x8xf32> to tensor<1x1xf32>
      %v = arith.addf %u, %u : tensor<1x1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %v into %p[0, %k] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<1x8xf32>
      }
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i, %n] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<4x16xf32>
    }
  }
  return %r : tensor<4x16xf32>
}""", [x], [2 * np.exp(x)])

program(
    """
func.func @big_forall_buffers() -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %r = scf.forall (%i) in (2) shared_outs(%o = %e) -> (tensor<2xf32>) {
    %b = tensor.empty() : tensor<2000000xf32>
    %f = linalg.fill ins(%one : f32) outs(%b : tensor<2000000xf32>) -> tensor<2000000xf32>
    %g = math.exp %f : tensor<2000000xf32>
    %s = tensor.extract_slice %g[%i] [1] [1] : tensor<2000000xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  return %r : tensor<2xf32>
}""", [], [np.full(2, np.e, np.float32)])

program(
    """
func.func @index_switch(%x: tensor<4x16xf32>, %n: index) -> tensor<4x16xf32> {
  %r = scf.index_switch %n -> tensor<4x16xf32>
  case 1 {
    %e = math.exp %x : tensor<4x16xf32>
    scf.yield %e : tensor<4x16xf32>
  }
  case 2 {
    scf.yield %x : tensor<4x16xf32>
  }
  default {
    %a = arith.addf %x, %x : tensor<4x16xf32>
    scf.yield %a : tensor<4x16xf32>
  }
  return %r : tensor<4x16xf32>
}""", [x, np.int64(3)], [2 * x])

program(
    """
func.func @growing(%x: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = tensor.cast %x : tensor<1x4xf32> to tensor<?x4xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %s) -> (tensor<?x4xf32>) {
    %u = tensor.concat dim(0) %t, %t : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    scf.yield %u : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}""", [x[:1, :4]], [np.repeat(x[:1, :4], 8, 0)])

x = real(4, 16)
program(
    """
func.func @memory(%x: memref<4x16xf32>, %y: memref<4x16xf32>) {
  %t = memref.alloc() : memref<4x16xf32>
  %u = memref.alloca() : memref<16xf32>
  %two = arith.constant 2.0 : f32
  linalg.fill ins(%two : f32) outs(%u : memref<16xf32>)
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 16 {
      %a = affine.load %x[%i, %j] : memref<4x16xf32>
      %b = affine.load %u[%j] : memref<16xf32>
      %c = arith.mulf %a, %b : f32
      affine.store %c, %t[%i, %j] : memref<4x16xf32>
    }
  }
  memref.copy %t, %y : memref<4x16xf32> to memref<4x16xf32>
  memref.dealloc %t : memref<4x16xf32>
  return
}""", [x, np.zeros_like(x)], [2 * x])

x = real(2, 16)
program(
    """
func.func @globals(%x: tensor<2x16xf32>) -> (tensor<2x16xf32>, tensor<i64>) {
  %s = ml_program.global_load @seed : tensor<i64>
  %c = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %e = tensor.empty() : tensor<2x16xf32>
  %one = arith.constant dense<1> : tensor<i64>
  %t = arith.addi %s, %one : tensor<i64>
  ml_program.global_store @seed = %t : tensor<i64>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, 0)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<2x16xf32>, tensor<2x1xf32>) outs(%e : tensor<2x16xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %m = arith.mulf %i, %j : f32
    linalg.yield %m : f32
  } -> tensor<2x16xf32>
  return %r, %t : tensor<2x16xf32>, tensor<i64>
}
ml_program.global private mutable @seed(dense<41> : tensor<i64>) : tensor<i64>
""", [x], [x * [[1], [2]], np.array(42)])

program(
    """
func.func @shapes(%x: tensor<?x16xf32>) -> (tensor<2xindex>, index) {
  %s = shape.shape_of %x : tensor<?x16xf32> -> tensor<2xindex>
  %n = shape.num_elements %s : tensor<2xindex> -> index
  return %s, %n : tensor<2xindex>, index
}""", [x], [np.array([2, 16]), np.int64(32)])
