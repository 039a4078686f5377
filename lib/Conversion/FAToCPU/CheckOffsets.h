//===- CheckOffsets.h - offsets of packed sequences, checked at run time --===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_CONVERSION_FATOCPU_CHECKOFFSETS_H
#define FA_CONVERSION_FATOCPU_CHECKOFFSETS_H

#include "mlir/IR/Builders.h"
#include <string>

namespace fa {

/// One dimension of one operand.
struct Extent {
  std::string name;
  mlir::Value value;
  int64_t dim;

  bool isDynamic() const {
    return mlir::cast<mlir::ShapedType>(value.getType()).isDynamicDim(dim);
  }
};

/// Its size, as a value.
mlir::Value sizeOf(mlir::OpBuilder &b, mlir::Location loc,
                   const Extent &extent);

/// Where the sequences lie that are packed in one dimension.
struct PackedSequences {
  std::string name;
  mlir::Value offsets;
  /// The dimension that they are packed in.
  Extent rows;
  /// What is indexed within a sequence.
  llvm::SmallVector<Extent> perSequence;
};

/// Asserts that there is a first offset, that none is negative, descends or
/// lies past the rows, and that no sequence is longer than what is indexed
/// within it. `opName` starts the messages.
void checkOffsets(mlir::OpBuilder &b, mlir::Location loc,
                  llvm::StringRef opName, const PackedSequences &sequences);

} // namespace fa

#endif // FA_CONVERSION_FATOCPU_CHECKOFFSETS_H
