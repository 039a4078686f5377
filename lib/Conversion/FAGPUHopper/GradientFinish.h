//===- GradientFinish.h - sums that the kernel rounds itself ----*- C++ -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTFINISH_H
#define FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTFINISH_H

#include "OneLaunch.h"

namespace fa::fagpu {

/// Instead of a launch that rounds the sums of d_query: warps of persistent
/// blocks that have nothing else to do round those of heads that are done.
class GradientFinish {
public:
  /// Nothing where it has to stay a launch. The kernel clears the sums itself.
  static std::optional<GradientFinish> match(GradientRoles &k,
                                             mlir::gpu::LaunchFuncOp launch);

  /// When the kernel has its arguments: more of them.
  void declare();
  /// The roles that round.
  void build();
  /// When the kernel's launch is there. Returns how many parts of each head are
  /// rounded, which are counted (index).
  mlir::Value join(const RoleLaunch &with);

private:
  explicit GradientFinish(GradientRoles &k) : k(k) {}

  void finish(mlir::OpBuilder &b);
  int64_t parts();
  void round(mlir::OpBuilder &b, mlir::Value number);
  mlir::IRMapping cloneScalars(mlir::OpBuilder &b, mlir::Value tile);
  bool find(mlir::gpu::LaunchFuncOp launch);
  bool isAlone(mlir::gpu::LaunchFuncOp launch);

  GradientRoles &k;
  mlir::gpu::LaunchFuncOp finishing;
  mlir::gpu::GPUFuncOp function;
  RoundingTiles tiles;
  /// The kernel's arguments for those of `function`.
  llvm::SmallVector<mlir::Value> passed;
  /// What parts of query tiles are taken from and how many numbers are; how
  /// many of them are parts, and parts of a head; the grid of `function` (i32).
  mlir::Value taken, draws, all, ofHead, gridX, gridY;
};

} // namespace fa::fagpu

#endif // FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTFINISH_H
