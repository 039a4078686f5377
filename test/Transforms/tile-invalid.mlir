// RUN: %fa-opt %s --split-input-file --verify-diagnostics --fa-tile
// RUN: not %fa-opt %s --split-input-file --fa-tile="preset=fa9" 2>&1 | FileCheck %s --check-prefix=PRESET
// RUN: not %fa-opt %s --split-input-file --fa-tile="order=diagonal" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not %fa-opt %s --split-input-file --fa-tile="key-tile=0" 2>&1 | FileCheck %s --check-prefix=SIZE

// PRESET: fa-tile: preset = 'fa9', expected fa1 or fa2
// ORDER: fa-tile: order = 'diagonal', expected q_outer or kv_outer
// SIZE: fa-tile: tile sizes must be positive

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>

func.func @no_finalize(%q: tensor<?x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>, %acc: tensor<?x16xf32>,
                       %max: tensor<?xf32>, %sum: tensor<?xf32>) -> tensor<?x16xf32> {
  // expected-error @+1 {{fa-tile supports only an online attention whose three results one fa.finalize reads}}
  %s:3 = fa.online_attention {indexing_maps = [#q, #k, #v, #o, #l, #l]}
    ins(%q, %k, %v : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
    outs(%acc, %max, %sum : tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>)
    -> tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>
  return %s#0 : tensor<?x16xf32>
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>

func.func @not_empty(%q: tensor<?x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>, %acc: tensor<?x16xf32>,
                     %max: tensor<?xf32>, %sum: tensor<?xf32>) -> tensor<?x16xf32> {
  // expected-error @+1 {{fa-tile supports only an online attention that starts from acc = 0, row_max = -inf, row_sum = 0}}
  %s:3 = fa.online_attention {indexing_maps = [#q, #k, #v, #o, #l, #l]}
    ins(%q, %k, %v : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
    outs(%acc, %max, %sum : tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>)
    -> tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>
  %r = fa.finalize {indexing_maps = [#o, #l, #l, #o]}
    ins(%s#0, %s#1, %s#2 : tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>)
    outs(%acc : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>

func.func @dynamic_head(%q: tensor<?x?xf32>, %k: tensor<?x?xf32>, %v: tensor<?x16xf32>, %a: tensor<?x16xf32>,
    %l: tensor<?xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %minus_inf = arith.constant 0xFF800000 : f32
  %acc = linalg.fill ins(%zero : f32) outs(%a : tensor<?x16xf32>) -> tensor<?x16xf32>
  %max = linalg.fill ins(%minus_inf : f32) outs(%l : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.fill ins(%zero : f32) outs(%l : tensor<?xf32>) -> tensor<?xf32>
  // expected-error @+1 {{fa-tile does not support a dynamic head dimension of query and key (d); make it static}}
  %s:3 = fa.online_attention {indexing_maps = [#q, #k, #v, #o, #l, #l]}
    ins(%q, %k, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x16xf32>)
    outs(%acc, %max, %sum : tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>)
    -> tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>
  %r = fa.finalize {indexing_maps = [#o, #l, #l, #o]}
    ins(%s#0, %s#1, %s#2 : tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>)
    outs(%acc : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// -----

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
#l = affine_map<(b, h, g, m, n, d, e) -> (m)>

func.func @partial_sums(%q: tensor<?x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>, %a: tensor<?x16xf32>,
    %l: tensor<?xf32>) -> tensor<?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %minus_inf = arith.constant 0xFF800000 : f32
  %acc = linalg.fill ins(%zero : f32) outs(%a : tensor<?x16xf32>) -> tensor<?x16xf32>
  %max = linalg.fill ins(%minus_inf : f32) outs(%l : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.fill ins(%zero : f32) outs(%l : tensor<?xf32>) -> tensor<?xf32>
  // expected-error @+1 {{fa-tile supports partial_sums = 4 only with order = q_outer}}
  %s:3 = fa.online_attention {indexing_maps = [#q, #k, #v, #o, #l, #l], fa.schedule =
      #fa.schedule<order = kv_outer, query_tile = 16, key_tile = 16, partial_sums = 4>}
    ins(%q, %k, %v : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
    outs(%acc, %max, %sum : tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>)
    -> tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>
  %r = fa.finalize {indexing_maps = [#o, #l, #l, #o]}
    ins(%s#0, %s#1, %s#2 : tensor<?x16xf32>, tensor<?xf32>, tensor<?xf32>)
    outs(%acc : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
