// RUN: %fa-opt %s --fa-drop-fast-math | FileCheck %s

// CHECK-LABEL: func.func @conversions(
// CHECK: arith.extf %arg0 : f16 to f32
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @conversions(%x: f16) -> f16 {
  %a = arith.extf %x fastmath<contract> : f16 to f32
  %b = arith.addf %a, %a fastmath<contract> : f32
  %c = arith.truncf %b fastmath<contract> : f32 to f16
  return %c : f16
}
