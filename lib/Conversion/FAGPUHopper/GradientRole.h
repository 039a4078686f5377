//===- GradientRole.h - one role of the gradients' kernel -------*- C++ -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTROLE_H
#define FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTROLE_H

#include "GradientKernel.h"

namespace fa::fagpu {

/// A role whose blocks have some key tiles each.
class RoleBuilder {
public:
  explicit RoleBuilder(GradientRoles &k)
      : k(k), loc(k.source.function.getLoc()), b(k.shared.kernel) {}
  virtual ~RoleBuilder() = default;

  mlir::LogicalResult build(RoleKind kind, int64_t warpgroups,
                            int64_t registers, bool wholeWarp = false);

protected:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Columns of the left operand that one step of a product takes.
  static constexpr int64_t kStepColumns = 16;

  /// Before the first tile.
  virtual void startRole() {}

  /// The cursors that a block leaves to the next one.
  virtual Values startCursors() = 0;

  virtual mlir::LogicalResult
  buildBlock(Scalars &role, const GradientBlock &block, Values &cursors) = 0;

  /// Everybody knows which tile it is as soon as the loop's body begins.
  void passNumber(RoleKind kind, mlir::Value cursor);

  mlir::Value constant(int64_t v);

  /// Of a pair, columns of d_query that this block adds, and of the keys of
  /// both: every other block of 64, and half of a last one without a partner.
  struct ColumnPart {
    int64_t number;
    /// The block of 64 that it is, or is half of.
    mlir::Value block;
    /// Which it is in d_query and this block's keys, and in tile `number` of
    /// the other block's: 64 columns, or 32.
    mlir::Value columns, otherColumns;
    bool isHalf;
  };
  llvm::SmallVector<ColumnPart> columnParts(const GradientBlock &block);

  /// The block's keys are there, or their memory is free.
  void takeKeys();

  /// Sets `begin` and `end`.
  mlir::LogicalResult findRows(Scalars &role, const GradientBlock &block);

  /// The row of a loop from `begin` to `end`. Blocks that wait for those with
  /// smaller numbers go from the last one, which all of them see under a causal
  /// mask, to the first.
  mlir::Value rowAt(mlir::Value position);

  /// Coordinates of a tile of memory in its tensor map; empty after an error.
  template <typename OpTy>
  Values coordinates(Scalars &scalars, OpTy op, mlir::Value memref) {
    return Values(coordinatesOf(b, scalars,
                                mlir::cast<mlir::MemRefType>(memref.getType()),
                                op.getOffsets(), op.getTileDims()));
  }

  GradientRoles &k;
  mlir::Location loc;
  mlir::OpBuilder b;
  mlir::Value warpgroup, keyCursor, begin, end;
};

} // namespace fa::fagpu

#endif // FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTROLE_H
