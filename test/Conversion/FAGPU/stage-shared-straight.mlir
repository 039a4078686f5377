// Key loops of one iteration are no loops any more: their tiles still share memory with the others, behind a barrier.
// RUN: sed 's/LENGTH/140/g' %s | %fa-opt --fa-pipeline="target=sm_80 stop-after=machine" | FileCheck %s --check-prefix=LOOP
// RUN: sed 's/LENGTH/100/g' %s | %fa-opt --fa-pipeline="target=sm_80 stop-after=machine" | FileCheck %s --check-prefix=NONE
// RUN: sed 's/LENGTH/140/g' %s | %fa-opt --fa-pipeline="target=sm_80 schedule='key-tile=32 stages=2'" -o /dev/null

// One tile of queries, of keys and of values, and the output's.
// LOOP-LABEL: gpu.func @attention_kernel
// LOOP-COUNT-4: fagpu.alloc
// LOOP-NOT: fagpu.alloc
// LOOP: scf.for
// LOOP: fagpu.copy_async %{{.*}} into %[[VALUE:[0-9]+]]
// LOOP: fagpu.copy_async %{{.*}} if %{{.*}} into %[[KEY:[0-9]+]]
// LOOP: scf.yield
// LOOP: nvvm.cp.async.wait.group 0
// LOOP-NEXT: gpu.barrier
// LOOP-NEXT: fagpu.copy_async %{{.*}} into %[[KEY]]
// LOOP-NEXT: nvvm.cp.async.commit.group
// LOOP-NEXT: nvvm.cp.async.wait.group 0
// LOOP-NEXT: gpu.barrier
// LOOP: fagpu.copy_async %{{.*}} into %[[VALUE]]
// LOOP: fagpu.mma %{{.*}}, %[[KEY]]
// LOOP: fagpu.mma %{{.*}}, %[[VALUE]]

// NONE-LABEL: gpu.func @attention_kernel
// NONE-COUNT-4: fagpu.alloc
// NONE-NOT: fagpu.alloc
// NONE-NOT: scf.for
// NONE: fagpu.store_through
#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @attention(%query: memref<64x256xbf16>, %key: memref<LENGTHx256xbf16>, %value: memref<LENGTHx256xbf16>,
                     %out: memref<64x256xbf16>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : memref<64x256xbf16>, memref<LENGTHx256xbf16>, memref<LENGTHx256xbf16>)
    outs(%out : memref<64x256xbf16>)
  return
}
