//===- GradientKernel.h - the parts of the gradients' tile program --------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTKERNEL_H
#define FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTKERNEL_H

#include "Specialize.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace fa::fagpu {

/// One loop over query tiles.
struct QueryLoop {
  mlir::scf::ForOp loop;
  LoadTileOp query, dOut, lse, delta;
  /// S^T, dP^T, the sums of d_key and d_value, and what is added to d_query.
  MmaOp scores, dWeights, dKey, dValue, dQuery;
  /// P of S^T and lse; P and dS, packed. Where a score's derivative needs more
  /// than P, the first is null and the second computes all.
  mlir::linalg::GenericOp weights, dScores;
  AccumulateOp sum;
  /// What else the two read: the same for all query tiles.
  llvm::SetVector<mlir::Value> fixed;

  /// Whether P is a number: whatever the scores are, no pair is seen.
  bool hidesAll();
  /// How many operations a pair takes: more where some are hidden, the most
  /// where all are, which may take none.
  size_t getCost();
  /// dP - delta, in the body of dScores.
  bool isDifference(mlir::Operation *op);
  /// Whether delta is subtracted from dP and otherwise not used.
  bool hasDifference();
  /// Whether dS is P * (dP - delta), rounded.
  bool isProductWithDifference();
  /// Whether dS is (dP - delta) times something else, in real numbers.
  bool isLinearInDifference();
  /// Whether some of dS is 0 whatever dP is, if dScores computes all.
  bool hidesSome();
  unsigned dScoresResult() {
    return mlir::cast<mlir::OpResult>(dKey.getA()).getResultNumber();
  }
  unsigned weightsResult() {
    return mlir::cast<mlir::OpResult>(dValue.getA()).getResultNumber();
  }
};

/// A key tile stays; loops stream query tiles, maybe within one over the query
/// heads of a key head; two tiles are stored.
struct GradientTiles {
  mlir::gpu::GPUFuncOp function;
  LoadTileOp key, value;
  mlir::scf::ForOp groups;
  llvm::SmallVector<QueryLoop> loops;
  StoreTileOp dKey, dValue;
  /// Key tiles are numbered as blocks are, or from the last one.
  bool ascends = true;

  /// Fails with the reason in `why` where the kernel is something else.
  static mlir::FailureOr<GradientTiles> match(mlir::gpu::LaunchFuncOp launch,
                                              mlir::gpu::GPUFuncOp function,
                                              std::string &why);

  /// The loop whose body serves any tile, and the one for full tiles; the same
  /// where no loop does less.
  QueryLoop &general();
  QueryLoop &full();
  /// query, key, value, d_out, d_key, d_value: what TMA moves.
  std::array<mlir::Value, 6> movedBuffers();
  llvm::ArrayRef<int64_t> movedDims(unsigned i);
  mlir::RankedTensorType movedTile(unsigned i);
};

/// Tiles of a slot of dS, of a pair.
constexpr int64_t kOwnTile = 0, kOtherTile = 1;
/// Columns of a part of d_query.
constexpr int64_t kPartColumns = 64;

/// The new kernel and what its arguments stand for.
struct GradientRoles {
  GradientRoles(GradientTiles &source, GradientScheduleAttr schedule,
                TileKernel &function);

  GradientTiles &source;
  GradientScheduleAttr schedule;
  /// Arguments, extents and grid, for Scalars.
  RoleKernel shared;
  std::array<mlir::Value, 6> maps;

  SmemOp queries, keys, values, dOuts, dScores, dKeys, dValues;
  RowsOp lse, delta;
  RingOp keyRing, queryRing, dOutRing, scoreRing;
  /// P, by output only.
  SmemOp weights;
  RingOp weightRing;
  /// Of a pair: the other block's keys, those columns that this one adds,
  /// by 64.
  SmemOp otherKeys;

  /// Where sums of d_query are ordered: what tickets are drawn from, and how
  /// far each block has come; whose turn it is, and what has been added, tile
  /// by tile of dS.
  mlir::Value counter, counts;
  RingOp turnRing, addedRing;

  /// Where blocks take several tiles: their numbers, which come before their
  /// keys.
  RingOp tileRing;
  /// By which the second block of a pair gets them from the first.
  RingOp inbox;

  /// Where other launches have become blocks of this one, a block's number
  /// among those with roles.
  mlir::Value number;
  /// There, and where no launch clears the sums, a count per head (y and z of
  /// the grid), what it is when the head is prepared, and when all have added.
  mlir::Value heads, prepared, all;

  /// What consumers do in the end, if anything.
  std::function<void(mlir::OpBuilder &)> afterTiles;

  /// The workspace of d_query, in the kernel.
  mlir::Value sums();

  bool isJoined() const { return static_cast<bool>(number); }

  /// Key tiles of a block.
  int64_t tiles() const { return schedule.getByOutput() ? 1 : 2; }
  /// Blocks that add up d_query together: each adds half of the columns, for
  /// the keys of both.
  int64_t blocks() const { return schedule.getCluster(); }
  bool isPaired() const { return blocks() == 2; }
  /// Key tiles whose query tiles are visited together.
  int64_t tilesTogether() const { return tiles() * blocks(); }

  bool isOrdered() {
    return source.loops.front().sum.getMode() == AccumulateMode::Ordered;
  }

  /// All of dS comes to the product for d_query in registers.
  bool readsAllScores() {
    return schedule.getScoreSteps() * 16 == tiles() * kBlockRows;
  }
  Scheduler scheduler() {
    if (isOrdered() || isJoined())
      return Scheduler::Ticket;
    return isPersistent() ? Scheduler::Drawn : Scheduler::None;
  }
  /// Blocks take tiles one after another.
  bool isPersistent() { return schedule.getPersistent() && !isOrdered(); }

  CursorType cursorType() {
    return CursorType::get(schedule.getContext(), schedule.getStages());
  }
  CursorType cursorTypeOf(RingOp ring) {
    return CursorType::get(
        schedule.getContext(),
        mlir::cast<RingType>(ring.getResult().getType()).getStages());
  }
  CursorType scoreCursorType() {
    return CursorType::get(schedule.getContext(), schedule.getScoreStages());
  }
  CursorType weightCursorType() {
    return CursorType::get(schedule.getContext(), schedule.getWeightStages());
  }
};

/// What a block works on: y and z of the source's grid (index), its first key
/// tile (i32).
struct GradientBlock {
  mlir::Value first, y, z;
  /// Its own number (i32).
  mlir::Value number;
  /// Of a pair, which of the two it is, and the first key tile of both (i32).
  mlir::Value rank, firstOfBoth;
  /// y and z as one (i32).
  mlir::Value slice;
  /// Where the block's count is, and that of the block with the keys before;
  /// that does not exist for the first ones (i32, i32, i1).
  mlir::Value count, countBefore, isFirst;

  static GradientBlock decode(mlir::OpBuilder &b, GradientRoles &k,
                              mlir::Value number);
  /// What key tile `tile` (i32) of the block sees.
  Scalars scalarsOf(mlir::OpBuilder &b, GradientRoles &k, Scalars &role,
                    mlir::Value tile) const;
  /// Of those whose query tiles are visited together.
  Scalars scalarsTogether(mlir::OpBuilder &b, GradientRoles &k, Scalars &role,
                          mlir::Value tile) const;
};

/// The rows of all query tiles that a block needs, begin and end (i32); at
/// least one tile. Null after an error.
std::pair<mlir::Value, mlir::Value> blockRows(mlir::OpBuilder &b,
                                              GradientRoles &k, Scalars &role,
                                              const GradientBlock &block);

/// A loop over the query heads of the block's key head, if there are several;
/// `body` gets and returns what is carried.
using CarryBody =
    llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(
        Scalars &, mlir::ValueRange)>;
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
forEachGroup(mlir::OpBuilder &b, GradientRoles &k, const Scalars &scalars,
             mlir::ValueRange carried, CarryBody body);

/// Each fails after an error.
mlir::LogicalResult buildLoader(GradientRoles &k);
mlir::LogicalResult buildQueryRole(GradientRoles &k);
mlir::LogicalResult buildKeyRole(GradientRoles &k);
/// Where sums of d_query are ordered.
mlir::LogicalResult buildOrderRoles(GradientRoles &k);
/// Both, by output.
mlir::LogicalResult buildOutputRoles(GradientRoles &k);

} // namespace fa::fagpu

#endif // FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTKERNEL_H
