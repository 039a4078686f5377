// RUN: %fa-opt %s --fa-fuse-softmax --fagpu-choose-warp-schedule | FileCheck %s
// RUN: %fa-opt %s --fa-fuse-softmax --fagpu-choose-warp-schedule="key-tile=64 consumers=1 stages=2 blocks=3" | FileCheck %s --check-prefix=BLOCKS
// RUN: %fa-opt %s --fa-fuse-softmax --fagpu-choose-warp-schedule="key-tile=96 consumers=2 stages=2 dynamic=0 lazy=0 overlap=false" | FileCheck %s --check-prefix=OPTIONS

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>

// CHECK-LABEL: @head_dim_128
// CHECK: fa.online_attention {
// CHECK-SAME: fa.schedule = #fa.schedule<order = q_outer, query_tile = 64, key_tile = 80, partial_sums = 4>
// CHECK-SAME: fagpu.warps = #fagpu.warp_schedule<consumers = 3, stages = 2, producer_registers = 32, consumer_registers = 160, dynamic = false, lazy = 8, overlap = true, ahead = true, query_slots = 2>
// OPTIONS-LABEL: @head_dim_128
// OPTIONS: key_tile = 96
// OPTIONS-SAME: fagpu.warps = #fagpu.warp_schedule<consumers = 2, stages = 2, producer_registers = 40, consumer_registers = 232, dynamic = false, lazy = 0, overlap = false>
func.func @head_dim_128(%query: tensor<?x?x?x128xbf16>, %key: tensor<?x?x?x128xbf16>, %value: tensor<?x?x?x128xbf16>,
                        %out: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
    outs(%out : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
  return %r : tensor<?x?x?x128xbf16>
}

// Key and value of different width: the larger one decides.
// CHECK-LABEL: @head_dim_192
// CHECK: key_tile = 96
// CHECK-SAME: consumers = 2, stages = 2
func.func @head_dim_192(%query: tensor<?x?x?x192xf16>, %key: tensor<?x?x?x192xf16>, %value: tensor<?x?x?x128xf16>,
                        %out: tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : tensor<?x?x?x192xf16>, tensor<?x?x?x192xf16>, tensor<?x?x?x128xf16>)
    outs(%out : tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16>
  return %r : tensor<?x?x?x128xf16>
}

// There is no room for outputs of another shape than the queries' beside 80 keys.
// CHECK-LABEL: @head_dims_192_256
// CHECK: key_tile = 64
// CHECK-SAME: consumers = 2, stages = 2
func.func @head_dims_192_256(%query: tensor<?x?x?x192xf16>, %key: tensor<?x?x?x192xf16>, %value: tensor<?x?x?x256xf16>,
                             %out: tensor<?x?x?x256xf16>) -> tensor<?x?x?x256xf16> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : tensor<?x?x?x192xf16>, tensor<?x?x?x192xf16>, tensor<?x?x?x256xf16>)
    outs(%out : tensor<?x?x?x256xf16>) -> tensor<?x?x?x256xf16>
  return %r : tensor<?x?x?x256xf16>
}

// A bias tile needs registers.
// CHECK-LABEL: @bias
// CHECK: key_tile = 80
// CHECK-SAME: consumers = 2, stages = 3
func.func @bias(%query: tensor<?x?x?x128xbf16>, %key: tensor<?x?x?x128xbf16>, %value: tensor<?x?x?x128xbf16>,
                %bias: tensor<?x?xbf16>, %out: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, affine_map<(b, h, g, m, n, d, e) -> (m, n)>, #o]}
    ins(%query, %key, %value : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
    bias(%bias : tensor<?x?xbf16>) outs(%out : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
  return %r : tensor<?x?x?x128xbf16>
}

// Short sequences.
// CHECK-LABEL: @short
// CHECK: key_tile = 128
// CHECK-SAME: consumers = 2, stages = 2, {{.*}}dynamic = false, {{.*}}ahead = true, query_slots = 2, turns = true>
func.func @short(%query: tensor<?x?x?x128xbf16>, %key: tensor<?x?x?x128xbf16>, %value: tensor<?x?x?x128xbf16>,
                 %out: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %r = fa.attention {fagpu.short, indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
    outs(%out : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
  return %r : tensor<?x?x?x128xbf16>
}

// CHECK-LABEL: @short_causal
// CHECK: key_tile = 64
// CHECK-SAME: consumers = 3, stages = 4, {{.*}}dynamic = true, {{.*}}query_slots = 2>
func.func @short_causal(%query: tensor<?x?x?x128xbf16>, %key: tensor<?x?x?x128xbf16>, %value: tensor<?x?x?x128xbf16>,
                        %out: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> {
  %r = fa.attention {causal, fagpu.short, indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
    outs(%out : tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
  return %r : tensor<?x?x?x128xbf16>
}

// CHECK-LABEL: @short_narrow
// CHECK: key_tile = 64
// CHECK-SAME: consumers = 3, stages = 3, producer_registers = 32, consumer_registers = 160, {{.*}}query_slots = 2>
// Blocks that share a multiprocessor share its registers.
// BLOCKS-LABEL: @short_narrow
// BLOCKS: consumers = 1, stages = 2, producer_registers = 32, consumer_registers = 128, {{.*}}blocks = 3>
func.func @short_narrow(%query: tensor<?x?x?x64xbf16>, %key: tensor<?x?x?x64xbf16>, %value: tensor<?x?x?x64xbf16>,
                        %out: tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16> {
  %r = fa.attention {causal, fagpu.short, indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>)
    outs(%out : tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16>
  return %r : tensor<?x?x?x64xbf16>
}

// Tensor cores do not multiply f32.
// CHECK-LABEL: @single
// CHECK-NOT: fagpu.warps
func.func @single(%query: tensor<?x?x?x128xf32>, %key: tensor<?x?x?x128xf32>, %value: tensor<?x?x?x128xf32>,
                  %out: tensor<?x?x?x128xf32>) -> tensor<?x?x?x128xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : tensor<?x?x?x128xf32>, tensor<?x?x?x128xf32>, tensor<?x?x?x128xf32>)
    outs(%out : tensor<?x?x?x128xf32>) -> tensor<?x?x?x128xf32>
  return %r : tensor<?x?x?x128xf32>
}
