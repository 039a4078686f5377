#===- reductions.py - programs around attention ---------------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Reductions."""

import numpy as np

from .table import RNG, integer, program, real, softmax

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
