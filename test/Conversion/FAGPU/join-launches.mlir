// RUN: %fa-opt %s --split-input-file --fa-join-launches | FileCheck %s

// Zeros are stored first; the launch is where both sets of memory are known.
// CHECK-LABEL: func @clear_behind
// CHECK-NEXT: %[[DELTA:.*]] = memref.alloc(%[[N:.*]]) : memref<?xf32>
// CHECK-NEXT: cf.assert
// CHECK-NEXT: %[[SUM:.*]] = memref.alloc(%[[N]]) : memref<?x16xf32>
// CHECK-NEXT: gpu.launch_func @kernels::@prepare blocks in (%[[N]], %{{.*}}, %{{.*}}) {{.*}} args(%{{.*}} : memref<?xf32>, %[[DELTA]] : memref<?xf32>, %[[SUM]] : memref<?x16xf32>)
// CHECK-NEXT: return
// CHECK: gpu.func @prepare(%[[IN:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>, %[[SUMS:.*]]: memref<?x16xf32>) kernel attributes {known_block_size
// CHECK: linalg.fill
// CHECK: fa.store_tile %{{.*}}, %[[SUMS]]
// CHECK: fa.load_tile %[[IN]]
// CHECK: fa.store_tile %{{.*}}, %[[OUT]]
// CHECK: gpu.return
// CHECK-NOT: gpu.func
module attributes {gpu.container_module} {
  func.func @clear_behind(%in: memref<?xf32>, %n: index, %one: index, %threads: index, %good: i1) {
    %delta = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @kernels::@prepare blocks in (%n, %one, %one) threads in (%threads, %one, %one) args(%in : memref<?xf32>, %delta : memref<?xf32>)
    cf.assert %good, "good"
    %sum = memref.alloc(%n) : memref<?x16xf32>
    gpu.launch_func @kernels::@clear blocks in (%n, %one, %one) threads in (%threads, %one, %one) args(%sum : memref<?x16xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @prepare(%in: memref<?xf32>, %out: memref<?xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %x = gpu.block_id x
      %tile = fa.load_tile %in[%x] {tile_dims = array<i64: 0>} : memref<?xf32> -> tensor<64xf32, #fagpu.rows>
      fa.store_tile %tile, %out[%x] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    gpu.func @clear(%sum: memref<?x16xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %x = gpu.block_id x
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<64x16xf32, #fagpu.acc>
      %tile = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x16xf32, #fagpu.acc>) -> tensor<64x16xf32, #fagpu.acc>
      fa.store_tile %tile, %sum[%x, %c0] {tile_dims = array<i64: 0, 1>} : tensor<64x16xf32, #fagpu.acc>, memref<?x16xf32>
      gpu.return
    }
  }
}

// -----

// CHECK-LABEL: func @clear_in_front
// CHECK: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK: return
// Each of these keeps its two launches: another grid, memory of the caller, memory that both use, something between.
// CHECK-LABEL: func @another_grid
// CHECK-COUNT-2: gpu.launch_func
// CHECK-LABEL: func @memory_of_the_caller
// CHECK-COUNT-2: gpu.launch_func
// CHECK-LABEL: func @same_memory
// CHECK-COUNT-2: gpu.launch_func
// CHECK-LABEL: func @something_between
// CHECK-COUNT-2: gpu.launch_func
module attributes {gpu.container_module} {
  func.func @clear_in_front(%in: memref<?xf32>, %out: memref<?xf32>, %n: index, %one: index, %threads: index) {
    %sum = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @kernels::@clear0 blocks in (%n, %one, %one) threads in (%threads, %one, %one) args(%sum : memref<?xf32>)
    gpu.launch_func @kernels::@copy0 blocks in (%n, %one, %one) threads in (%threads, %one, %one) args(%in : memref<?xf32>, %out : memref<?xf32>)
    return
  }
  func.func @another_grid(%in: memref<?xf32>, %out: memref<?xf32>, %n: index, %m: index, %one: index, %threads: index) {
    %sum = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @kernels::@clear1 blocks in (%n, %one, %one) threads in (%threads, %one, %one) args(%sum : memref<?xf32>)
    gpu.launch_func @kernels::@copy1 blocks in (%m, %one, %one) threads in (%threads, %one, %one) args(%in : memref<?xf32>, %out : memref<?xf32>)
    return
  }
  func.func @memory_of_the_caller(%in: memref<?xf32>, %out: memref<?xf32>, %sum: memref<?xf32>, %n: index, %one: index, %threads: index) {
    gpu.launch_func @kernels::@clear2 blocks in (%n, %one, %one) threads in (%threads, %one, %one) args(%sum : memref<?xf32>)
    gpu.launch_func @kernels::@copy2 blocks in (%n, %one, %one) threads in (%threads, %one, %one) args(%in : memref<?xf32>, %out : memref<?xf32>)
    return
  }
  func.func @same_memory(%out: memref<?xf32>, %n: index, %one: index, %threads: index) {
    %sum = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @kernels::@clear3 blocks in (%n, %one, %one) threads in (%threads, %one, %one) args(%sum : memref<?xf32>)
    gpu.launch_func @kernels::@copy3 blocks in (%n, %one, %one) threads in (%threads, %one, %one) args(%sum : memref<?xf32>, %out : memref<?xf32>)
    return
  }
  func.func @something_between(%in: memref<?xf32>, %out: memref<?xf32>, %n: index, %one: index, %threads: index) {
    %sum = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @kernels::@clear4 blocks in (%n, %one, %one) threads in (%threads, %one, %one) args(%sum : memref<?xf32>)
    memref.copy %in, %sum : memref<?xf32> to memref<?xf32>
    gpu.launch_func @kernels::@copy4 blocks in (%n, %one, %one) threads in (%threads, %one, %one) args(%in : memref<?xf32>, %out : memref<?xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @clear0(%sum: memref<?xf32>) kernel {
      %x = gpu.block_id x
      %tile = arith.constant dense<0.0> : tensor<64xf32, #fagpu.rows>
      fa.store_tile %tile, %sum[%x] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    gpu.func @copy0(%in: memref<?xf32>, %out: memref<?xf32>) kernel {
      %x = gpu.block_id x
      %tile = fa.load_tile %in[%x] {tile_dims = array<i64: 0>} : memref<?xf32> -> tensor<64xf32, #fagpu.rows>
      fa.store_tile %tile, %out[%x] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    gpu.func @clear1(%sum: memref<?xf32>) kernel {
      %x = gpu.block_id x
      %tile = arith.constant dense<0.0> : tensor<64xf32, #fagpu.rows>
      fa.store_tile %tile, %sum[%x] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    gpu.func @copy1(%in: memref<?xf32>, %out: memref<?xf32>) kernel {
      %x = gpu.block_id x
      %tile = fa.load_tile %in[%x] {tile_dims = array<i64: 0>} : memref<?xf32> -> tensor<64xf32, #fagpu.rows>
      fa.store_tile %tile, %out[%x] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    gpu.func @clear2(%sum: memref<?xf32>) kernel {
      %x = gpu.block_id x
      %tile = arith.constant dense<0.0> : tensor<64xf32, #fagpu.rows>
      fa.store_tile %tile, %sum[%x] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    gpu.func @copy2(%in: memref<?xf32>, %out: memref<?xf32>) kernel {
      %x = gpu.block_id x
      %tile = fa.load_tile %in[%x] {tile_dims = array<i64: 0>} : memref<?xf32> -> tensor<64xf32, #fagpu.rows>
      fa.store_tile %tile, %out[%x] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    gpu.func @clear3(%sum: memref<?xf32>) kernel {
      %x = gpu.block_id x
      %tile = arith.constant dense<0.0> : tensor<64xf32, #fagpu.rows>
      fa.store_tile %tile, %sum[%x] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    gpu.func @copy3(%in: memref<?xf32>, %out: memref<?xf32>) kernel {
      %x = gpu.block_id x
      %tile = fa.load_tile %in[%x] {tile_dims = array<i64: 0>} : memref<?xf32> -> tensor<64xf32, #fagpu.rows>
      fa.store_tile %tile, %out[%x] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    gpu.func @clear4(%sum: memref<?xf32>) kernel {
      %x = gpu.block_id x
      %tile = arith.constant dense<0.0> : tensor<64xf32, #fagpu.rows>
      fa.store_tile %tile, %sum[%x] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
    gpu.func @copy4(%in: memref<?xf32>, %out: memref<?xf32>) kernel {
      %x = gpu.block_id x
      %tile = fa.load_tile %in[%x] {tile_dims = array<i64: 0>} : memref<?xf32> -> tensor<64xf32, #fagpu.rows>
      fa.store_tile %tile, %out[%x] {tile_dims = array<i64: 0>} : tensor<64xf32, #fagpu.rows>, memref<?xf32>
      gpu.return
    }
  }
}
