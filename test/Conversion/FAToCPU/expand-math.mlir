// RUN: %fa-opt %s --fa-expand-math | FileCheck %s
// RUN: %fa-opt %s --pass-pipeline='builtin.module(func.func(llvm-request-c-wrappers),fa-expand-math,convert-vector-to-scf,convert-scf-to-cf,convert-vector-to-llvm,convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)' \
// RUN:   | %mlir-runner -e run -entry-point-result=void --shared-libs=%mlir_lib/libmlir_runner_utils.so,%mlir_lib/libmlir_c_runner_utils.so \
// RUN:   | FileCheck %s --check-prefix=VALUES

// CHECK-LABEL: func.func @vectors(
// CHECK-NOT: math.exp
// CHECK-NOT: math.tanh
// CHECK-NOT: math.log
// CHECK-COUNT-6: math.fma
func.func @vectors(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  %a = math.exp2 %x : vector<8xf32>
  %b = math.exp %x : vector<8xf32>
  %c = math.tanh %x : vector<8xf32>
  %d = math.log %x : vector<8xf32>
  return %a, %b, %c, %d : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
}

// CHECK-LABEL: func.func @others(
// CHECK: math.exp2 %{{.*}} : f32
// CHECK: math.exp %{{.*}} : vector<4xf64>
func.func @others(%x: f32, %y: vector<4xf64>) -> (f32, vector<4xf64>) {
  %a = math.exp2 %x : f32
  %b = math.exp %y : vector<4xf64>
  return %a, %b : f32, vector<4xf64>
}

// Infinities, NaN, the ends of the range and the smallest numbers. In a function of its own, or constants would fold.
func.func @exp2_and_exp(%x: vector<8xf32>) {
  %a = math.exp2 %x : vector<8xf32>
  vector.print %a : vector<8xf32>
  %b = math.exp %x : vector<8xf32>
  vector.print %b : vector<8xf32>
  return
}
func.func @run() {
  %x = arith.constant dense<[0.0, 1.0, -1.0, 0.5, 127.5, 128.0, -124.0, -130.0]> : vector<8xf32>
  // VALUES: ( 1, 2, 0.5, 1.41421, 2.4061{{.}}e+38, inf, 4.70198e-38, 0 )
  // VALUES: ( 1, 2.71828, 0.367879, 1.64872, inf, inf, 0, 0 )
  call @exp2_and_exp(%x) : (vector<8xf32>) -> ()
  %y = arith.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 1.0e30, -1.0e30, 88.5, 89.0, -1.0]> : vector<8xf32>
  // VALUES: ( inf, 0, {{-?}}nan, inf, 0, 4.37{{.*}}e+26, 6.18{{.*}}e+26, 0.5 )
  // VALUES: ( inf, 0, {{-?}}nan, inf, 0, 2.723{{.*}}e+38, inf, 0.367879 )
  call @exp2_and_exp(%y) : (vector<8xf32>) -> ()
  return
}
