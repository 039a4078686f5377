// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='nc3 overlap=false lazy=0'" | FileCheck %s
// RUN: %fa-opt %s --fa-pipeline="target=sm_90a stop-after=machine" 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %fa-opt %S/Inputs/static.mlir --fa-pipeline="target=sm_90a stop-after=machine" 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: %fa-opt %S/Inputs/lengths.mlir --fa-pipeline="target=sm_90a stop-after=machine" | FileCheck %s --check-prefix=LENGTHS
// RUN: %fa-opt %S/Inputs/lengths.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='key-tile=64 stages=1 overlap=false'" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: %fa-opt %S/Inputs/attention.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule='nc3 query-slots=2'" | FileCheck %s --check-prefix=CAUSAL

// Under a causal mask every other query tile is at the block's other end; where its keys end is computed in 32 bits.
// CAUSAL: fagpu.kernel @{{.*}}causal
// CAUSAL: fagpu.role consumer warpgroups(3) {{.*}} {
// CAUSAL-NEXT: ^bb0(%[[WG:.*]]: i32):
// CAUSAL: %[[SLOT:.*]] = fagpu.slot
// CAUSAL-DAG: %[[MIRROR:.*]] = arith.subi %c2_i32, %[[WG]] : i32
// CAUSAL-DAG: %[[ODD:.*]] = arith.cmpi ne, %[[SLOT]], %c0_i32 : i32
// CAUSAL: arith.select %[[ODD]], %[[MIRROR]], %[[WG]] : i32
// CAUSAL-NOT: arith.divui {{.*}} : index
// CAUSAL: arith.divui %{{.*}}, %c80_i32 : i32
// CAUSAL-NOT: arith.minsi {{.*}} : index
// CAUSAL: scf.for

// The launch: TMA where it can address the buffers, mma.sync otherwise.
// CHECK-LABEL: func.func @full
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: scf.if
// CHECK: fagpu.encode_tensor_map %{{.*}} {col_dim = 3 : i64, row_dim = 2 : i64} : memref<?x?x?x128xbf16> -> !fagpu.tensor_map<64x128xbf16>
// CHECK: fagpu.encode_tensor_map {{.*}} -> !fagpu.tensor_map<80x128xbf16>
// CHECK: memref.alloc() {fagpu.kept_zero} : memref<1xi32>
// CHECK: fagpu.multiprocessors
// CHECK: gpu.launch_func @fa_kernels::@full_kernel_tma blocks in ({{.*}}) threads in (%c512, %c1, %c1) dynamic_shared_memory_size %c221312_i32
// CHECK: } else {
// CHECK: gpu.launch_func @fa_kernels::@full_kernel blocks

// CHECK: fagpu.kernel @full_kernel_tma(
// CHECK: fagpu.smem {{.*}} : !fagpu.swizzled<3x64x128xbf16>
// CHECK: fagpu.smem {{.*}} : !fagpu.swizzled<3x80x128xbf16>
// CHECK: fagpu.ring {{.*}}mailbox{{.*}} : !fagpu.ring<1>
// CHECK: fagpu.role producer warpgroups(1) registers(32)
// CHECK: fagpu.for_each_tile dynamic
// CHECK: fagpu.commit %{{.*}} bytes 49152
// CHECK-COUNT-3: fagpu.tma_load
// The last key tile, then (key tile, value tile after it), then the first value tile.
// CHECK: fagpu.acquire %[[KEYS:[0-9]*]]
// CHECK: fagpu.tma_load {{.*}} on %[[KEYS]]
// CHECK: scf.for
// CHECK: fagpu.tma_load {{.*}} on %[[KEYS]]
// CHECK: fagpu.tma_load {{.*}} on %[[VALUES:[0-9]*]]
// CHECK: scf.yield
// CHECK: fagpu.tma_load {{.*}} on %[[VALUES]]

// CHECK: fagpu.role consumer warpgroups(3) registers(160)
// The masked tile first.
// CHECK: scf.for
// CHECK: fagpu.wait_full %[[KEYS]]
// CHECK-NEXT: fagpu.wgmma
// CHECK-NEXT: fagpu.wgmma_wait 0
// CHECK-NEXT: fagpu.release %[[KEYS]]
// CHECK: linalg.index 1
// CHECK: fagpu.scale_rows
// CHECK: fagpu.pack
// CHECK: fagpu.wait_full %[[VALUES]]
// CHECK-NEXT: fagpu.wgmma {{.*}} {b_rows_are_k}
// CHECK: scf.yield
// CHECK: scf.for
// CHECK-NOT: linalg.index
// CHECK: scf.yield
// CHECK: fagpu.release
// CHECK: fagpu.tma_store
// CHECK: fa.store_tile {{.*}} #fagpu.rows

// Where ranges differ, tiles that only other consumers see are passed by.
// CHECK: fagpu.kernel @causal_kernel_tma(
// CHECK: fagpu.role consumer
// CHECK: scf.for
// CHECK-NOT: fagpu.wgmma
// CHECK: scf.yield
// CHECK: fagpu.wgmma

// A length: what it leaves of the last tile of values is cleared before the first product.
// LENGTHS: fagpu.kernel @attention_kernel_tma
// LENGTHS: fagpu.role consumer
// LENGTHS: %[[LENGTH:.*]] = memref.load
// LENGTHS: fagpu.clear_tail
// LENGTHS: fagpu.wgmma
// A loop that is known to have one iteration is still a loop.
// STATIC-NOT: remark
// STATIC: fagpu.kernel @full_kernel_tma
// STATIC: fagpu.kernel @causal_kernel_tma
// ONE: remark: this kernel stays with mma.sync: values to clear past a length need two stages

#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
!t = memref<?x?x128xbf16>

// REFUSED: remark: this kernel stays with mma.sync: it branches around tiles (packed sequences do)
// REFUSED-NOT: fagpu.kernel
func.func @packed(%query: !t, %key: !t, %value: !t, %out: !t, %offsets: memref<?xi32>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%query, %key, %value : !t, !t, !t)
    query_offsets(%offsets : memref<?xi32>) key_offsets(%offsets : memref<?xi32>) outs(%out : !t)
  return
}
