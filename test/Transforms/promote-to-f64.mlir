// RUN: %fa-opt %s --fa-promote-to-f64 --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @types(
// CHECK-SAME: %[[X:.*]]: tensor<4xf64>, %{{.*}}: i32) -> tensor<4xf64>
// CHECK-DAG: arith.constant 2.500000e-01 : f64
// CHECK-DAG: arith.constant dense<[1.000000e+00, 5.000000e-01, 0xFFF0000000000000, 3.000000e+00]> : tensor<4xf64>
// CHECK-DAG: arith.constant 7 : i32
// CHECK-NOT: extf
// CHECK-NOT: truncf
func.func @types(%x: tensor<4xbf16>, %i: i32) -> tensor<4xf16> {
  %quarter = arith.constant 0.25 : bf16
  %c = arith.constant dense<[1.0, 0.5, 0xFF800000, 3.0]> : tensor<4xf32>
  %seven = arith.constant 7 : i32
  %wide = arith.extf %x : tensor<4xbf16> to tensor<4xf32>
  %sum = arith.addf %wide, %c : tensor<4xf32>
  %narrow = arith.truncf %sum : tensor<4xf32> to tensor<4xf16>
  // CHECK: %[[SUM:.*]] = arith.addf %[[X]]
  // CHECK: return %[[SUM]]
  return %narrow : tensor<4xf16>
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
// CHECK-LABEL: func.func @attention(
// CHECK: softmax_type = f64
// CHECK-SAME: tensor<4x8xf64>
// CHECK: ^bb0(%{{.*}}: f64)
func.func @attention(%q: tensor<4x8xf16>, %k: tensor<6x8xf16>, %v: tensor<6x8xf16>, %o: tensor<4x8xf16>)
    -> tensor<4x8xf16> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o], softmax_type = f32}
    ins(%q, %k, %v : tensor<4x8xf16>, tensor<6x8xf16>, tensor<6x8xf16>)
    outs(%o : tensor<4x8xf16>)
    score {
    ^bb0(%s: f32):
      %t = math.tanh %s : f32
      fa.yield %t : f32
    } -> tensor<4x8xf16>
  return %r : tensor<4x8xf16>
}

// -----

func.func @bits(%x: f32) -> i32 {
  // expected-error @below {{fa-promote-to-f64: bits of a float are read or made here}}
  %i = arith.bitcast %x : f32 to i32
  return %i : i32
}
