// What is computed of lse and delta alone is computed by the kernel that writes them; what two loops compute in different ways stays.
// RUN: %fa-opt %s -split-input-file --fagpu-hoist-rows --canonicalize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: gpu.func @write
// CHECK: %[[ROWS:.*]] = fa.load_tile
// CHECK: %[[FACTOR:.*]] = linalg.generic {{.*}} ins(%[[ROWS]]
// CHECK: arith.mulf
// CHECK: fa.store_tile %[[FACTOR]]
// CHECK-LABEL: fagpu.kernel @read
// CHECK: %[[READ:.*]] = fagpu.read_cols
// CHECK: linalg.generic {{.*}} ins(%[[READ]]
// CHECK-NOT: arith.mulf
// CHECK: arith.addf
module attributes {gpu.container_module} {
  func.func @host(%in: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %rows = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @kernels::@write blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%in : memref<?xf32>, %rows : memref<?xf32>)
    gpu.launch_func @kernels::@read blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%rows : memref<?xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @write(%in: memref<?xf32>, %out: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %t = fa.load_tile %in[%c0] {tile_dims = array<i64: 0>} : memref<?xf32> -> tensor<64xf32, #fagpu.rows>
      fa.store_tile %t, %out[%c0] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    fagpu.kernel @read(%in: memref<?xf32>) attributes {gpu.kernel} {
      %c0 = arith.constant 0 : index
      %two = arith.constant 2.0 : f32
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #fagpu.acc>
      %l = fagpu.rows : !fagpu.shared_rows<1x64xf32>
      %r = fagpu.ring : !fagpu.ring<1>
      fagpu.role producer warpgroups(1) registers(40) {
        %c = fagpu.cursor : !fagpu.cursor<1>
        fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
        fagpu.commit %r[%c] bytes 256 : !fagpu.ring<1>, !fagpu.cursor<1>
        fagpu.bulk_load %in[%c0] to %l on %r[%c] : memref<?xf32>, !fagpu.shared_rows<1x64xf32>, !fagpu.ring<1>, !fagpu.cursor<1>
      }
      fagpu.role consumer warpgroups(1) registers(200) {
      ^bb0(%wg: i32):
        %c = fagpu.cursor : !fagpu.cursor<1>
        fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
        %d = fagpu.read_cols %l[%c : !fagpu.cursor<1>] : !fagpu.shared_rows<1x64xf32> -> tensor<64xf32, #fagpu.cols>
        %s = linalg.generic {indexing_maps = [#col, #id], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<64xf32, #fagpu.cols>) outs(%zero : tensor<64x64xf32, #fagpu.acc>) {
        ^bb0(%x: f32, %y: f32):
          %a = arith.mulf %x, %two : f32
          %b = arith.addf %y, %a : f32
          linalg.yield %b : f32
        } -> tensor<64x64xf32, #fagpu.acc>
        %p = fagpu.pack %s : tensor<64x64xf32, #fagpu.acc> -> tensor<64x64xbf16, #fagpu.a_op>
        fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      }
    }
  }
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: gpu.func @write
// CHECK-NOT: linalg.generic
// CHECK-LABEL: fagpu.kernel @read
// CHECK: arith.mulf
// CHECK: arith.negf
module attributes {gpu.container_module} {
  func.func @host(%in: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %rows = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @kernels::@write blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%in : memref<?xf32>, %rows : memref<?xf32>)
    gpu.launch_func @kernels::@read blocks in (%c1, %c1, %c1) threads in (%c256, %c1, %c1) args(%rows : memref<?xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @write(%in: memref<?xf32>, %out: memref<?xf32>) kernel {
      %c0 = arith.constant 0 : index
      %t = fa.load_tile %in[%c0] {tile_dims = array<i64: 0>} : memref<?xf32> -> tensor<64xf32, #fagpu.rows>
      fa.store_tile %t, %out[%c0] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    fagpu.kernel @read(%in: memref<?xf32>) attributes {gpu.kernel} {
      %c0 = arith.constant 0 : index
      %two = arith.constant 2.0 : f32
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #fagpu.acc>
      %l = fagpu.rows : !fagpu.shared_rows<1x64xf32>
      %r = fagpu.ring : !fagpu.ring<1>
      fagpu.role producer warpgroups(1) registers(40) {
        %c = fagpu.cursor : !fagpu.cursor<1>
        fagpu.acquire %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
        fagpu.commit %r[%c] bytes 256 : !fagpu.ring<1>, !fagpu.cursor<1>
        fagpu.bulk_load %in[%c0] to %l on %r[%c] : memref<?xf32>, !fagpu.shared_rows<1x64xf32>, !fagpu.ring<1>, !fagpu.cursor<1>
      }
      fagpu.role consumer warpgroups(1) registers(200) {
      ^bb0(%wg: i32):
        %c = fagpu.cursor : !fagpu.cursor<1>
        fagpu.wait_full %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
        %d = fagpu.read_cols %l[%c : !fagpu.cursor<1>] : !fagpu.shared_rows<1x64xf32> -> tensor<64xf32, #fagpu.cols>
        %s = linalg.generic {indexing_maps = [#col, #id], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<64xf32, #fagpu.cols>) outs(%zero : tensor<64x64xf32, #fagpu.acc>) {
        ^bb0(%x: f32, %y: f32):
          %a = arith.mulf %x, %two : f32
          %b = arith.addf %y, %a : f32
          linalg.yield %b : f32
        } -> tensor<64x64xf32, #fagpu.acc>
        %p = fagpu.pack %s : tensor<64x64xf32, #fagpu.acc> -> tensor<64x64xbf16, #fagpu.a_op>
        %t = linalg.generic {indexing_maps = [#col, #id], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<64xf32, #fagpu.cols>) outs(%zero : tensor<64x64xf32, #fagpu.acc>) {
        ^bb0(%x: f32, %y: f32):
          %a = arith.negf %x : f32
          %b = arith.addf %y, %a : f32
          linalg.yield %b : f32
        } -> tensor<64x64xf32, #fagpu.acc>
        %q = fagpu.pack %t : tensor<64x64xf32, #fagpu.acc> -> tensor<64x64xbf16, #fagpu.a_op>
        fagpu.release %r[%c] : !fagpu.ring<1>, !fagpu.cursor<1>
      }
    }
  }
}
