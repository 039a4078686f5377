#===- products.py - programs around attention -----------------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Products."""

import numpy as np

from .table import integer, program, real

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
