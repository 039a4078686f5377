#===- gathers.py - programs around attention ------------------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Gathers, positions, scatters."""

import numpy as np

from .table import integer, program, real

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
