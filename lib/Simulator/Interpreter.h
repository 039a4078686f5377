//===- Interpreter.h - the ops of one agent -------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_SIMULATOR_INTERPRETER_H
#define FA_LIB_SIMULATOR_INTERPRETER_H

#include "Machine.h"
#include "Scalars.h"
#include "fa/Dialect/FA/IR/FA.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>
#include <unordered_map>

namespace fa::simulator {

/// What a value holds at run time: one of these, by its type.
struct Datum {
  Scalar scalar;
  /// A cursor is how many slots its ring has passed.
  int64_t count = 0;
  std::shared_ptr<Tile> tile;
  /// Tiles in shared memory that a value in flight reads, and how many loads
  /// each had seen.
  std::vector<std::pair<SharedTile *, int64_t>> reads;
};

/// What all agents of a launch share.
struct Launch {
  mlir::Region &body;
  llvm::ArrayRef<SimulatedArgument> arguments;
  const SimulationOptions &options;
  Turns &turns;
  /// The tickets of the blocks that have set each count.
  std::map<const double *, int64_t> setters = {};
  /// Of those that have added to each count since it was 0.
  std::map<const double *, std::vector<int64_t>> adders = {};
  /// The ticket of the last block that has added to a tile, by its first
  /// element.
  std::map<const double *, int64_t> lastAdders = {};
  /// What each block has drawn, or each pair.
  std::map<int64_t, std::vector<int64_t>> drawn = {};
};

/// Runs the role of one agent.
class Interpreter {
public:
  Interpreter(Launch &launch, Block &block, Agent &agent);
  mlir::LogicalResult run();
  /// Of a kernel without roles: all of it, as a block of the grid at `place`.
  mlir::LogicalResult runBlockOfGrid(llvm::ArrayRef<int64_t> place,
                                     llvm::ArrayRef<int64_t> grid);

private:
  using Results = llvm::SmallVector<Datum>;

  mlir::LogicalResult runBlock(mlir::Block &block, Results &yielded);
  mlir::LogicalResult runOp(mlir::Operation *op);
  mlir::LogicalResult runScalar(mlir::Operation *op);
  mlir::LogicalResult runFor(mlir::scf::ForOp op);
  mlir::LogicalResult runIf(mlir::scf::IfOp op);
  mlir::LogicalResult runWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult takeTile(fagpu::TakeTileOp op);
  /// Of what the role works on, or of the block.
  int64_t ticket() const {
    return agent.ticket >= 0 ? agent.ticket : block.ticket;
  }
  mlir::LogicalResult runNumbers(fagpu::ForEachNumberOp op);
  mlir::LogicalResult clear(fagpu::ClearOp op);
  mlir::LogicalResult roundFragments(fagpu::RoundFragmentsOp op);
  mlir::FailureOr<int64_t> drawTile(fagpu::ForEachTileOp op, int64_t count);
  /// The next ticket becomes the block's.
  mlir::LogicalResult takeTicket(mlir::Operation *op, mlir::Value counter);
  mlir::LogicalResult draw(fagpu::DrawOp op);
  mlir::LogicalResult runTiles(fagpu::ForEachTileOp op);
  mlir::LogicalResult runLinalg(mlir::linalg::LinalgOp op);
  mlir::LogicalResult runPartialSums(fagpu::PartialSumsOp op);
  mlir::LogicalResult runConstant(mlir::arith::ConstantOp op);

  mlir::LogicalResult acquire(mlir::Operation *at, mlir::Value ring,
                              int64_t count);
  /// Without taking the slot.
  mlir::LogicalResult pauseUntilFull(mlir::Operation *op, mlir::Value ring,
                                     int64_t count);
  mlir::LogicalResult waitFull(mlir::Operation *at, mlir::Value ring,
                               int64_t count);
  mlir::LogicalResult commit(fagpu::CommitOp op);
  mlir::LogicalResult arriveFull(mlir::Operation *at, mlir::Value ring,
                                 int64_t count, int64_t bytes);
  mlir::LogicalResult release(fagpu::ReleaseOp op);
  mlir::LogicalResult send(fagpu::SendOp op);
  mlir::LogicalResult clearTail(fagpu::ClearTailOp op);
  mlir::LogicalResult awaitCount(fagpu::AwaitCountOp op);
  mlir::LogicalResult setCount(fagpu::SetCountOp op);
  mlir::LogicalResult addCount(fagpu::AddCountOp op);
  mlir::LogicalResult awaitTurn(fagpu::AwaitTurnOp op);
  mlir::LogicalResult passTurn(fagpu::PassTurnOp op);
  mlir::LogicalResult pause(mlir::Operation *at,
                            std::function<bool()> canGo = nullptr);

  mlir::LogicalResult loadTile(LoadTileOp op);
  mlir::LogicalResult storeTile(StoreTileOp op);
  mlir::LogicalResult storeThrough(fagpu::StoreThroughOp op);
  template <typename OpTy> mlir::LogicalResult storeWhole(OpTy op);
  mlir::LogicalResult storeClipped(mlir::Operation *op, const Tile &source,
                                   mlir::Value to,
                                   llvm::ArrayRef<int64_t> offsets,
                                   int64_t limit,
                                   llvm::ArrayRef<int64_t> tileDims);
  mlir::LogicalResult loadElement(mlir::memref::LoadOp op);
  mlir::LogicalResult tmaLoad(fagpu::TmaLoadOp op);
  mlir::LogicalResult writeForStore(fagpu::TmaStoreOp op,
                                    simulator::SharedTile &tile);
  mlir::LogicalResult tmaStore(fagpu::TmaStoreOp op);
  mlir::LogicalResult storeRows(fagpu::StoreRowsOp op);
  mlir::LogicalResult wgmma(fagpu::WgmmaOp op);
  mlir::LogicalResult wait(fagpu::WgmmaWaitOp op);
  mlir::LogicalResult scaleRows(fagpu::ScaleRowsOp op);
  mlir::LogicalResult pack(fagpu::PackOp op);
  mlir::LogicalResult bulkLoad(fagpu::BulkLoadOp op);
  mlir::LogicalResult readCols(fagpu::ReadColsOp op);
  mlir::LogicalResult storeFragments(fagpu::StoreFragmentsOp op);
  mlir::LogicalResult readFragments(fagpu::ReadFragmentsOp op);
  mlir::LogicalResult mulPacked(fagpu::MulPackedOp op);
  void replaceHead(fagpu::WgmmaOp op, std::vector<double> &a, int64_t k);
  mlir::LogicalResult reduceAdd(fagpu::ReduceAddOp op);
  mlir::LogicalResult loadFragments(fagpu::LoadFragmentsOp op);
  mlir::LogicalResult putFragments(fagpu::PutFragmentsOp op);
  mlir::LogicalResult readExtent(mlir::memref::DimOp op);
  mlir::LogicalResult readGrid(mlir::Operation *op, mlir::gpu::Dimension dim,
                               llvm::ArrayRef<int64_t> of);
  /// An operand of wgmma as rows of columns; empty after an error.
  std::vector<double> operandOf(mlir::Operation *at, mlir::Value smem,
                                mlir::Value index, int64_t tiles,
                                Datum &reader);

  Datum &at(mlir::Value v) { return values[v]; }
  int64_t integer(mlir::Value v) { return values[v].scalar.i; }
  Ring &ringOf(mlir::Value v) { return block.rings[v.getDefiningOp()]; }
  int64_t &mailboxOf(mlir::Value ring, int64_t count) {
    auto &slots = ringOf(ring).slots;
    return slots[count % slots.size()].mailbox;
  }
  SharedTile *tileOf(mlir::Value smem, mlir::Value index);
  SimulatedBuffer *bufferOf(mlir::Operation *op, mlir::Value argument);
  /// Element `index` of counts; null after an error.
  double *countOf(mlir::Operation *op, mlir::Value counts, mlir::Value index);
  /// The tensor map that an argument is; without a buffer after an error.
  SimulatedMap mapOf(mlir::Operation *op, mlir::Value argument);
  /// A tile of shared memory that the agent may read, or null and an error.
  SharedTile *readable(mlir::Operation *op, mlir::Value smem,
                       mlir::Value index);

  llvm::ArrayRef<int64_t> place, grid;
  Launch &launch;
  Block &block;
  Agent &agent;
  struct HashValue {
    size_t operator()(mlir::Value v) const { return hash_value(v); }
  };
  /// References to what is in it must stay good while more comes in.
  std::unordered_map<mlir::Value, Datum, HashValue> values;
};

} // namespace fa::simulator

#endif // FA_LIB_SIMULATOR_INTERPRETER_H
