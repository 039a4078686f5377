//===- GradientKeyRole.h - roles with sums of d_key or d_value ------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTKEYROLE_H
#define FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTKEYROLE_H

#include "GradientRole.h"

namespace fa::fagpu {

/// Both sums, of 64 keys; what roles of one sum do otherwise is virtual.
class KeyRole : public RoleBuilder {
public:
  using RoleBuilder::RoleBuilder;

protected:
  /// What the loops over query tiles carry, or null: cursors, sums, the product
  /// that was issued a tile ahead (S), its rows (lse) if they are read ahead.
  struct State {
    mlir::Value cursor, scoreCursor, weightCursor, dKey, dValue, scores, rows;

    std::array<mlir::Value *, 7> members() {
      return {&cursor, &scoreCursor, &weightCursor, &dKey,
              &dValue, &scores,      &rows};
    }
    Values all() {
      Values values;
      for (mlir::Value *member : members())
        if (*member)
          values.push_back(*member);
      return values;
    }
    /// The same members with other values.
    State with(mlir::ValueRange values) const {
      State state = *this;
      for (mlir::Value *member : state.members())
        if (*member) {
          *member = values.front();
          values = values.drop_front();
        }
      return state;
    }
    /// Those members that `like` has.
    Values as(State like) {
      Values values;
      for (auto [member, other] : llvm::zip(members(), like.members()))
        if (*other)
          values.push_back(*member);
      return values;
    }
  };

  /// Of the rings that the role uses.
  virtual State newCursors();

  virtual void addSums(State &state);

  Values startCursors() override;

  virtual mlir::LogicalResult storeSums(Scalars &scalars, State &state);

  mlir::LogicalResult buildBlock(Scalars &role, const GradientBlock &block,
                                 Values &carried) override;

  /// What is the same for all query tiles.
  mlir::LogicalResult loadFixed(Scalars &scalars);

  mlir::Value zeros(mlir::RankedTensorType like);

  /// Masked tiles, full ones, masked ones; the last tile, which issues no
  /// scores of a next one, by itself.
  mlir::FailureOr<Values> buildLoops(Scalars &scalars, State state);

  /// Rows that a step of the loop over full tiles starts with, if any.
  virtual mlir::Value readAhead(QueryLoop &part, mlir::Value cursor);

  /// What the first tile's step starts from.
  virtual void issueFirst(State &state);

  mlir::LogicalResult buildLoop(QueryLoop &part, Scalars &scalars,
                                mlir::Value from, mlir::Value until,
                                State &state);

  //===--------------------------------------------------------------------===//
  // One query tile
  //===--------------------------------------------------------------------===//

  virtual mlir::LogicalResult step(QueryLoop &part, const Scalars &outer,
                                   mlir::Value row, State &state, bool isLast);

  /// Registers do not suffice for dP beside P and another factor of dS.
  bool isTight();

  /// dP, which has lost delta already if that is null.
  struct DWeights {
    mlir::Value dWeights, delta;
  };

  /// dP and the sum of d_value, of P.
  DWeights multiply(QueryLoop &part, mlir::Value packed, State &state);

  /// What lies past a length may be NaN, and d_key and d_value are sums over
  /// rows.
  mlir::LogicalResult clearTail(LoadTileOp load, Scalars &scalars, RingOp ring,
                                SmemOp smem, mlir::Value cursor);

  /// Where dS is handed over: `late_scores`.
  static constexpr int64_t kAtOnce = 0, kBehindKey = 1, kBehindScores = 2;

  /// What is sent to the other block is read by a copy, of the asynchronous
  /// proxy.
  bool fences() { return k.isPaired() || !k.readsAllScores(); }

  void writeScores(mlir::Value packed, mlir::Value cursor);

  void publish(mlir::Value cursor);
  /// Late, the fence waits for the stores while the tensor cores are busy. The
  /// last tile has no next scores.
  void publishAt(int64_t place, mlir::Value cursor, bool isLast = false);

  /// Waits for d_key and the next tile's scores. What is read ahead takes
  /// registers: fewer when d_key's operand is not needed any more.
  std::pair<mlir::Value, mlir::Value> finish(QueryLoop &part, mlir::Value dKey,
                                             mlir::Value scores,
                                             mlir::Value next, State &state);

  std::pair<mlir::Value, mlir::Value> waitForBoth(mlir::Value first,
                                                  mlir::Value second);

  std::pair<mlir::Value, mlir::Value> waitForFirst(mlir::Value first,
                                                   mlir::Value second);

  /// -delta, which the sums of dP start from. Of rows alone: it moves to where
  /// delta is computed.
  mlir::Value spread(mlir::Value at);

  /// Of the first tile's type; others may be numbers of columns.
  mlir::Value
  elementwise(Values tiles,
              llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                             mlir::ValueRange)>
                  body);

  /// Packed: P, and what times dP - delta is dS. Mostly that is P, too.
  struct Factors {
    mlir::Value weights, ofScores;
  };

  /// In masked copies, that where a thread is takes no register of the loop
  /// over full tiles.
  void computePositions(QueryLoop &part, mlir::Operation *op);

  mlir::FailureOr<Factors> factorsOf(QueryLoop &part, Scalars &scalars);

  /// dS is linear in dP - delta: its factor is what it is for 1.
  mlir::FailureOr<Factors> bothFactors(QueryLoop &part, Scalars &scalars);

  /// The product with dP - delta; null: dP has lost delta already.
  mlir::Value multiplyFactor(QueryLoop &part, mlir::Value factor,
                             mlir::Value dWeights, mlir::Value delta);

  /// dS of its factor and dP, from which delta is subtracted if it is null.
  mlir::FailureOr<mlir::Value> scoresOf(QueryLoop &part, Scalars &scalars,
                                        mlir::Value packed,
                                        mlir::Value dWeights,
                                        mlir::Value delta);

  mlir::Value subtract(mlir::Value tile, mlir::Value cols);

  /// The first columns of the keys, that scores read them from registers.
  void readHead();

  PendingType pendingLike(mlir::Value tile);

  mlir::Value issueScores(mlir::Value cursor);

  /// dP, from `start` on.
  mlir::Value issueDWeights(mlir::Value cursor, mlir::Value start);

  mlir::Value multiplyInto(mlir::Value sum, mlir::Value a, SmemOp tiles,
                           mlir::Value cursor);

  Values waitFor(mlir::ValueRange pending);

  mlir::Value readCols(LoadTileOp load, RowsOp rows, mlir::Value cursor);

  mlir::Value pack(mlir::Value tile);

  //===--------------------------------------------------------------------===//
  // Elementwise
  //===--------------------------------------------------------------------===//

  /// Scalars that the body of `op` refers to.
  mlir::LogicalResult needScalars(mlir::linalg::GenericOp op, Scalars &scalars);

  /// What result `number` of `op` is before it is rounded. With `folded`, dP
  /// is what it is without delta.
  mlir::FailureOr<mlir::Value> inFloat(mlir::linalg::GenericOp op,
                                       unsigned number, Scalars &scalars,
                                       QueryLoop *folded = nullptr);

  mlir::Value head;
  /// What a block starts from.
  State cursors;
  /// How many have computed positions of their own.
  int64_t positionsOf = 0;
  /// d_key: its memory is the loader's again.
  static constexpr unsigned kLastStored = 4;

  /// Rounds a sum on the way to memory.
  mlir::LogicalResult store(Scalars &scalars, StoreTileOp store,
                            mlir::Value sum, SmemOp smem, mlir::Value index,
                            unsigned moved);
};

} // namespace fa::fagpu

#endif // FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTKEYROLE_H
