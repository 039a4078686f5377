//===- Verifier.h - what the verifiers of attention ops share -------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
// Messages cite the rule of the op's description.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_DIALECT_FA_IR_VERIFIER_H
#define FA_LIB_DIALECT_FA_IR_VERIFIER_H

#include "fa/Dialect/FA/IR/FA.h"
#include "mlir/IR/TypeUtilities.h"

namespace fa::verifier {

using namespace mlir;

constexpr DimSet kHeads = dims(B, H, G);

inline Type elementType(Value v) { return getElementTypeOrSelf(v.getType()); }

/// One operand's share of rules 1-3.
struct MappedOperand {
  OpOperand *operand;
  StringRef name;
  DimSet allowed;
  DimSet required;
  bool isCapture = false;
  /// A trailing dimension outside the domain (partial row sums).
  bool mayHavePartials = false;
};

/// The part of rule 1 that needs no operand. All other code may rely on it.
LogicalResult verifyMaps(Operation *op, ArrayAttr maps, size_t count);

/// Rules 1-3: operands and their maps.
class DomainVerifier {
public:
  DomainVerifier(Operation *op, ArrayAttr maps) : op(op), maps(maps) {}

  void add(OpOperand &operand, StringRef name, DimSet allowed,
           DimSet required = 0) {
    operands.push_back({&operand, name, allowed, required});
  }
  void addCapture(OpOperand &operand, DimSet allowed) {
    operands.push_back({&operand, "capture", allowed, 0, /*isCapture=*/true});
  }
  void addRowSum(OpOperand &operand, DimSet dims) {
    operands.push_back({&operand, "row_sum", dims, dims, false,
                        /*mayHavePartials=*/true});
  }

  LogicalResult verify();

  /// The static extent of a dimension, or kDynamic.
  int64_t extent(Dim dim) const { return extents[dim]; }

private:
  LogicalResult verifyMap(const MappedOperand &o, AffineMap map);
  LogicalResult mergeExtent(const MappedOperand &o, unsigned dim, int64_t size);

  Operation *op;
  ArrayAttr maps;
  SmallVector<MappedOperand> operands;
  std::array<int64_t, NumDims> extents = {
      ShapedType::kDynamic, ShapedType::kDynamic, ShapedType::kDynamic,
      ShapedType::kDynamic, ShapedType::kDynamic, ShapedType::kDynamic,
      ShapedType::kDynamic};
};

/// All shaped operands on tensors, with one result per output of its
/// type, or all on memrefs without results.
LogicalResult verifyDestinations(DestinationStyleOpInterface op,
                                 ArrayRef<size_t> outputCounts,
                                 StringRef rule = "rule 6");

/// Memory that is written is no other operand. Tensors are values: sharing one
/// is harmless, bufferization copies it.
LogicalResult verifyNoAlias(DestinationStyleOpInterface op, StringRef rule);

/// Rules 1-5, 7 and 8, once for all attention ops. Adds the outputs' own
/// operands through `addOutputs`.
LogicalResult
verifyAttention(AttentionOpInterface op, MutableOperandRange sinks,
                function_ref<void(DomainVerifier &, DimSet rows)> addOutputs);

/// Rule 9, after the regions' ops have been verified.
LogicalResult verifyRegions(AttentionOpInterface op);

} // namespace fa::verifier

#endif // FA_LIB_DIALECT_FA_IR_VERIFIER_H
