#===- shapes.py - programs around attention -------------------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Shapes."""

import numpy as np

from .table import program, real

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
