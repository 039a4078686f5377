// RUN: %fa-opt %s -split-input-file -verify-diagnostics

// One case for every rule that an op's description lists, in the order of the rules. Query (b, h, m, d), key and value
// alike unless the case is about something else.

// Rule 1: one map per mapped operand.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 1: expected 4 indexing maps, got 3}}
  %r = fa.attention {indexing_maps = [#q, #k, #v]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 1: also none at all.
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 1: expected 4 indexing maps, got 0}}
  %r = fa.attention {indexing_maps = []} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 1: seven dimensions.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, m, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 1: indexing map 3 must be a projected permutation of the 7 dimensions (b, h, g, m, n, d, e)}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 1: a floordiv for grouped heads is no projected permutation.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h floordiv 2, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 1: indexing map 1 must be a projected permutation}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 1: no dimension twice.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, m)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 1: indexing map 0 must be a projected permutation}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 1: no symbols.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e)[s0] -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 1: indexing map 2 must be a projected permutation}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 1: as many results as dimensions.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#n = affine_map<(b, h, g, m, n, d, e) -> (n)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %bias: tensor<4x8xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 1: the map of bias has 1 results, the operand has rank 2}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #n, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    bias(%bias : tensor<4x8xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 2: query has no n.
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 2: query may use dimensions {b, h, g, m, d} and must use {m, d}}}
  %r = fa.attention {indexing_maps = [#k, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 2: value has e.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 2: value may use dimensions {b, h, n, e} and must use {n, e}}}
  %r = fa.attention {indexing_maps = [#q, #k, #k, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 2: out has every dimension of the rows.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x8x16xf32>) {
  // expected-error @+1 {{rule 2: out may use dimensions {b, h, m, e} and must use {b, h, m, e}}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x8x16xf32>)
    -> tensor<2x8x16xf32>
  return
}

// -----

// Rule 2: sinks have no m.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %s: tensor<2x4x8xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 2: sinks may use dimensions {b, h}}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #l, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    sinks(%s : tensor<2x4x8xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 2: bias has no dimension that the rows lack.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#b = affine_map<(b, h, g, m, n, d, e) -> (b, g, m, n)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %s: tensor<2x2x8x8xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 2: bias may use dimensions {b, h, m, n}}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #b, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    bias(%s : tensor<2x2x8x8xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 3: extents agree.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 3: dimension n has extent 8 in value but 9 elsewhere}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 3: a head dimension is not 0.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x0xf32>, %k: tensor<2x4x8x0xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 3: head dimension d of query is 0}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x0xf32>, tensor<2x4x8x0xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 4: query and key alike.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 4: element types of query and key differ}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 4: softmax_type.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 4: softmax_type must be f32 or f64}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o], softmax_type = f16} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 4: lse.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf64>) {
  // expected-error @+1 {{rule 4: lse must be 'f32'}}
  %r:2 = fa.attention {indexing_maps = [#q, #k, #v, #o, #l]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o, %l : tensor<2x4x8x16xf32>, tensor<2x4x8xf64>)
    -> tensor<2x4x8x16xf32>, tensor<2x4x8xf64>
  return
}

// -----

// Rule 5: one length per batch.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %len: tensor<3xi32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 5: lengths have 3 elements, the batch has 2}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    key_lengths(%len : tensor<3xi32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 5: without b the batch is one.
#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
func.func @f(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %len: tensor<2xi32>, %o: tensor<4x8x16xf32>) {
  // expected-error @+1 {{rule 5: lengths have 2 elements, the batch has 1}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>)
    query_lengths(%len : tensor<2xi32>)
    outs(%o : tensor<4x8x16xf32>)
    -> tensor<4x8x16xf32>
  return
}

// -----

// Rule 5: offsets come together.
#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
func.func @f(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %off: tensor<3xi32>, %o: tensor<4x8x16xf32>) {
  // expected-error @+1 {{rule 5: query_offsets and key_offsets must come together}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>)
    query_offsets(%off : tensor<3xi32>)
    outs(%o : tensor<4x8x16xf32>)
    -> tensor<4x8x16xf32>
  return
}

// -----

// Rule 5: packed query, key and value have no b.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %off: tensor<3xi32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 2: query may use dimensions {h, g, m, d}}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    query_offsets(%off : tensor<3xi32>) key_offsets(%off : tensor<3xi32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 5: lengths and offsets.
#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
func.func @f(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %off: tensor<3xi32>, %len: tensor<2xi32>, %o: tensor<4x8x16xf32>) {
  // expected-error @+1 {{rule 5: lengths and offsets exclude each other}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>)
    query_lengths(%len : tensor<2xi32>) query_offsets(%off : tensor<3xi32>) key_offsets(%off : tensor<3xi32>)
    outs(%o : tensor<4x8x16xf32>)
    -> tensor<4x8x16xf32>
  return
}

// -----

// Rule 5: limits and offsets.
#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
func.func @f(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %off: tensor<3xi32>, %i: index, %o: tensor<4x8x16xf32>) {
  // expected-error @+1 {{rule 5: limits and offsets exclude each other}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>)
    query_offsets(%off : tensor<3xi32>) key_offsets(%off : tensor<3xi32>) key_limit(%i)
    outs(%o : tensor<4x8x16xf32>)
    -> tensor<4x8x16xf32>
  return
}

// -----

// Rule 5: as many query offsets as key offsets.
#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
func.func @f(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %off: tensor<3xi32>, %off2: tensor<4xi32>, %o: tensor<4x8x16xf32>) {
  // expected-error @+1 {{rule 5: offsets have 4 elements, expected one more than the 2 sequences}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>)
    query_offsets(%off : tensor<3xi32>) key_offsets(%off2 : tensor<4xi32>)
    outs(%o : tensor<4x8x16xf32>)
    -> tensor<4x8x16xf32>
  return
}

// -----

// Rule 5: offsets are never empty.
#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
func.func @f(%q: tensor<4x8x16xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x8x16xf32>, %off: tensor<0xi32>, %o: tensor<4x8x16xf32>) {
  // expected-error @+1 {{rule 5: offsets need at least one element}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>)
    query_offsets(%off : tensor<0xi32>) key_offsets(%off : tensor<0xi32>)
    outs(%o : tensor<4x8x16xf32>)
    -> tensor<4x8x16xf32>
  return
}

// -----

// Rule 6: no third output.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>, %l: tensor<2x4x8xf32>) {
  // expected-error @+1 {{rule 6: wrong number of outputs: 3}}
  %r:3 = fa.attention {indexing_maps = [#q, #k, #v, #o, #l, #l]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o, %l, %l : tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>)
    -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
  return
}

// -----

// Rule 6: tensors or memrefs.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: memref<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 6: tensors and memrefs are mixed}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : memref<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 6: one result per output.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 6: expected 1 results, got 0}}
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
  return
}

// -----

// Rule 6: of the same type.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 6: result type 'tensor<2x4x8x?xf32>' is not its output}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x?xf32>
  return
}

// -----

// Rule 6: memrefs give no results.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: memref<2x4x8x16xf32>, %k: memref<2x4x8x16xf32>, %v: memref<2x4x8x16xf32>, %o: memref<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 6: expected 0 results, got 1}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : memref<2x4x8x16xf32>, memref<2x4x8x16xf32>, memref<2x4x8x16xf32>)
    outs(%o : memref<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 7: no output is an input.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: memref<2x4x8x16xf32>, %k: memref<2x4x8x16xf32>, %v: memref<2x4x8x16xf32>, %o: memref<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 7: an output is also an input}}
  fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : memref<2x4x8x16xf32>, memref<2x4x8x16xf32>, memref<2x4x8x16xf32>)
    outs(%q : memref<2x4x8x16xf32>)
  return
}

// -----

// Rule 8: softcap is positive.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 8: softcap must be finite, normal and > 0 in softmax_type}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o], softcap = 0.0 : f64} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 8: and finite.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 8: softcap must be finite, normal and > 0 in softmax_type}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o], softcap = 0x7FF0000000000000 : f64} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 8: in f32, too.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 8: softcap must be finite, normal and > 0 in softmax_type}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o], softcap = 1.0e-300 : f64} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 8: offset or alignment.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %i: index, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 8: offset replaces alignment; drop one}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o], causal, alignment = #fa.alignment<bottom_right>} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    offset(%i)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 9: captures need a region.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#n = affine_map<(b, h, g, m, n, d, e) -> (n)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %c: tensor<8xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 9: captures without a region that reads them}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #n, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    captures(%c : tensor<8xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 9: argument types of score.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 9: region score takes ('f64'), expected ('f32')}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    score {
    ^bb0(%s: f64):
      fa.yield %s : f64
    }
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 9: keep takes no score.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 9: region keep takes ('f32'), expected ()}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    keep {
    ^bb0(%s: f32):
      %t = arith.constant true
      fa.yield %t : i1
    }
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 9: a capture taken whole keeps its type.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#w = affine_map<(b, h, g, m, n, d, e) -> ()>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %c: tensor<8xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 9: region score takes ('f32', 'f32'), expected ('f32', 'tensor<8xf32>')}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #w, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    captures(%c : tensor<8xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    score {
    ^bb0(%s: f32, %x: f32):
      fa.yield %s : f32
    }
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 9: what is yielded.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    keep {
      %c = arith.constant 1.0 : f32
      // expected-error @+1 {{rule 9: yields 'f32', expected 'i1'}}
      fa.yield %c : f32
    }
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 9: one block.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 9: region score needs one block}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    score {
    ^bb0(%s: f32):
      cf.br ^bb1
    ^bb1:
      fa.yield %s : f32
    }
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 9: the terminator.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{rule 9: region score must end with fa.yield}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    score {
    ^bb0(%s: f32):
      llvm.unreachable
    }
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 9: no side effects.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    score {
    ^bb0(%s: f32):
      // expected-error @+1 {{rule 9: has side effects}}
      vector.print %s : f32
      fa.yield %s : f32
    }
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 9: not in a branch either.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>) {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    score {
    ^bb0(%s: f32):
      %t = arith.constant true
      scf.if %t {
        // expected-error @+1 {{rule 9: has side effects}}
        vector.print %s : f32
      }
      fa.yield %s : f32
    }
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 9: scalars only.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#w = affine_map<(b, h, g, m, n, d, e) -> ()>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %c: tensor<8xf32>, %o: tensor<2x4x8x16xf32>) {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #w, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    captures(%c : tensor<8xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    score {
    ^bb0(%s: f32, %x: tensor<8xf32>):
      // expected-error @+1 {{rule 9: works on more than scalars}}
      %y = arith.negf %x : tensor<8xf32>
      fa.yield %s : f32
    }
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// Rule 9: regions are isolated.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %x: f32, %o: tensor<2x4x8x16xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o : tensor<2x4x8x16xf32>)
    score {
    ^bb0(%s: f32):
      // expected-error @+1 {{using value defined outside the region}}
      %y = arith.addf %s, %x : f32
      fa.yield %y : f32
    }
    -> tensor<2x4x8x16xf32>
  return
}

// -----

// fa.online_attention, rule 1.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>, %m: tensor<2x4x8xf32>, %l: tensor<2x4x8xf32>) {
  // expected-error @+1 {{rule 1: expected 6 indexing maps, got 5}}
  %r:3 = fa.online_attention {indexing_maps = [#q, #k, #v, #o, #l]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o, %m, %l : tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>)
    -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
  return
}

// -----

// fa.online_attention, rule 6: three outputs.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>, %m: tensor<2x4x8xf32>, %l: tensor<2x4x8xf32>) {
  // expected-error @+1 {{rule 6: wrong number of outputs: 2}}
  %r:2 = fa.online_attention {indexing_maps = [#q, #k, #v, #o, #l]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o, %m : tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
    -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>
  return
}

// -----

// Rule 7: every output has memory of its own.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @f(%q: memref<2x4x8x16xf32>, %k: memref<2x4x8x16xf32>, %v: memref<2x4x8x16xf32>, %o: memref<2x4x8x16xf32>, %m: memref<2x4x8xf32>) {
  // expected-error @+1 {{rule 7: an output is also another output}}
  fa.online_attention {indexing_maps = [#q, #k, #v, #o, #l, #l]} ins(%q, %k, %v : memref<2x4x8x16xf32>, memref<2x4x8x16xf32>, memref<2x4x8x16xf32>)
    outs(%o, %m, %m : memref<2x4x8x16xf32>, memref<2x4x8xf32>, memref<2x4x8xf32>)
  return
}

// -----

// Rule 10: the type of the state.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>, %m: tensor<2x4x8xf32>, %l: tensor<2x4x8xf16>) {
  // expected-error @+1 {{rule 10: the state's element type must be 'f32'}}
  %r:3 = fa.online_attention {indexing_maps = [#q, #k, #v, #o, #l, #l]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o, %m, %l : tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf16>)
    -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf16>
  return
}

// -----

// Rule 10: partial sums divide the keys.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>, %m: tensor<2x4x8xf32>, %l: tensor<2x4x8x3xf32>) {
  // expected-error @+1 {{rule 10: partial sums need static extents of P}}
  %r:3 = fa.online_attention {indexing_maps = [#q, #k, #v, #o, #l, #l]} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o, %m, %l : tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8x3xf32>)
    -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8x3xf32>
  return
}

// -----

// Rule 11: raw_max only of plain scores.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (b, h, m)>
func.func @f(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %o: tensor<2x4x8x16xf32>, %m: tensor<2x4x8xf32>, %l: tensor<2x4x8xf32>) {
  // expected-error @+1 {{rule 11: raw_max excludes bias, alibi_slopes, softcap and a score region}}
  %r:3 = fa.online_attention {indexing_maps = [#q, #k, #v, #o, #l, #l], raw_max, softcap = 2.0 : f64} ins(%q, %k, %v : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>)
    outs(%o, %m, %l : tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>)
    -> tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
  return
}

// -----

// fa.merge, rule 1: three maps.
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f(%a0: tensor<8x16xf32>, %m0: tensor<8xf32>, %l0: tensor<8xf32>, %a1: tensor<8x16xf32>, %m1: tensor<8xf32>, %l1: tensor<8xf32>) {
  // expected-error @+1 {{rule 1: expected 3 indexing maps, got 2}}
  %r:3 = fa.merge {indexing_maps = [#acc, #row]}
    ins(%a0, %m0, %l0 : tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>)
    outs(%a1, %m1, %l1 : tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>)
    -> tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// fa.merge, rule 1: three inputs and outputs.
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f(%a0: tensor<8x16xf32>, %m0: tensor<8xf32>, %a1: tensor<8x16xf32>, %m1: tensor<8xf32>) {
  // expected-error @+1 {{rule 1: three inputs and three outputs expected}}
  %r:2 = fa.merge {indexing_maps = [#acc, #row, #row]}
    ins(%a0, %m0 : tensor<8x16xf32>, tensor<8xf32>)
    outs(%a1, %m1 : tensor<8x16xf32>, tensor<8xf32>)
    -> tensor<8x16xf32>, tensor<8xf32>
  return
}

// -----

// fa.merge, rule 1: row_max has the dimensions of acc without e.
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f(%a0: tensor<8x16xf32>, %m0: tensor<8x16xf32>, %l0: tensor<8xf32>, %a1: tensor<8x16xf32>, %m1: tensor<8x16xf32>, %l1: tensor<8xf32>) {
  // expected-error @+1 {{rule 2: row_max may use dimensions {m} and must use {m}}}
  %r:3 = fa.merge {indexing_maps = [#acc, #acc, #row]}
    ins(%a0, %m0, %l0 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8xf32>)
    outs(%a1, %m1, %l1 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8xf32>)
    -> tensor<8x16xf32>, tensor<8x16xf32>, tensor<8xf32>
  return
}

// -----

// fa.merge, rule 2: equal types.
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f(%a0: tensor<8x16xf32>, %m0: tensor<?xf32>, %l0: tensor<8xf32>, %a1: tensor<8x16xf32>, %m1: tensor<8xf32>, %l1: tensor<8xf32>) {
  // expected-error @+1 {{rule 2: ins and outs must have the same types}}
  %r:3 = fa.merge {indexing_maps = [#acc, #row, #row]}
    ins(%a0, %m0, %l0 : tensor<8x16xf32>, tensor<?xf32>, tensor<8xf32>)
    outs(%a1, %m1, %l1 : tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>)
    -> tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// fa.merge, rule 2: f32 or f64.
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f(%a0: tensor<8x16xf32>, %m0: tensor<8xf32>, %l0: tensor<8xf64>, %a1: tensor<8x16xf32>, %m1: tensor<8xf32>, %l1: tensor<8xf64>) {
  // expected-error @+1 {{rule 2: a state's element types must be equal, f32 or f64}}
  %r:3 = fa.merge {indexing_maps = [#acc, #row, #row]}
    ins(%a0, %m0, %l0 : tensor<8x16xf32>, tensor<8xf32>, tensor<8xf64>)
    outs(%a1, %m1, %l1 : tensor<8x16xf32>, tensor<8xf32>, tensor<8xf64>)
    -> tensor<8x16xf32>, tensor<8xf32>, tensor<8xf64>
  return
}

// -----

// fa.merge, rule 3: memory.
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f(%a0: memref<8x16xf32>, %m0: memref<8xf32>, %l0: memref<8xf32>, %a1: memref<8x16xf32>, %m1: memref<8xf32>, %l1: memref<8xf32>) {
  // expected-error @+1 {{rule 3: an output is also an input}}
  fa.merge {indexing_maps = [#acc, #row, #row]}
    ins(%a0, %m0, %l0 : memref<8x16xf32>, memref<8xf32>, memref<8xf32>)
    outs(%a1, %m1, %l0 : memref<8x16xf32>, memref<8xf32>, memref<8xf32>)
  return
}

// -----

// fa.finalize, rule 1: a map for each.
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f(%a: tensor<8x16xf32>, %m: tensor<8xf32>, %l: tensor<8xf32>, %o0: tensor<8x16xf32>) {
  // expected-error @+1 {{rule 1: expected 4 indexing maps, got 3}}
  %r = fa.finalize {indexing_maps = [#acc, #row, #row]} ins(%a, %m, %l : tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>)
    outs(%o0 : tensor<8x16xf32>)
    -> tensor<8x16xf32>
  return
}

// -----

// fa.finalize, rule 1: dimensions.
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f(%a: tensor<8x16xf32>, %m: tensor<8xf32>, %l: tensor<8xf32>, %o0: tensor<8xf32>) {
  // expected-error @+1 {{rule 2: out may use dimensions {m, e} and must use {m, e}}}
  %r = fa.finalize {indexing_maps = [#acc, #row, #row, #row]} ins(%a, %m, %l : tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>)
    outs(%o0 : tensor<8xf32>)
    -> tensor<8xf32>
  return
}

// -----

// fa.finalize, rule 2.
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f(%a: tensor<8x16xf32>, %m: tensor<8xf64>, %l: tensor<8xf32>, %o0: tensor<8x16xf32>) {
  // expected-error @+1 {{rule 2: element types of the state and lse must be equal, f32 or f64}}
  %r = fa.finalize {indexing_maps = [#acc, #row, #row, #acc]} ins(%a, %m, %l : tensor<8x16xf32>, tensor<8xf64>, tensor<8xf32>)
    outs(%o0 : tensor<8x16xf32>)
    -> tensor<8x16xf32>
  return
}

// -----

// fa.finalize, rule 3.
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f(%a: tensor<8x16xf32>, %m: tensor<8xf32>, %l: tensor<8xf32>, %o0: tensor<8x16xf32>) {
  // expected-error @+1 {{rule 3: raw_max needs scale}}
  %r = fa.finalize {indexing_maps = [#acc, #row, #row, #acc], raw_max} ins(%a, %m, %l : tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>)
    outs(%o0 : tensor<8x16xf32>)
    -> tensor<8x16xf32>
  return
}

// -----

// fa.finalize, rule 4.
#acc = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#row = affine_map<(b, h, g, m, n, d, e) -> (m)>
func.func @f(%a: memref<8x16xf32>, %m: memref<8xf32>, %l: memref<8xf32>, %o0: memref<8x16xf32>) {
  // expected-error @+1 {{rule 4: an output is also an input}}
  fa.finalize {indexing_maps = [#acc, #row, #row, #acc]} ins(%a, %m, %l : memref<8x16xf32>, memref<8xf32>, memref<8xf32>)
    outs(%a : memref<8x16xf32>)
  return
}

// -----

// fa.index, rule 1.
func.func @f() -> index {
  // expected-error @+1 {{rule 1: must be inside a region of fa.attention, fa.online_attention or their backward ops}}
  %i = fa.index q
  return %i : index
}

// -----

// fa.load_tile, rule 1.
func.func @f(%m: memref<?x?xf32>, %i: index) {
  // expected-error @+1 {{rule 1: expected 2 offsets, got 1}}
  %t = fa.load_tile %m[%i] {tile_dims = array<i64: 0, 1>} : memref<?x?xf32> -> tensor<4x4xf32>
  return
}

// -----

// fa.load_tile, rule 2: one tile_dim per dimension.
func.func @f(%m: memref<?x?xf32>, %i: index) {
  // expected-error @+1 {{rule 2: expected 2 tile_dims, got 1}}
  %t = fa.load_tile %m[%i, %i] {tile_dims = array<i64: 0>} : memref<?x?xf32> -> tensor<4x4xf32>
  return
}

// -----

// fa.load_tile, rule 2: distinct.
func.func @f(%m: memref<?x?xf32>, %i: index) {
  // expected-error @+1 {{rule 2: tile_dims must be distinct dimensions of the memref, got 1}}
  %t = fa.load_tile %m[%i, %i] {tile_dims = array<i64: 1, 1>} : memref<?x?xf32> -> tensor<4x4xf32>
  return
}

// -----

// fa.load_tile, rule 2: in range.
func.func @f(%m: memref<?x?xf32>, %i: index) {
  // expected-error @+1 {{rule 2: tile_dims must be distinct dimensions of the memref, got 2}}
  %t = fa.load_tile %m[%i, %i] {tile_dims = array<i64: 1, 2>} : memref<?x?xf32> -> tensor<4x4xf32>
  return
}

// -----

// fa.load_tile, rule 2: element types.
func.func @f(%m: memref<?x?xf32>, %i: index) {
  // expected-error @+1 {{rule 2: element types differ: 'f16' and 'f32'}}
  %t = fa.load_tile %m[%i, %i] {tile_dims = array<i64: 0, 1>} : memref<?x?xf32> -> tensor<4x4xf16>
  return
}

// -----

// fa.load_tile, rule 2: a static shape.
func.func @f(%m: memref<?x?xf32>, %i: index) {
  // expected-error @+1 {{result #0 must be statically shaped tensor}}
  %t = fa.load_tile %m[%i, %i] {tile_dims = array<i64: 0, 1>} : memref<?x?xf32> -> tensor<4x?xf32>
  return
}

// -----

// fa.load_tile, rule 3.
func.func @f(%m: memref<?x?xf32>, %i: index) {
  // expected-error @+1 {{rule 3: limit needs a tile of at least one dimension}}
  %t = fa.load_tile %m[%i, %i] limit(%i) {tile_dims = array<i64>} : memref<?x?xf32> -> tensor<f32>
  return
}

// -----

// fa.store_tile, rules 1-3.
func.func @f(%m: memref<?x?xf32>, %i: index, %t: tensor<4x4xf32>) {
  // expected-error @+1 {{rule 1: expected 2 offsets, got 3}}
  fa.store_tile %t, %m[%i, %i, %i] {tile_dims = array<i64: 0, 1>} : tensor<4x4xf32>, memref<?x?xf32>
  return
}

// -----

func.func @f(%m: memref<?x?xf32>, %i: index, %t: tensor<4x4xf32>) {
  // expected-error @+1 {{rule 2: expected 2 tile_dims, got 3}}
  fa.store_tile %t, %m[%i, %i] {tile_dims = array<i64: 0, 1, 0>} : tensor<4x4xf32>, memref<?x?xf32>
  return
}

// -----

func.func @f(%m: memref<?x?xf32>, %i: index, %t: tensor<f32>) {
  // expected-error @+1 {{rule 3: limit needs a tile of at least one dimension}}
  fa.store_tile %t, %m[%i, %i] limit(%i) {tile_dims = array<i64>} : tensor<f32>, memref<?x?xf32>
  return
}

// -----

// #fa.schedule: sizes.
// expected-error @+1 {{tile sizes must be positive, got query_tile = 0, key_tile = 64}}
func.func private @f() attributes {s = #fa.schedule<order = q_outer, query_tile = 0, key_tile = 64, partial_sums = 1>}

// -----

// #fa.schedule: partial sums.
// expected-error @+1 {{partial_sums = 3 must be 1, or divide key_tile / 2 = 32}}
func.func private @f() attributes {s = #fa.schedule<order = q_outer, query_tile = 64, key_tile = 64, partial_sums = 3>}


// -----

// Rule 8: a misspelled attribute is not ignored.
#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<8x16xf32>, %k: tensor<8x16xf32>, %v: tensor<8x16xf32>, %o: tensor<8x16xf32>) {
  // expected-error @+1 {{rule 8: there is no attribute 'casual'}}
  %r = fa.attention {casual, indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>)
    outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}
