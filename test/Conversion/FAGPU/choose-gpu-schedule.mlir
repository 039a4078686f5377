// What head dimensions choose, what options override, and that a loop of one iteration stays a kernel.
// RUN: sed 's/DIM/64/g' %s | %fa-opt --fa-pipeline="target=sm_80 stop-after=tile" | FileCheck %s --check-prefix=D64
// RUN: sed 's/DIM/128/g' %s | %fa-opt --fa-pipeline="target=sm_80 stop-after=tile" | FileCheck %s --check-prefix=D128
// RUN: sed 's/DIM/256/g' %s | %fa-opt --fa-pipeline="target=sm_80 stop-after=tile" | FileCheck %s --check-prefix=D256
// RUN: sed 's/DIM/64/g' %s | %fa-opt --fa-pipeline="target=sm_80 stop-after=tile schedule='stages=1 early-keys=true key-tile=32'" | FileCheck %s --check-prefix=GIVEN
// RUN: sed 's/DIM/64/g' %s | not %fa-opt --fa-pipeline="target=sm_80 schedule='stages=3'" 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: sed 's/DIM/257/g' %s | not %fa-opt --fa-pipeline="target=sm_80" 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: sed 's/DIM/64/g' %s | not %fa-opt --fa-pipeline="target=sm_80 schedule='key-tile=0'" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: sed 's/DIM/64/g' %s | not %fa-opt --fa-pipeline="target=sm_80 schedule=fa1" 2>&1 | FileCheck %s --check-prefix=FA1
// RUN: sed 's/DIM/64/g' %s | not %fa-opt --fa-pipeline="target=sm_75" 2>&1 | FileCheck %s --check-prefix=OLD

// D64: scf.forall ({{.*}}, {{.*}}, {{.*}}, {{.*}}) in (1, 1, 1, 1)
// D64: {fa.schedule = #fa.schedule<order = q_outer, query_tile = 128, key_tile = 64, partial_sums = 4>, fagpu.stages = 2 : i64, mapping = [#gpu.block<linear_dim_3>, #gpu.block<linear_dim_2>, #gpu.block<linear_dim_1>, #gpu.block<linear_dim_0>]}
// D128: query_tile = 128, key_tile = 64, {{.*}} fagpu.early_keys, fagpu.stages = 1
// D256: query_tile = 64, key_tile = 64, {{.*}} fagpu.early_keys, fagpu.stages = 1
// GIVEN: query_tile = 128, key_tile = 32, {{.*}} fagpu.early_keys, fagpu.stages = 1
// STAGES: error: fa-choose-gpu-schedule: stages must be 1 or 2, or 0 to choose, got 3
// LARGE: error: GPU kernels take head dimensions up to 256
// ZERO: schedule: 'key-tile=0' has no such value; key-tile= takes a number from 1 to 1048576
// FA1: schedule: 'fa1' is not for GPUs
// OLD: target: processor 'sm_75' is too old: sm_80 or newer is needed
#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @attention(%query: memref<64xDIMxbf16>, %key: memref<?xDIMxbf16>, %value: memref<?xDIMxbf16>,
                     %out: memref<64xDIMxbf16>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : memref<64xDIMxbf16>, memref<?xDIMxbf16>, memref<?xDIMxbf16>)
    outs(%out : memref<64xDIMxbf16>)
  return
}
