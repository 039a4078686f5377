// RUN: %fa-opt %s --fa-linalg-to-kernels --canonicalize --fa-sink-globals | FileCheck %s

// A constant is read in the kernel, through the view that the host had; nothing of it is left outside.
// CHECK-NOT: memref.global
// CHECK: gpu.module @kernels
// CHECK: memref.global "private" constant @table : memref<2x3xf32>
// CHECK-LABEL: gpu.func @scale_0(
// CHECK-SAME: %{{.*}}: memref<6xf32>, %{{.*}}: memref<6xf32>) kernel
// CHECK: %[[TABLE:.*]] = memref.get_global @table
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[TABLE]]
// CHECK: memref.load %[[FLAT]]
// A copy of a constant needs a kernel, too.
// CHECK-LABEL: gpu.func @scale_1(
// CHECK-SAME: %{{.*}}: memref<2x3xf32>) kernel
// CHECK: memref.get_global @table
// CHECK-LABEL: func.func @scale
// CHECK-SAME: memref<6xf32>, %{{.*}}: memref<6xf32> {fa.written}, %{{.*}}: memref<2x3xf32> {fa.written})
// CHECK-NOT: get_global
memref.global "private" constant @table : memref<2x3xf32> = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]>
func.func @scale(%x: memref<6xf32>, %y: memref<6xf32>, %z: memref<2x3xf32>) {
  %t = memref.get_global @table : memref<2x3xf32>
  %flat = memref.collapse_shape %t [[0, 1]] : memref<2x3xf32> into memref<6xf32>
  linalg.mul ins(%x, %flat : memref<6xf32>, memref<6xf32>) outs(%y : memref<6xf32>)
  memref.copy %t, %z : memref<2x3xf32> to memref<2x3xf32>
  return
}
