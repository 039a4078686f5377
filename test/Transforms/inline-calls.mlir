// RUN: %fa-opt %s --fa-inline-calls | FileCheck %s
// RUN: %fa-opt %S/../models/jax_where_window_bf16.mlir --fa-pipeline="target=cpu stop-after=raise" | FileCheck %s --check-prefix=JAX

// A module with a call: the callee is gone.
// CHECK-NOT: @where
// CHECK-LABEL: func.func @caller
// CHECK-NOT: call
// CHECK: arith.select
func.func private @where(%keep: i1, %x: f32, %y: f32) -> f32 {
  %r = arith.select %keep, %x, %y : f32
  return %r : f32
}
func.func @caller(%keep: i1, %x: f32, %y: f32) -> f32 {
  %r = call @where(%keep, %x, %y) : (i1, f32, f32) -> f32
  return %r : f32
}

// What jax.jit exports of attention with a causal mask by jnp.where.
// JAX-NOT: call
// JAX: fa.attention {causal,
