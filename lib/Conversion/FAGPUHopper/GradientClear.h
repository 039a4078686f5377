//===- GradientClear.h - sums that the kernel clears itself -----*- C++ -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTCLEAR_H
#define FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTCLEAR_H

#include "OneLaunch.h"

namespace fa::fagpu {

/// Instead of a launch that clears the sums of d_query: a thread of each
/// persistent block clears those that will be added to some tiles later.
class GradientClear {
public:
  /// Nothing where it has to stay a launch.
  static std::optional<GradientClear> match(GradientRoles &k,
                                            mlir::gpu::LaunchFuncOp launch);

  /// When the kernel has its arguments: more of them.
  void declare();
  /// The role that clears.
  mlir::LogicalResult build();
  /// When the kernel's launch is there. `rounded`: GradientFinish::join, or
  /// null.
  void join(const RoleLaunch &with, mlir::Value rounded);

private:
  explicit GradientClear(GradientRoles &k) : k(k) {}

  bool find(mlir::gpu::LaunchFuncOp launch);

  GradientRoles &k;
  mlir::gpu::LaunchFuncOp clearing;
  mlir::gpu::GPUFuncOp function;
  /// The workspace of the sums.
  mlir::Value memory;
  /// The kernel's arguments: what the first units are taken from and how many
  /// numbers are; how many of these are units; what a unit and the sums of a
  /// head are in parts (i32).
  mlir::Value taken, draws, ahead, unit, ofHead;
};

} // namespace fa::fagpu

#endif // FA_LIB_CONVERSION_FAGPUHOPPER_GRADIENTCLEAR_H
