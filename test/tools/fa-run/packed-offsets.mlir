// Offsets of packed sequences that are not valid are an error of the call, on the CPU and in the reference.
// RUN: %fa-run %s --entry packed --arg shape=2x20x8 --arg shape=2x30x8 --arg values=0,7,20 --arg values=0,30,30 --arg shape=2x20x8 --check
// RUN: not %fa-run %s --entry packed --arg shape=2x20x8 --arg shape=2x30x8 --arg values=0,7,20000 --arg values=0,30,30 --arg shape=2x20x8 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PAST
// RUN: not %fa-run %s --entry packed --target reference --arg shape=2x20x8 --arg shape=2x30x8 --arg values=0,7,20 --arg values=0,30,31 --arg shape=2x20x8 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEYS
// RUN: not %fa-run %s --entry packed --arg shape=2x20x8 --arg shape=2x30x8 --arg values=0,7,20 --arg values=0,30,20 --arg shape=2x20x8 --check 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DESCEND
// RUN: not %fa-run %s --entry packed --arg shape=2x20x8 --arg shape=2x30x8 --arg values=-1,7,20 --arg values=0,30,30 --arg shape=2x20x8 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BELOW
// RUN: not %fa-run %s --entry packed --target reference --arg shape=2x20x8 --arg shape=2x30x8 --arg values=-1,7,20 --arg values=0,30,30 --arg shape=2x20x8 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BELOW
// RUN: %fa-run %s --entry biased --arg shape=20x8 --arg shape=30x8 --arg values=0,7,20 --arg values=0,10,30 --arg shape=2x13x20 --arg shape=20x8 --check
// RUN: not %fa-run %s --entry biased --arg shape=20x8 --arg shape=30x8 --arg values=0,7,20 --arg values=0,10,30 --arg shape=2x13x19 --arg shape=20x8 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BIAS
// RUN: not %fa-run %s --entry biased --arg shape=20x8 --arg shape=30x8 --arg values=0,7,20 --arg values=0,10,30 --arg shape=1x13x20 --arg shape=20x8 2>&1 \
// RUN:   | FileCheck %s --check-prefix=COUNT

// PAST: error: fa.attention: query_offsets end past the rows of query
// KEYS: error: fa.attention: key_offsets end past the rows of key
// DESCEND: error: fa.attention: key_offsets descend
// BELOW: error: fa.attention: query_offsets start below 0
// BIAS: error: fa.attention: key_offsets have a sequence that is longer than dimension 2 of bias
// COUNT: error: fa.attention: bias has not as many sequences as query_offsets say
#q = affine_map<(b, h, g, m, n, d, e) -> (h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (h, m, e)>
func.func @packed(%query: tensor<?x?x8xf32>, %key: tensor<?x?x8xf32>, %query_offsets: tensor<3xi32>, %key_offsets: tensor<3xi32>,
                  %out: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %r = fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %key : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>)
    query_offsets(%query_offsets : tensor<3xi32>) key_offsets(%key_offsets : tensor<3xi32>)
    outs(%out : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}
#q1 = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k1 = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v1 = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#b1 = affine_map<(b, h, g, m, n, d, e) -> (b, m, n)>
#o1 = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @biased(%query: tensor<?x8xf32>, %key: tensor<?x8xf32>, %query_offsets: tensor<3xi32>, %key_offsets: tensor<3xi32>,
                  %bias: tensor<?x?x?xf32>, %out: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = fa.attention {indexing_maps = [#q1, #k1, #v1, #b1, #o1]}
    ins(%query, %key, %key : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) bias(%bias : tensor<?x?x?xf32>)
    query_offsets(%query_offsets : tensor<3xi32>) key_offsets(%key_offsets : tensor<3xi32>)
    outs(%out : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
