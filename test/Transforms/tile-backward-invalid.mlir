// RUN: %fa-opt %s --split-input-file --verify-diagnostics --fa-tile-backward
// RUN: not %fa-opt %s --split-input-file --fa-tile-backward="d-query=guess" 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not %fa-opt %s --split-input-file --fa-tile-backward="key-tile=0" 2>&1 | FileCheck %s --check-prefix=SIZE

// MODE: fa-tile-backward: d-query = 'guess', expected owned, recompute or atomic
// SIZE: fa-tile-backward: tile sizes must be positive, got query_tile = 64, key_tile = 0

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>

func.func @dynamic_head_dim(%q: memref<?x?xf32>, %v: memref<?x16xf32>, %l: memref<?xf32>, %dq: memref<?x?xf32>,
                            %dk: memref<?x?xf32>, %dv: memref<?x16xf32>) {
  // expected-error @+1 {{fa-tile-backward does not support a dynamic head dimension of query and key (d); make it static}}
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %q, %v, %v, %l, %v : memref<?x?xf32>, memref<?x?xf32>, memref<?x16xf32>, memref<?x16xf32>, memref<?xf32>,
        memref<?x16xf32>)
    outs(%dq, %dk, %dv : memref<?x?xf32>, memref<?x?xf32>, memref<?x16xf32>)
  return
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>

func.func @no_derivative(%q: memref<?x16xf32>, %l: memref<?xf32>, %dq: memref<?x16xf32>, %dk: memref<?x16xf32>,
                         %dv: memref<?x16xf32>) {
  fa.attention_backward {indexing_maps = [#q, #k, #v, #o, #l, #o, #q, #k, #v]}
    ins(%q, %q, %q, %q, %l, %q : memref<?x16xf32>, memref<?x16xf32>, memref<?x16xf32>, memref<?x16xf32>, memref<?xf32>,
        memref<?x16xf32>)
    outs(%dq, %dk, %dv : memref<?x16xf32>, memref<?x16xf32>, memref<?x16xf32>)
    score {
    ^bb0(%s: f32):
      // expected-error @+1 {{has no derivative}}
      %r = math.floor %s : f32
      fa.yield %r : f32
    }
  return
}
