//===- FAOpBase.td - what the ops of the fa dialect share --*- tablegen -*-===//

#ifndef FA_DIALECT_FA_IR_FAOPBASE_TD
#define FA_DIALECT_FA_IR_FAOPBASE_TD

include "fa/Dialect/FA/IR/FADialect.td"
include "fa/Dialect/FA/IR/FAInterfaces.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

class FA_Op<string mnemonic, list<Trait> traits = []> : Op<FA_Dialect, mnemonic, traits>;

def FA_Shaped : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>;
def FA_FloatShaped : AnyTypeOf<[RankedTensorOf<[AnyFloat]>, StridedMemRefOf<[AnyFloat]>]>;
def FA_MaskShaped : AnyTypeOf<[RankedTensorOf<[I1]>, StridedMemRefOf<[I1]>]>;
def FA_Lengths : AnyTypeOf<[1DTensorOf<[I32]>, MemRefRankOf<[I32], [1]>]>;
def FA_Scale : AnyTypeOf<[F32, F64]>;

/// Destination-style ops over the fixed domain, on tensors or memrefs.
class FA_DomainOp<string mnemonic, list<Trait> traits = []>
    : FA_Op<mnemonic, !listconcat([
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
        DeclareOpInterfaceMethods<BufferizableOpInterface,
          ["bufferizesToMemoryRead", "bufferizesToMemoryWrite", "getAliasingValues", "bufferize"]>],
      traits)> {
  code destinationStyle = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
  }];
}

/// An op over the scores: what makes and masks them is the same in all of these, and so is its spelling.
class FA_AttentionLikeOp<string mnemonic, list<Trait> traits = []> : FA_DomainOp<mnemonic, !listconcat([
    IsolatedFromAbove,
    DeclareOpInterfaceMethods<FA_AttentionOpInterface, ["getMappedOperands"]>], traits)> {
  dag attentionOperands = (ins
    FA_FloatShaped:$query, FA_FloatShaped:$key, FA_FloatShaped:$value,
    Optional<FA_Scale>:$scale,
    Optional<FA_FloatShaped>:$bias,
    Optional<FA_MaskShaped>:$mask,
    Optional<FA_FloatShaped>:$alibi_slopes);
  dag attentionState = (ins
    Variadic<FA_Shaped>:$captures,
    Optional<FA_Lengths>:$query_lengths, Optional<FA_Lengths>:$key_lengths,
    Optional<FA_Lengths>:$query_offsets, Optional<FA_Lengths>:$key_offsets,
    Optional<Index>:$query_base, Optional<Index>:$key_base,
    Optional<Index>:$batch_base, Optional<Index>:$head_base,
    Optional<Index>:$query_limit, Optional<Index>:$key_limit,
    Optional<Index>:$offset,
    Variadic<FA_FloatShaped>:$outputs);
  dag attentionAttributes = (ins
    AffineMapArrayAttr:$indexing_maps,
    UnitAttr:$causal,
    OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$window_left,
    OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$window_right,
    DefaultValuedAttr<FA_AlignmentAttr, "::fa::Alignment::TopLeft">:$alignment,
    OptionalAttr<F64Attr>:$softcap,
    OptionalAttr<TypeAttrOf<AnyFloat>>:$softmax_type);

  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region AnyRegion:$score_region, AnyRegion:$mask_region);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def FA_Tiling : DeclareOpInterfaceMethods<TilingInterface,
    ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition",
     "generateResultTileValue"]>;

#endif // FA_DIALECT_FA_IR_FAOPBASE_TD
