// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='nc3 overlap=false lazy=8'" | FileCheck %s
// RUN: %fa-opt %S/Inputs/straight.mlir --pass-pipeline="builtin.module(gpu.module(fagpu.kernel(fagpu-lazy-rescale{threshold=4})))" | FileCheck %s --check-prefix=STRAIGHT
// RUN: not %fa-opt %S/Inputs/straight.mlir --pass-pipeline="builtin.module(gpu.module(fagpu.kernel(fagpu-lazy-rescale{threshold=0})))" 2>&1 | FileCheck %s --check-prefix=RANGE

// RANGE: error: --fagpu-lazy-rescale: threshold must be in (0, 64]

// Whether the maximum grows by more than 8, in units of the scores: scale is 1 / sqrt(128).
// CHECK: %[[GROWS:.*]] = linalg.generic {{.*}} ins(%[[OLD:[^,]*]], %[[NOW:[^ ]*]] : {{.*}} outs(%{{.*}} : tensor<64xi1
// CHECK: %[[GROWN:.*]] = arith.subf
// CHECK: arith.cmpf ult, %[[GROWN]], %{{.*}} : f32
// The maximum in use, what exponentials subtract, and alpha, chosen together.
// CHECK: %[[LAZY:.*]]:3 = linalg.generic {{.*}} ins(%[[OLD]], %{{[^,]*}}, %[[NOW]], %[[GROWS]] :
// CHECK: %[[POWER:.*]] = math.exp2
// CHECK: arith.select %[[ROW:.*]], %{{.*}}, %{{.*}}
// CHECK: arith.select %[[ROW]], %{{.*}}, %{{.*}}
// CHECK: arith.select %[[ROW]], %[[POWER]], %
// CHECK: linalg.generic {{.*}} ins(%[[LAZY]]#1 :
// CHECK: math.fma
// The vote is the last thing.
// CHECK: %[[ANY:.*]] = fagpu.any_row %[[GROWS]]
// CHECK-NEXT: fagpu.scale_rows %{{.*}} by %[[LAZY]]#2 if %[[ANY]]
// CHECK: scf.yield {{.*}}%[[LAZY]]#0

// STRAIGHT: fagpu.any_row
// STRAIGHT: fagpu.scale_rows {{.*}} if %
