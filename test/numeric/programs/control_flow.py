#===- control_flow.py - programs around attention -------------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Control flow."""

import numpy as np

from .table import program, real

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
