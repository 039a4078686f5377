//===- Specialize.h - from a tile program's kernel to roles ---------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUHOPPER_SPECIALIZE_H
#define FA_LIB_CONVERSION_FAGPUHOPPER_SPECIALIZE_H

#include "../FAGPU/Distribution.h"
#include "TileKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fa::fagpu {

/// An extent of a buffer that the kernel asks for.
struct Extent {
  mlir::BlockArgument buffer;
  int64_t dim;
  bool operator==(const Extent &other) const {
    return buffer == other.buffer && dim == other.dim;
  }
};

/// The new kernel and what its arguments stand for.
struct RoleKernel {
  RoleKernel(TileKernel &source, WarpScheduleAttr schedule)
      : source(source), schedule(schedule) {}

  TileKernel &source;
  WarpScheduleAttr schedule;
  KernelOp kernel;
  /// Tensor maps, in the order of TileKernel::movedBuffers.
  std::array<mlir::Value, 4> maps;
  /// Arguments of the source that stay, and theirs in the kernel.
  llvm::SmallVector<mlir::BlockArgument> kept;
  llvm::SmallVector<mlir::Value> keptHere;
  /// Extents, and their i32 arguments.
  llvm::SmallVector<Extent> extents;
  llvm::SmallVector<mlir::Value> extentsHere;
  /// The source's grid: its x and y, blocks of this kernel along x, slices (y
  /// times z), slices whose blocks take turns. All i32.
  mlir::Value gridX, gridY, groups, slices, together, total;
  /// Of the dynamic scheduler.
  mlir::Value counter;
  /// Whether the range of keys depends on the query tile, and whether blocks
  /// follow each other through their tiles.
  bool rangesDiffer = false, follows = false;
  /// Whether blocks of several slices have numbers in turns.
  bool slicesTakeTurns() { return rangesDiffer || follows; }

  SmemOp queries, keys, values;
  /// Null: outputs go through the queries' memory.
  SmemOp outputs;
  RingOp queryRing, keyRing, valueRing;

  int64_t consumers() { return schedule.getConsumers(); }
  /// Of the ring of queries, and the number of a consumer's tile (i32) there.
  CursorType queryCursorType() {
    return CursorType::get(schedule.getContext(), schedule.getQuerySlots());
  }
  mlir::Value queryIndex(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value cursor, mlir::Value consumer);
  CursorType cursorType() {
    return CursorType::get(schedule.getContext(), schedule.getStages());
  }
};

/// An index as an i32, and what it lies between.
struct Narrow {
  mlir::Value value;
  double low = 0, high = 0;

  bool isNatural() const { return low >= 0; }
};

/// Clones scalars of the source kernel into a role, for one query tile.
class Scalars {
public:
  /// At the top of a role: arguments and extents.
  Scalars(mlir::OpBuilder &b, RoleKernel &kernel);

  /// The same, as block (x, y, z) of the source's grid sees it; all index.
  Scalars inBlock(mlir::Value x, mlir::Value y, mlir::Value z);

  /// `v` and all that it needs, at the builder. Emits an error and returns null
  /// where that is not arithmetic.
  mlir::Value get(mlir::OpBuilder &b, mlir::Value v);
  /// The same as an i32, computed in 32 bits where that is known to be exact.
  mlir::Value getI32(mlir::OpBuilder &b, mlir::Value v);
  /// An extent, i32.
  mlir::Value extent(mlir::OpBuilder &b, mlir::Location loc, mlir::Value buffer,
                     int64_t dim);

  mlir::IRMapping map;

private:
  std::optional<Narrow> getNarrow(mlir::OpBuilder &b, mlir::Value v);
  std::optional<Narrow> makeNarrow(mlir::OpBuilder &b, mlir::Value v);
  std::optional<Narrow> narrowSelect(mlir::OpBuilder &b,
                                     mlir::arith::SelectOp select);
  mlir::Value narrowCompare(mlir::OpBuilder &b, mlir::arith::CmpIOp cmp);

  RoleKernel *kernel;
  llvm::DenseMap<mlir::Value, std::optional<Narrow>> narrow;
};

/// What a number of the persistent loop stands for: (slice, group), the group
/// faster; where slices take turns (set of slices, group, slice in the set).
struct GroupOfSlice {
  /// The group (i32), y and z of the source's grid (index).
  mlir::Value group, y, z;

  static GroupOfSlice decode(mlir::OpBuilder &b, RoleKernel &kernel,
                             mlir::Value number);
};

/// What a tile number of the persistent loop means.
struct BlockTile {
  /// First query tile (i32), y and z of the source's grid (index). Where ranges
  /// of keys differ, blocks end with the last query tile and the first ones of
  /// the last block may not exist: those see the fewest keys.
  mlir::Value first, y, z;

  static BlockTile decode(mlir::OpBuilder &b, RoleKernel &kernel,
                          mlir::Value tile);
  /// x of the source's grid for consumer `number` (i32); of the first query
  /// tile where its own does not exist.
  mlir::Value blockX(mlir::OpBuilder &b, RoleKernel &kernel,
                     mlir::Value number) const;
  /// Whether the query tile of consumer `number` does not exist.
  mlir::Value isMissing(mlir::OpBuilder &b, RoleKernel &kernel,
                        mlir::Value number) const;
};

/// Keys of one query tile: where its loops meet, i32, in ascending order. Never
/// empty: a tile that sees nothing, or is missing (i1 or null), gets one key
/// tile.
llvm::SmallVector<mlir::Value> keyBounds(mlir::OpBuilder &b, RoleKernel &kernel,
                                         Scalars &scalars,
                                         mlir::Value isMissing);
/// Begin and end of the keys that any consumer of a block needs.
std::pair<mlir::Value, mlir::Value> blockKeys(mlir::OpBuilder &b,
                                              RoleKernel &kernel, Scalars &role,
                                              const BlockTile &tile);

/// Coordinates of a tile in its tensor map: the row, then outer ones.
llvm::SmallVector<mlir::Value>
coordinatesOf(mlir::OpBuilder &b, Scalars &scalars, mlir::MemRefType type,
              mlir::ValueRange offsets, llvm::ArrayRef<int64_t> tileDims);

/// Both fail after an error.
mlir::LogicalResult buildProducer(RoleKernel &kernel);
mlir::LogicalResult buildConsumer(RoleKernel &kernel);

/// Launches `kernel` instead of its source where TMA can address the buffers.
void buildLaunch(RoleKernel &kernel, mlir::gpu::LaunchFuncOp launch);

} // namespace fa::fagpu

#endif // FA_LIB_CONVERSION_FAGPUHOPPER_SPECIALIZE_H
