// RUN: %fa-opt %s --fagpu-choose-gradient-schedule --split-input-file | FileCheck %s

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// A choice at run time.
// CHECK-LABEL: func @causal
// CHECK: arith.andi
// CHECK: scf.if %{{.*}} {
// CHECK: fa.attention_backward {causal, fa.backward_schedule = #fa.backward_schedule<query_tile = 64, key_tile = 64, d_query = atomic>, fa.copy_lse, fagpu.gradients = #fagpu.gradient_schedule<stages = 3, score_stages = 2, producer_registers = 24, query_registers = 72, key_registers = 208, packed_scores = 1, rows_ahead = 2, delta_ahead = 1, score_steps = 2, late_scores = 2, one_launch = 1>
// CHECK: } else {
// CHECK: fa.attention_backward {causal, indexing_maps
func.func @causal(%q: memref<2x4x?x128xbf16>, %k: memref<2x4x?x128xbf16>, %v: memref<2x4x?x128xbf16>, %o: memref<2x4x?x128xbf16>,
                  %l: memref<2x4x?xf32>, %do: memref<2x4x?x128xbf16>, %dq: memref<2x4x?x128xbf16>, %dk: memref<2x4x?x128xbf16>,
                  %dv: memref<2x4x?x128xbf16>) {
  fa.attention_backward {causal, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?xf32>, memref<2x4x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// CHECK-LABEL: func @deterministic
// CHECK: fa.attention_backward {fa.backward_schedule = {{.*}}d_query = atomic>, fa.copy_lse, fa.ordered_sums, fagpu.gradients
// CHECK: } else {
// CHECK: fa.attention_backward {deterministic, indexing_maps
func.func @deterministic(%q: memref<2x4x?x128xbf16>, %k: memref<2x4x?x128xbf16>, %v: memref<2x4x?x128xbf16>, %o: memref<2x4x?x128xbf16>,
                  %l: memref<2x4x?xf32>, %do: memref<2x4x?x128xbf16>, %dq: memref<2x4x?x128xbf16>, %dk: memref<2x4x?x128xbf16>,
                  %dv: memref<2x4x?x128xbf16>) {
  fa.attention_backward {deterministic, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?xf32>, memref<2x4x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// CHECK-LABEL: func @head_dimension_96
// CHECK: fagpu.gradients = #fagpu.gradient_schedule<stages = 3, score_stages = 2, producer_registers = 72, query_registers = 88, key_registers = 176, fold_delta = 1, packed_scores = 1, score_steps = 2, persistent = 1>
func.func @head_dimension_96(%q: memref<2x4x?x96xbf16>, %k: memref<2x4x?x96xbf16>, %v: memref<2x4x?x96xbf16>, %o: memref<2x4x?x96xbf16>,
                  %l: memref<2x4x?xf32>, %do: memref<2x4x?x96xbf16>, %dq: memref<2x4x?x96xbf16>, %dk: memref<2x4x?x96xbf16>,
                  %dv: memref<2x4x?x96xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x96xbf16>, memref<2x4x?x96xbf16>, memref<2x4x?x96xbf16>, memref<2x4x?x96xbf16>, memref<2x4x?xf32>, memref<2x4x?x96xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x96xbf16>, memref<2x4x?x96xbf16>, memref<2x4x?x96xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// CHECK-LABEL: func @head_dimension_80
// CHECK-NOT: fagpu.gradients
func.func @head_dimension_80(%q: memref<2x4x?x80xbf16>, %k: memref<2x4x?x80xbf16>, %v: memref<2x4x?x80xbf16>, %o: memref<2x4x?x80xbf16>,
                  %l: memref<2x4x?xf32>, %do: memref<2x4x?x80xbf16>, %dq: memref<2x4x?x80xbf16>, %dk: memref<2x4x?x80xbf16>,
                  %dv: memref<2x4x?x80xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x80xbf16>, memref<2x4x?x80xbf16>, memref<2x4x?x80xbf16>, memref<2x4x?x80xbf16>, memref<2x4x?xf32>, memref<2x4x?x80xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x80xbf16>, memref<2x4x?x80xbf16>, memref<2x4x?x80xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// CHECK-LABEL: func @head_dimension_64
// CHECK: fagpu.gradients = #fagpu.gradient_schedule<stages = 4, score_stages = 2, producer_registers = 72, query_registers = 72, key_registers = 184, fold_delta = 1, packed_scores = 1, key_steps = 2, score_steps = 2, late_scores = 2, persistent = 1>
func.func @head_dimension_64(%q: memref<2x4x?x64xbf16>, %k: memref<2x4x?x64xbf16>, %v: memref<2x4x?x64xbf16>, %o: memref<2x4x?x64xbf16>,
                  %l: memref<2x4x?xf32>, %do: memref<2x4x?x64xbf16>, %dq: memref<2x4x?x64xbf16>, %dk: memref<2x4x?x64xbf16>,
                  %dv: memref<2x4x?x64xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?xf32>, memref<2x4x?x64xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// dP - delta may overflow in 16 bits where dS does not.
// CHECK-LABEL: func @half_precision
// CHECK: fagpu.gradients = #fagpu.gradient_schedule<stages = 4, score_stages = 2, producer_registers = 72, query_registers = 72, key_registers = 184, fold_delta = 1, key_steps = 2, score_steps = 2, late_scores = 2, persistent = 1>
func.func @half_precision(%q: memref<2x4x?x64xf16>, %k: memref<2x4x?x64xf16>, %v: memref<2x4x?x64xf16>, %o: memref<2x4x?x64xf16>,
                  %l: memref<2x4x?xf32>, %do: memref<2x4x?x64xf16>, %dq: memref<2x4x?x64xf16>, %dk: memref<2x4x?x64xf16>,
                  %dv: memref<2x4x?x64xf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x64xf16>, memref<2x4x?x64xf16>, memref<2x4x?x64xf16>, memref<2x4x?x64xf16>, memref<2x4x?xf32>, memref<2x4x?x64xf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x64xf16>, memref<2x4x?x64xf16>, memref<2x4x?x64xf16>)
  return
}


// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// Arithmetic per score is what it is; it takes the registers that rows ahead would need.
// CHECK-LABEL: func @softcap
// CHECK: fagpu.gradients = #fagpu.gradient_schedule<stages = 3, score_stages = 2, producer_registers = 24, query_registers = 72, key_registers = 208, packed_scores = 1, score_steps = 3, late_scores = 2, one_launch = 1>
func.func @softcap(%q: memref<2x4x?x128xbf16>, %k: memref<2x4x?x128xbf16>, %v: memref<2x4x?x128xbf16>, %o: memref<2x4x?x128xbf16>,
                   %l: memref<2x4x?xf32>, %do: memref<2x4x?x128xbf16>, %dq: memref<2x4x?x128xbf16>, %dk: memref<2x4x?x128xbf16>,
                   %dv: memref<2x4x?x128xbf16>) {
  fa.attention_backward {softcap = 20.0 : f64, indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?xf32>, memref<2x4x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>)
  return
}

// -----


#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// All tiles but the last are full: dP starts from -delta.
// CHECK-LABEL: func @full
// CHECK: fagpu.gradients = #fagpu.gradient_schedule<stages = 3, score_stages = 2, producer_registers = 24, query_registers = 72, key_registers = 208, fold_delta = 1, packed_scores = 1, score_steps = 3, late_scores = 2, one_launch = 1>
func.func @full(%q: memref<2x4x?x128xbf16>, %k: memref<2x4x?x128xbf16>, %v: memref<2x4x?x128xbf16>, %o: memref<2x4x?x128xbf16>,
                   %l: memref<2x4x?xf32>, %do: memref<2x4x?x128xbf16>, %dq: memref<2x4x?x128xbf16>, %dk: memref<2x4x?x128xbf16>,
                   %dv: memref<2x4x?x128xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?xf32>, memref<2x4x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
#m = affine_map<(b, h, g, m, n, d, e) -> (b, n)>
#w = affine_map<(b, h, g, m, n, d, e) -> (m, n)>

// A mask of keys is the same for all query tiles, one of queries is not.
// CHECK-LABEL: func @mask_of_keys
// CHECK: fagpu.gradients
func.func @mask_of_keys(%q: memref<2x4x?x64xbf16>, %k: memref<2x4x?x64xbf16>, %v: memref<2x4x?x64xbf16>, %o: memref<2x4x?x64xbf16>,
                        %l: memref<2x4x?xf32>, %do: memref<2x4x?x64xbf16>, %dq: memref<2x4x?x64xbf16>, %dk: memref<2x4x?x64xbf16>,
                        %dv: memref<2x4x?x64xbf16>, %m: memref<2x?xi1>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #m, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?xf32>, memref<2x4x?x64xbf16>)
    mask(%m : memref<2x?xi1>)
    outs(%dq, %dk, %dv : memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>)
  return
}
// CHECK-LABEL: func @mask_of_pairs
// CHECK-NOT: fagpu.gradients
func.func @mask_of_pairs(%q: memref<2x4x?x64xbf16>, %k: memref<2x4x?x64xbf16>, %v: memref<2x4x?x64xbf16>, %o: memref<2x4x?x64xbf16>,
                         %l: memref<2x4x?xf32>, %do: memref<2x4x?x64xbf16>, %dq: memref<2x4x?x64xbf16>, %dk: memref<2x4x?x64xbf16>,
                         %dv: memref<2x4x?x64xbf16>, %m: memref<?x?xi1>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #w, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?xf32>, memref<2x4x?x64xbf16>)
    mask(%m : memref<?x?xi1>)
    outs(%dq, %dk, %dv : memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>, memref<2x4x?x64xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// Two sums do not fit in a warpgroup's registers.
// CHECK-LABEL: func @head_dimension_256
// CHECK: fagpu.gradients = #fagpu.gradient_schedule<stages = 2, score_stages = 2, producer_registers = 24, query_registers = 72, key_registers = 208, packed_scores = 1, rows_ahead = 1, delta_ahead = 1, score_steps = 2, late_scores = 1, by_output = 1, value_registers = 208, weight_stages = 2>
func.func @head_dimension_256(%q: memref<2x4x?x256xbf16>, %k: memref<2x4x?x256xbf16>, %v: memref<2x4x?x256xbf16>, %o: memref<2x4x?x256xbf16>,
                  %l: memref<2x4x?xf32>, %do: memref<2x4x?x256xbf16>, %dq: memref<2x4x?x256xbf16>, %dk: memref<2x4x?x256xbf16>,
                  %dv: memref<2x4x?x256xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x256xbf16>, memref<2x4x?x256xbf16>, memref<2x4x?x256xbf16>, memref<2x4x?x256xbf16>, memref<2x4x?xf32>, memref<2x4x?x256xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x256xbf16>, memref<2x4x?x256xbf16>, memref<2x4x?x256xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// CHECK-LABEL: func @head_dimensions_192_and_128
// CHECK: fagpu.gradients = #fagpu.gradient_schedule<stages = 3, score_stages = 2, producer_registers = 56, query_registers = 112, key_registers = 192, rows_ahead = 1, delta_ahead = 1, score_steps = 4, late_scores = 1, by_output = 1, value_registers = 152, weight_stages = 2, cluster = 2, persistent = 1>
func.func @head_dimensions_192_and_128(%q: memref<2x4x?x192xf16>, %k: memref<2x4x?x192xf16>, %v: memref<2x4x?x128xf16>, %o: memref<2x4x?x128xf16>,
                  %l: memref<2x4x?xf32>, %do: memref<2x4x?x128xf16>, %dq: memref<2x4x?x192xf16>, %dk: memref<2x4x?x192xf16>,
                  %dv: memref<2x4x?x128xf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x192xf16>, memref<2x4x?x192xf16>, memref<2x4x?x128xf16>, memref<2x4x?x128xf16>, memref<2x4x?xf32>, memref<2x4x?x128xf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x192xf16>, memref<2x4x?x192xf16>, memref<2x4x?x128xf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>

// CHECK-LABEL: func @head_dimensions_256_and_128
// CHECK-NOT: fagpu.gradients
func.func @head_dimensions_256_and_128(%q: memref<2x4x?x256xbf16>, %k: memref<2x4x?x256xbf16>, %v: memref<2x4x?x128xbf16>, %o: memref<2x4x?x128xbf16>,
                  %l: memref<2x4x?xf32>, %do: memref<2x4x?x128xbf16>, %dq: memref<2x4x?x256xbf16>, %dk: memref<2x4x?x256xbf16>,
                  %dv: memref<2x4x?x128xbf16>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : memref<2x4x?x256xbf16>, memref<2x4x?x256xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?x128xbf16>, memref<2x4x?xf32>, memref<2x4x?x128xbf16>)
    outs(%dq, %dk, %dv : memref<2x4x?x256xbf16>, memref<2x4x?x256xbf16>, memref<2x4x?x128xbf16>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
!x = memref<2x4x?x64xbf16>
!l = memref<2x4x?xf32>

// Nothing flows back into products: dS is 0, and there is nothing that roles could share.
// CHECK-LABEL: func @number
// CHECK-NOT: scf.if
func.func @number(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %dq: !x, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !x, !x, !x)
    score {
    ^bb0(%s: f32):
      %r = arith.constant 0.5 : f32
      fa.yield %r : f32
    }
  return
}

// Nor here,
// CHECK-LABEL: func @position
// CHECK-NOT: scf.if
func.func @position(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %dq: !x, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !x, !x, !x)
    score {
    ^bb0(%s: f32):
      %at = fa.index k
      %i = arith.index_cast %at : index to i32
      %r = arith.sitofp %i : i32 to f32
      fa.yield %r : f32
    }
  return
}

// nor through a decision,
// CHECK-LABEL: func @step
// CHECK-NOT: scf.if
func.func @step(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %dq: !x, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !x, !x, !x)
    score {
    ^bb0(%s: f32):
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %c = arith.cmpf ogt, %s, %zero : f32
      %r = arith.select %c, %one, %zero : f32
      fa.yield %r : f32
    }
  return
}

// a sign
// CHECK-LABEL: func @sign
// CHECK-NOT: scf.if
func.func @sign(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %dq: !x, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !x, !x, !x)
    score {
    ^bb0(%s: f32):
      %one = arith.constant 1.0 : f32
      %r = math.copysign %one, %s : f32
      fa.yield %r : f32
    }
  return
}

// or a power that is 1.
// CHECK-LABEL: func @zeroth_power
// CHECK-NOT: scf.if
func.func @zeroth_power(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %dq: !x, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !x, !x, !x)
    score {
    ^bb0(%s: f32):
      %zero = arith.constant 0.0 : f32
      %r = math.powf %s, %zero : f32
      fa.yield %r : f32
    }
  return
}

// All is hidden.
// CHECK-LABEL: func @hidden
// CHECK-NOT: scf.if
func.func @hidden(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %dq: !x, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !x, !x, !x)
    keep {
      %no = arith.constant false
      fa.yield %no : i1
    }
  return
}

// What flows back on one side only has roles.
// CHECK-LABEL: func @half
// CHECK: scf.if
func.func @half(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %dq: !x, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !x, !x, !x)
    score {
    ^bb0(%s: f32):
      %zero = arith.constant 0.0 : f32
      %c = arith.cmpf ogt, %s, %zero : f32
      %r = arith.select %c, %s, %zero : f32
      fa.yield %r : f32
    }
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
#rows_last = affine_map<(b, h, g, m, n, d, e) -> (b, h, d, m)>
#keys_last = affine_map<(b, h, g, m, n, d, e) -> (b, h, e, n)>
!x = memref<2x4x?x64xbf16>
!t = memref<2x4x64x?xbf16>
!l = memref<2x4x?xf32>

// Columns of gradients must be next to each other, as those of operands.
// CHECK-LABEL: func @rows_last
// CHECK-NOT: scf.if
func.func @rows_last(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %dq: !t, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #rows_last, #k, #v]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !t, !x, !x)
  return
}

// CHECK-LABEL: func @keys_last
// CHECK-NOT: scf.if
func.func @keys_last(%q: !x, %k: !x, %v: !x, %o: !x, %l: !l, %do: !x, %dq: !x, %dk: !x, %dv: !t) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #keys_last]}
    ins(%q, %k, %v, %o, %l, %do : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !x, !x, !t)
  return
}

// S and dP are the same product.
// CHECK-LABEL: func @one_product
// CHECK-NOT: scf.if
func.func @one_product(%q: !x, %k: !x, %l: !l, %dq: !x, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %k, %k, %q, %l, %q : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !x, !x, !x)
  return
}

// One matrix for queries, keys and values has roles.
// CHECK-LABEL: func @one_matrix
// CHECK: scf.if
func.func @one_matrix(%q: !x, %l: !l, %do: !x, %dq: !x, %dk: !x, %dv: !x) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %q, %q, %do, %l, %do : !x, !x, !x, !x, !l, !x) outs(%dq, %dk, %dv : !x, !x, !x)
  return
}
