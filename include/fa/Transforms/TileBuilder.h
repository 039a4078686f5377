//===- TileBuilder.h - the tile program of one attention ------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TRANSFORMS_TILEBUILDER_H
#define FA_TRANSFORMS_TILEBUILDER_H

#include "fa/Transforms/TileProgram.h"

namespace fa {

/// Builds tiles of an online attention over all keys and of its finalize: the
/// pieces that every loop order is made of.
class TileBuilder : public TileProgram {
public:
  struct State {
    mlir::Value acc, rowMax, rowSum;
    llvm::SmallVector<mlir::Value> values() const {
      return {acc, rowMax, rowSum};
    }
  };
  /// Memory of the state of all rows, between key tiles.
  using StateMemory = std::array<Mapped, 3>;

  TileBuilder(mlir::OpBuilder &b, OnlineAttentionOp online, FinalizeOp finalize,
              ScheduleAttr schedule);

  /// Creates what all tiles share, before the loops. `outputs`: memory for out
  /// and lse (null: not stored).
  void prepare(mlir::ArrayRef<mlir::Value> outputs);

  mlir::Value loadQuery(const Sequence &sequence, mlir::Value row);
  mlir::Value loadKey(const Sequence &sequence, mlir::Value key);
  mlir::Value loadValue(const Sequence &sequence, mlir::Value key, bool isFull);

  State emptyState();
  /// One fa.online_attention on tiles. What `fixed` lacks is loaded here.
  State step(const Sequence &sequence, const State &state, mlir::Value query,
             mlir::Value keyTile, mlir::Value valueTile,
             llvm::ArrayRef<Mapped> fixed, mlir::Value row, mlir::Value key,
             bool isFull);
  /// Finalizes a tile of rows and stores its outputs.
  void finish(const Sequence &sequence, State state, mlir::Value row);

  StateMemory allocateState();
  State loadState(const Sequence &sequence, const StateMemory &memory,
                  mlir::Value row);
  void storeState(const Sequence &sequence, const StateMemory &memory,
                  const State &state, mlir::Value row);

  int64_t partialSums;

private:
  OnlineAttentionOp online;
  FinalizeOp finalize;
  Mapped sinks, out, lse;
};

} // namespace fa

#endif // FA_TRANSFORMS_TILEBUILDER_H
