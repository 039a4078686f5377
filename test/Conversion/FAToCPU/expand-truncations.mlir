// RUN: %fa-opt %s --fa-expand-truncations | FileCheck %s
// Rounded once: these f64 are next to the middle of two bf16, and their f32 is that middle.
// RUN: %fa-run %s --entry values --arg "shape=4xf64 values=1.00390625000000000001,1.0039062500000002,1.0117187499999998,-1.0117187499999998" \
// RUN:   --save %t.npy
// RUN: %python -c "import numpy, sys; print([hex(b) for b in numpy.load(sys.argv[1]).view(numpy.uint16).ravel()])" %t.npy \
// RUN:   | FileCheck %s --check-prefix=BITS
// RUN: %fa-run %s --entry values --arg "shape=4xf64 values=nan,1e300,-1e-300,inf" --save %t.npy
// RUN: %python -c "import numpy, sys; print([hex(b) for b in numpy.load(sys.argv[1]).view(numpy.uint16).ravel()])" %t.npy \
// RUN:   | FileCheck %s --check-prefix=EDGES

// BITS: ['0x3f80', '0x3f81', '0x3f81', '0xbf81']
// EDGES: ['0x7fc0', '0x7f80', '0x8000', '0x7f80']

// CHECK-LABEL: func.func @vector(
// CHECK-SAME: %[[WIDE:.*]]: vector<4xf64>
// CHECK: %[[NEAR:.*]] = arith.truncf %[[WIDE]] : vector<4xf64> to vector<4xf32>
// CHECK: arith.extf %[[NEAR]] : vector<4xf32> to vector<4xf64>
// CHECK: %[[ODD:.*]] = arith.bitcast {{.*}} : vector<4xi32> to vector<4xf32>
// CHECK: arith.truncf %[[ODD]] : vector<4xf32> to vector<4xbf16>
func.func @vector(%x: vector<4xf64>) -> vector<4xbf16> {
  %r = arith.truncf %x : vector<4xf64> to vector<4xbf16>
  return %r : vector<4xbf16>
}

// CHECK-LABEL: func.func @others(
// CHECK-NEXT: arith.truncf {{.*}} : f64 to f16
// CHECK-NEXT: arith.truncf {{.*}} : f32 to bf16
// CHECK-NEXT: return
func.func @others(%x: f64, %y: f32) -> (f16, bf16) {
  %r = arith.truncf %x : f64 to f16
  %s = arith.truncf %y : f32 to bf16
  return %r, %s : f16, bf16
}

func.func @values(%x: tensor<4xf64>) -> tensor<4xbf16> {
  %r = arith.truncf %x : tensor<4xf64> to tensor<4xbf16>
  return %r : tensor<4xbf16>
}
