//===- OneLaunch.h - launches that become blocks of one kernel --*- C++ -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUHOPPER_ONELAUNCH_H
#define FA_LIB_CONVERSION_FAGPUHOPPER_ONELAUNCH_H

#include "GradientKernel.h"

namespace fa::fagpu {

/// What the host knows about a launch of the kernel with roles; all index.
struct RoleLaunch {
  mlir::gpu::LaunchFuncOp launch;
  mlir::Value groups, slices, together, total;
};

/// The tile program in the end: sums of d_query, rounded and stored.
struct RoundingTiles {
  mlir::linalg::GenericOp compute;
  StoreTileOp store;

  /// Nothing where it is something else.
  static std::optional<RoundingTiles> match(mlir::gpu::GPUFuncOp function);

  /// The last of what is computed.
  mlir::arith::TruncFOp rounding();
};

/// On the host, a count per head that is 0 before every launch.
mlir::Value allocateHeadCounts(mlir::OpBuilder &b, mlir::Location loc,
                               mlir::Value slices);

/// The launches that prepare and finish, as blocks of the one with roles.
class OneLaunch {
public:
  /// Nothing where they have to stay apart.
  static std::optional<OneLaunch> match(GradientRoles &k,
                                        mlir::gpu::LaunchFuncOp launch);

  /// When the kernel has its arguments: what its blocks draw.
  void draw();
  /// When its roles and its launch are there: the other blocks.
  void join(const RoleLaunch &with);

private:
  /// A launch that joins; the kernel's arguments for its grid (i32).
  struct Source {
    mlir::gpu::LaunchFuncOp launch;
    mlir::gpu::GPUFuncOp function;
    mlir::Value gridX, gridY;
  };

  /// Parts of the kernel.
  static constexpr int64_t kPreparing = 1, kFinishing = 2;

  explicit OneLaunch(GradientRoles &k) : k(k) {}

  bool find(mlir::gpu::LaunchFuncOp launch);
  bool addUsers(mlir::Value memory, mlir::gpu::LaunchFuncOp launch);
  bool add(mlir::gpu::LaunchFuncOp other, llvm::SmallVector<Source> &to);
  bool areAlone(mlir::gpu::LaunchFuncOp launch);

  mlir::Value addArgument(mlir::Type type);
  void addNumbers(const RoleLaunch &with);
  mlir::Value argumentFor(mlir::Value operand);
  void prepare();
  void finish();
  /// Clones a tile program but for what stores d_query.
  mlir::IRMapping clone(mlir::OpBuilder &b, Source &source, mlir::Value tile);
  void storeWhole(mlir::OpBuilder &b, mlir::IRMapping &map);
  void storeParts(mlir::OpBuilder &b, mlir::IRMapping &map);

  GradientRoles &k;
  llvm::SmallVector<Source> before, after;
  RoundingTiles rounding;
  /// The kernel's arguments: of the draw, and what tiles there are (i32).
  mlir::Value counter, prepareBlocks, lead, mainStep, finishStep, steps, blocks,
      tiles, stepTiles;
  /// Of its launch: what stands for its arguments.
  mlir::gpu::LaunchFuncOp launch;
  llvm::DenseMap<mlir::Value, mlir::Value> passed;
};

} // namespace fa::fagpu

#endif // FA_LIB_CONVERSION_FAGPUHOPPER_ONELAUNCH_H
