// Blocks that draw keys after keys: a ring of numbers, cursors that carry on from tile to tile, the first rows before their keys.
// RUN: split-file %s %t
// RUN: %fa-opt %t/single.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" | FileCheck %t/single.mlir
// RUN: %fa-opt %t/pair.mlir --fa-pipeline="target=sm_90a stop-after=machine schedule=gradients=roles" | FileCheck %t/pair.mlir
// Launches ask for what --fagpu-allocate still finds behind --fagpu-lower-tile-loop.
// RUN: %fa-opt %t/single.mlir --fa-pipeline="target=sm_90a schedule=gradients=roles" | FileCheck %s --check-prefix=LOWERED
// RUN: %fa-opt %t/pair.mlir --fa-pipeline="target=sm_90a schedule=gradients=roles" | FileCheck %s --check-prefix=LOWERED
// LOWERED: gpu.launch_func {{.*}}_kernel_1_tma {{.*}}dynamic_shared_memory_size %c[[BYTES:[0-9]+]]_i32
// LOWERED: llvm.func @{{.*}}_kernel_1_tma({{.*}}fagpu.smem_bytes = [[BYTES]] : i64

//--- single.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// As many blocks as there are multiprocessors, at most.
// CHECK-LABEL: func.func @single
// CHECK: %[[COUNTER:.*]] = memref.alloc() {fagpu.kept_zero} : memref<1xi32>
// CHECK: %[[ALL:.*]] = fagpu.multiprocessors
// CHECK: %[[BLOCKS:.*]] = arith.minui %{{.*}}, %[[ALL]]
// CHECK: gpu.launch_func @fa_kernels::@single_kernel_1_tma blocks in (%[[BLOCKS]], {{.*}}%[[COUNTER]] : memref<1xi32>

// CHECK: fagpu.kernel @single_kernel_1_tma
// CHECK: %[[K:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<2x64x64xbf16>
// CHECK: %[[V:.*]] = fagpu.smem {{.*}} : !fagpu.swizzled<2x64x64xbf16>
// CHECK: %[[TILES:.*]] = fagpu.ring {arrivals = {{12|13}} : i64, mailbox, {{.*}} : !fagpu.ring<2>
// CHECK: %[[KR:.*]] = fagpu.ring {arrivals = 12 : i64, offset = {{[0-9]*}} : i64} : !fagpu.ring<1>
// CHECK-NEXT: %[[QR:.*]] = fagpu.ring {arrivals = 8 : i64
// CHECK-NEXT: %[[DOR:.*]] = fagpu.ring {arrivals = 8 : i64
// CHECK-NEXT: %[[DSR:.*]] = fagpu.ring {arrivals = 4 : i64, fills = 8 : i64

// The loader: its cursors carry on; keys are asked for behind the first rows, which need no memory that keys have.
// CHECK: fagpu.role producer
// CHECK: fagpu.for_each_tile drawn total(%{{.*}}) via(%[[TILES]] : !fagpu.ring<2>) counter(%{{.*}} : memref<1xi32>) iter_args(
// CHECK-NEXT: ^bb0(%{{.*}}: i32, %[[AT:.*]]: !fagpu.cursor<2>, %[[ROWS:.*]]: !fagpu.cursor<4>, %[[KEY:.*]]: !fagpu.cursor<1>):
// CHECK-NEXT: fagpu.commit %[[TILES]][%[[AT]]] bytes 0
// CHECK-NOT: %[[KR]]
// CHECK: %[[END:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ROWS]])
// CHECK: scf.for %[[ROW:.*]] = %[[BEGIN:.*]] to
// CHECK: fagpu.acquire %[[QR]]
// CHECK: fagpu.acquire %[[DOR]]
// CHECK: fagpu.tma_load
// CHECK: arith.cmpi eq, %[[ROW]], %[[BEGIN]]
// CHECK: scf.if
// CHECK-NEXT: fagpu.acquire %[[KR]][%[[KEY]]]
// CHECK-NEXT: fagpu.commit %[[KR]][%[[KEY]]] bytes 32768
// CHECK-COUNT-2: fagpu.tma_load {{.*}} to %[[K]][{{.*}} on %[[KR]][%[[KEY]]]{{.*}}{{[[:space:]]+}}fagpu.tma_load {{.*}} to %[[V]]
// CHECK: %[[NEXT:.*]] = fagpu.advance %[[KEY]]
// CHECK: fagpu.yield %[[END]], %[[NEXT]]

// d_query: knows its tile at once, waits for its keys, releases them behind its last product.
// CHECK: fagpu.role consumer
// CHECK: ^bb0(%{{.*}}: i32, %[[AT:.*]]: !fagpu.cursor<2>, %[[SCORES:.*]]: !fagpu.cursor<2>, %[[KEY:.*]]: !fagpu.cursor<1>):
// CHECK-NEXT: fagpu.release %[[TILES]][%[[AT]]]
// CHECK: fagpu.wait_full %[[KR]][%[[KEY]]]
// CHECK: %[[END:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[SCORES]])
// CHECK: fagpu.reduce_add
// CHECK: fagpu.release %[[KR]][%[[KEY]]]
// CHECK: %[[NEXT:.*]] = fagpu.advance %[[KEY]]
// CHECK-NEXT: fagpu.yield %[[END]], %[[NEXT]]

// d_key and d_value leave through the values: the keys' slot is released when they are read.
// CHECK: fagpu.role consumer
// CHECK: fagpu.for_each_tile drawn
// CHECK: ^bb0(%{{.*}}: i32, %[[AT:.*]]: !fagpu.cursor<2>, %[[ROWS:.*]]: !fagpu.cursor<4>, %[[SCORES:.*]]: !fagpu.cursor<2>, %[[KEY:.*]]: !fagpu.cursor<1>):
// CHECK-NEXT: fagpu.release %[[TILES]][%[[AT]]]
// CHECK: fagpu.wait_full %[[KR]][%[[KEY]]]
// CHECK: %[[END:.*]]:4 = scf.for
// CHECK-NOT: fagpu.release %[[KR]]
// CHECK: fagpu.tma_store {{.*}} by %[[V]]
// CHECK: fagpu.tma_store {{.*}} by %[[V]]{{.*}} {drain}
// CHECK-NEXT: fagpu.release %[[KR]][%[[KEY]]]
// CHECK-NEXT: %[[NEXT:.*]] = fagpu.advance %[[KEY]]
// CHECK-NEXT: fagpu.yield %[[END]]#0, %[[END]]#1, %[[NEXT]]
func.func @single(%q: memref<?x?x?x?x64xbf16>, %k: memref<?x?x?x64xbf16>, %v: memref<?x?x?x64xbf16>, %o: memref<?x?x?x?x64xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x64xbf16>, %dq: memref<?x?x?x?x64xbf16>, %dk: memref<?x?x?x64xbf16>, %dv: memref<?x?x?x64xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x?x64xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x64xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x64xbf16>, memref<?x?x?x64xbf16>, memref<?x?x?x64xbf16>)
  return
}

//--- pair.mlir
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, g, m)>

// A pair on two multiprocessors; one pair at least.
// CHECK-LABEL: func.func @pair
// CHECK: %[[ALL:.*]] = fagpu.multiprocessors
// CHECK: %[[HALF:.*]] = arith.divui %[[ALL]], %c2
// CHECK: %[[PAIRS:.*]] = arith.maxui %[[HALF]], %c1
// CHECK: %[[MOST:.*]] = arith.muli %[[PAIRS]], %c2
// CHECK: %[[BLOCKS:.*]] = arith.minui %{{.*}}, %[[MOST]]
// CHECK: gpu.launch_func @fa_kernels::@pair_kernel_1_tma clusters in (%c2{{.*}} blocks in (%[[BLOCKS]],

// CHECK: fagpu.kernel @pair_kernel_1_tma
// CHECK: %[[TILES:.*]] = fagpu.ring {arrivals = {{12|13}} : i64, mailbox, {{.*}} : !fagpu.ring<2>
// CHECK-NEXT: %[[INBOX:.*]] = fagpu.ring {arrivals = 1 : i64, mailbox, {{.*}} : !fagpu.ring<2>
// CHECK: %[[KR:.*]] = fagpu.ring {arrivals = 12 : i64, offset
// CHECK-NEXT: %[[QR:.*]] = fagpu.ring {arrivals = 8 : i64
// CHECK-NEXT: %[[DOR:.*]] = fagpu.ring {arrivals = 8 : i64

// The loader gives an empty slot of either ring behind the rows, and goes on with the next.
// CHECK: fagpu.role producer
// CHECK: fagpu.for_each_tile drawn {{.*}} inbox(%[[INBOX]] : !fagpu.ring<2>)
// CHECK: scf.if
// CHECK-NEXT: fagpu.acquire %[[KR]]
// CHECK: fagpu.acquire %[[DOR]][%[[END:.*]]] :
// CHECK-NEXT: fagpu.commit %[[DOR]][%[[END]]] bytes 0
// CHECK-NEXT: fagpu.acquire %[[QR]][%[[END]]]
// CHECK-NEXT: fagpu.commit %[[QR]][%[[END]]] bytes 0
// CHECK-NEXT: %[[AFTER:.*]] = fagpu.advance %[[END]]
// CHECK: fagpu.yield %[[AFTER]],

// The output roles release the keys before they store, and go on behind the empty slot.
// CHECK: fagpu.role consumer
// CHECK: fagpu.role consumer
// CHECK: fagpu.release %[[KR]]
// CHECK-NEXT: fagpu.wait_full %[[QR]][%[[END:.*]]] :
// CHECK: fagpu.tma_store {{.*}} {drain}
// CHECK-NEXT: fagpu.release %[[DOR]][%[[END]]]
// CHECK: %[[AFTER:.*]] = fagpu.advance %[[END]]
// CHECK: fagpu.yield %[[AFTER]],
func.func @pair(%q: memref<?x?x?x?x192xbf16>, %k: memref<?x?x?x192xbf16>, %v: memref<?x?x?x128xbf16>, %o: memref<?x?x?x?x128xbf16>, %l: memref<?x?x?x?xf32>, %do: memref<?x?x?x?x128xbf16>, %dq: memref<?x?x?x?x192xbf16>, %dk: memref<?x?x?x192xbf16>, %dv: memref<?x?x?x128xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<?x?x?x?x192xbf16>, memref<?x?x?x192xbf16>, memref<?x?x?x128xbf16>, memref<?x?x?x?x128xbf16>, memref<?x?x?x?xf32>, memref<?x?x?x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<?x?x?x?x192xbf16>, memref<?x?x?x192xbf16>, memref<?x?x?x128xbf16>)
  return
}
