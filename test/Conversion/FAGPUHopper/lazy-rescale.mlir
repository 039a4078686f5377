// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='nc3 overlap=false lazy=8'" | FileCheck %s
// RUN: %fa-opt %S/Inputs/straight.mlir --pass-pipeline="builtin.module(gpu.module(fagpu.kernel(fagpu-lazy-rescale{threshold=4})))" | FileCheck %s --check-prefix=STRAIGHT
// RUN: not %fa-opt %S/Inputs/straight.mlir --pass-pipeline="builtin.module(gpu.module(fagpu.kernel(fagpu-lazy-rescale{threshold=0})))" 2>&1 | FileCheck %s --check-prefix=RANGE

// RANGE: error: --fagpu-lazy-rescale: threshold must be in (0, 64]

// The maximum in use, what exponentials subtract, and alpha, chosen together.
// CHECK: %[[LAZY:.*]]:3 = linalg.generic {{.*}} ins(%[[OLD:[^,]*]], %[[BASE:[^,]*]], %[[NOW:[^ ]*]] :
// CHECK: %[[POWER:.*]] = math.exp2 %[[EXPONENT:[0-9]*]]
// CHECK: %[[GROWS:.*]] = arith.cmpf ult, %[[EXPONENT]], %
// CHECK: arith.select %[[GROWS]], %{{.*}}, %{{.*}}
// CHECK: arith.select %[[GROWS]], %{{.*}}, %{{.*}}
// CHECK: arith.select %[[GROWS]], %[[POWER]], %
// CHECK: linalg.generic {{.*}} ins(%[[LAZY]]#1 :
// CHECK: math.fma
// CHECK: fagpu.scale_rows %{{.*}} by %[[LAZY]]#2 {skip_if_one}
// CHECK: scf.yield {{.*}}%[[LAZY]]#0

// STRAIGHT: arith.constant -4.0
// STRAIGHT: fagpu.scale_rows {{.*}} {skip_if_one}
