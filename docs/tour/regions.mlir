// Scores and masks of one's own: a learned bias by relative position and head (distances are clipped to 32), and documents
// that are packed into one row, which do not see one another.
#q = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>
// Of captures: the table arrives whole, a document's number as that of this query and this key.
#whole = affine_map<(b, h, g, m, n, d, e) -> ()>
#row = affine_map<(b, h, g, m, n, d, e) -> (b, m)>
#column = affine_map<(b, h, g, m, n, d, e) -> (b, n)>

func.func @documents(%query: tensor<2x8x?x64xbf16>, %key: tensor<2x8x?x64xbf16>, %value: tensor<2x8x?x64xbf16>,
                     %table: tensor<8x65xf32>, %query_document: tensor<2x?xi32>, %key_document: tensor<2x?xi32>,
                     %out: tensor<2x8x?x64xbf16>) -> tensor<2x8x?x64xbf16> {
  %r = fa.attention {causal, indexing_maps = [#q, #k, #v, #whole, #row, #column, #o]}
    ins(%query, %key, %value : tensor<2x8x?x64xbf16>, tensor<2x8x?x64xbf16>, tensor<2x8x?x64xbf16>)
    captures(%table, %query_document, %key_document : tensor<8x65xf32>, tensor<2x?xi32>, tensor<2x?xi32>)
    outs(%out : tensor<2x8x?x64xbf16>)
    score {
    ^bb0(%s: f32, %t: tensor<8x65xf32>, %mine: i32, %other: i32):
      %far = arith.constant 32 : index
      %near = arith.constant -32 : index
      %h = fa.index h
      %m = fa.index q
      %n = fa.index k
      %distance = arith.subi %n, %m : index
      %low = arith.maxsi %distance, %near : index
      %clipped = arith.minsi %low, %far : index
      %column = arith.addi %clipped, %far : index
      %bias = tensor.extract %t[%h, %column] : tensor<8x65xf32>
      %new = arith.addf %s, %bias : f32
      fa.yield %new : f32
    } keep {
    ^bb0(%t: tensor<8x65xf32>, %mine: i32, %other: i32):
      %same = arith.cmpi eq, %mine, %other : i32
      fa.yield %same : i1
    } -> tensor<2x8x?x64xbf16>
  return %r : tensor<2x8x?x64xbf16>
}
