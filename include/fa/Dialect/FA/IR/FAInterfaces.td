//===- FAInterfaces.td - what attention ops share ----------*- tablegen -*-===//

#ifndef FA_DIALECT_FA_IR_FAINTERFACES_TD
#define FA_DIALECT_FA_IR_FAINTERFACES_TD

include "mlir/IR/OpBase.td"

def FA_AttentionOpInterface : OpInterface<"AttentionOpInterface"> {
  let cppNamespace = "::fa";
  let description = [{
    `fa.attention`, `fa.online_attention` and their backward ops have the same operands, attributes and regions apart from their results.
    Everything that concerns scores and masks (verifier, score builder, tiling) is written once against this interface.
  }];
  let methods = [
    InterfaceMethod<"", "::mlir::Value", "getQuery">,
    InterfaceMethod<"", "::mlir::Value", "getKey">,
    InterfaceMethod<"", "::mlir::Value", "getValue">,
    InterfaceMethod<"f32 or f64; null: 1/sqrt(extent of d)", "::mlir::Value", "getScale">,
    InterfaceMethod<"", "::mlir::Value", "getBias">,
    InterfaceMethod<"", "::mlir::Value", "getMask">,
    InterfaceMethod<"", "::mlir::Value", "getAlibiSlopes">,
    InterfaceMethod<"", "::mlir::OperandRange", "getCaptures">,
    InterfaceMethod<"", "::mlir::Value", "getQueryLengths">,
    InterfaceMethod<"", "::mlir::Value", "getKeyLengths">,
    InterfaceMethod<"", "::mlir::Value", "getQueryOffsets">,
    InterfaceMethod<"", "::mlir::Value", "getKeyOffsets">,
    InterfaceMethod<"", "::mlir::Value", "getQueryBase">,
    InterfaceMethod<"", "::mlir::Value", "getKeyBase">,
    InterfaceMethod<"", "::mlir::Value", "getBatchBase">,
    InterfaceMethod<"", "::mlir::Value", "getHeadBase">,
    InterfaceMethod<"", "::mlir::Value", "getQueryLimit">,
    InterfaceMethod<"", "::mlir::Value", "getKeyLimit">,
    InterfaceMethod<"", "::mlir::Value", "getOffset">,
    InterfaceMethod<"", "::mlir::ArrayAttr", "getIndexingMaps">,
    InterfaceMethod<"", "bool", "getCausal">,
    InterfaceMethod<"", "std::optional<uint64_t>", "getWindowLeft">,
    InterfaceMethod<"", "std::optional<uint64_t>", "getWindowRight">,
    InterfaceMethod<"", "::fa::Alignment", "getAlignment">,
    InterfaceMethod<"", "std::optional<::llvm::APFloat>", "getSoftcap">,
    InterfaceMethod<"", "std::optional<::mlir::FloatType>", "getSoftmaxType">,
    InterfaceMethod<"", "::mlir::Region &", "getScoreRegion">,
    InterfaceMethod<"", "::mlir::Region &", "getMaskRegion">,
    InterfaceMethod<"", "::mlir::OpOperand &", "getQueryMutable">,
    InterfaceMethod<"", "::mlir::OpOperand &", "getKeyMutable">,
    InterfaceMethod<"", "::mlir::OpOperand &", "getValueMutable">,
    InterfaceMethod<"", "::mlir::MutableOperandRange", "getBiasMutable">,
    InterfaceMethod<"", "::mlir::MutableOperandRange", "getMaskMutable">,
    InterfaceMethod<"", "::mlir::MutableOperandRange", "getAlibiSlopesMutable">,
    InterfaceMethod<"", "::mlir::MutableOperandRange", "getCapturesMutable">,
    InterfaceMethod<"", "::mlir::MutableOperandRange", "getQueryOffsetsMutable">,
    InterfaceMethod<"", "::mlir::MutableOperandRange", "getKeyOffsetsMutable">,
    InterfaceMethod<"", "::mlir::MutableOperandRange", "getBatchBaseMutable">,
    InterfaceMethod<"", "::mlir::MutableOperandRange", "getOutputsMutable">,
    InterfaceMethod<"Operands that have an indexing map, in the order of `indexing_maps`",
      "::llvm::SmallVector<::mlir::OpOperand *>", "getMappedOperands">
  ];
  let extraSharedClassDeclaration = [{
    /// The type in which scores, softmax and lse are computed (`softmax_type`, or its default).
    ::mlir::FloatType getComputeType();
    /// The map of a mapped operand, over (b, h, g, m, n, d, e). By operand, not by value: one tensor may be both key
    /// and value, or two captures with different maps.
    ::mlir::AffineMap getMapOf(::mlir::OpOperand &operand);
    /// True if the regions take capture `operand` whole.
    bool isWholeCapture(::mlir::OpOperand &operand) {
      return getMapOf(operand).getNumResults() == 0 &&
             ::llvm::cast<::mlir::ShapedType>(operand.get().getType()).getRank() > 0;
    }
    /// True if query and key rows of all sequences are packed in one dimension (`*_offsets`).
    bool isPacked() { return static_cast<bool>($_op.getQueryOffsets()); }
    /// How far a side of the window reaches, or nothing where it hides nothing: no memory holds 2^40 rows, and sums
    /// with larger numbers might overflow.
    std::optional<int64_t> getWindowReach(std::optional<uint64_t> side) {
      if (!side || *side >= (uint64_t(1) << 40))
        return std::nullopt;
      return static_cast<int64_t>(*side);
    }
    /// True if a mask or alibi needs the distance of a query to the diagonal.
    bool usesOffset() {
      return $_op.getCausal() || $_op.getWindowLeft() || $_op.getWindowRight() || $_op.getAlibiSlopes();
    }
    /// The score of a pair of positions is its scaled dot product, nothing added or applied.
    bool hasPlainScore() {
      return !$_op.getBias() && !$_op.getAlibiSlopes() && !$_op.getSoftcap() && $_op.getScoreRegion().empty();
    }
  }];
}

#endif // FA_DIALECT_FA_IR_FAINTERFACES_TD
