// RUN: %fa-opt %s --fa-pipeline="target=cpu stop-after=online" | FileCheck %s --check-prefix=ONLINE
// RUN: %fa-opt %s --fa-pipeline="target=cpu stop-after=tile schedule='query-tile=32 key-tile=16'" | FileCheck %s --check-prefix=TILE
// RUN: %fa-opt %s --fa-pipeline="target=cpu schedule=fa1 vector-bits=256" | FileCheck %s --check-prefix=LLVM
// RUN: %fa-opt %s --pass-pipeline="builtin.module(fa-pipeline{target=reference})" | FileCheck %s --check-prefix=NAIVE
// RUN: not %fa-opt %s --fa-pipeline="target=tpu" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not %fa-opt %s --fa-pipeline="stop-after=end" 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not %fa-opt %s --fa-pipeline="schedule='query-tile=many'" 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not %fa-opt %s --fa-pipeline="schedule=fa3" 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not %fa-opt %s --fa-pipeline="target=sm_90a schedule='fa3 ahead=maybe'" 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not %fa-opt %s --fa-pipeline="target=sm_90a schedule='key-tile=0'" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not %fa-opt %s --fa-pipeline="target=sm_90a schedule='gradients=fast'" 2>&1 | FileCheck %s --check-prefix=GRADIENTS
// RUN: not %fa-opt %s --fa-pipeline="target=sm_90a schedule=fa9" 2>&1 | FileCheck %s --check-prefix=HOPPER
// RUN: not %fa-opt %s --fa-pipeline="target=sm_80 schedule='early-keys=1'" 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not %fa-opt %s --fa-pipeline="target=sm_80 schedule=standard stop-after=tile" 2>&1 | FileCheck %s --check-prefix=STANDARD
// RUN: not %fa-opt %s --fa-pipeline="schedule='key-tile=16" 2>&1 | FileCheck %s --check-prefix=QUOTE
// RUN: not %fa-opt %s --fa-pipeline="speed=high" 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: echo "func.func @f() { return }" | %fa-opt --fa-pipeline="target=cpu" | FileCheck %s --check-prefix=EMPTY

// ONLINE: fa.online_attention
// TILE: query_tile = 32, key_tile = 16
// Tiles are functions of their own, before the one that calls them.
// LLVM: llvm.intr.fma{{.*}}vector<8xf32>
// LLVM: llvm.func @fa.attention
// LLVM-NOT: unrealized_conversion_cast
// NAIVE: llvm.func @fa.attention
// NAIVE-NOT: vector<
// TARGET: fa-pipeline: target=tpu is not known; there are cpu,
// STAGE: fa-pipeline: stop-after=end is not known; there are raise, online, tile
// SCHEDULE: fa-pipeline: schedule: 'query-tile=many' has no such value; query-tile= takes a number from 1 to 1048576
// CPU: fa-pipeline: schedule: 'fa3' is not for cpu; there are fa1, fa2, query-tile=,
// FLAG: fa-pipeline: schedule: 'ahead=maybe' has no such value; ahead= takes true or false
// NUMBER: 'key-tile=0' has no such value; key-tile= takes a number from 1 to 256
// GRADIENTS: 'gradients=fast' has no such value; gradients= takes roles or blocks
// HOPPER: 'fa9' is not for sm_90a; there are fa3, nc2, nc3, ca3, sm6, sm6c, standard
// EARLY: 'early-keys=1' has no such value; early-keys= takes true or false
// STANDARD: schedule=standard has no stages to stop after
// QUOTE: fa-pipeline: the quote in schedule= is not closed
// OPTION: fa-pipeline: 'speed' is no option
// EMPTY: llvm.func @fa.f

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @attention(%q: tensor<?x40xf16>, %k: tensor<?x40xf16>, %v: tensor<?x32xf16>, %o: tensor<?x32xf16>)
    -> tensor<?x32xf16> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : tensor<?x40xf16>, tensor<?x40xf16>, tensor<?x32xf16>)
    outs(%o : tensor<?x32xf16>) -> tensor<?x32xf16>
  return %r : tensor<?x32xf16>
}
