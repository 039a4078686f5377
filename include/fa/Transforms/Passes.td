//===- Passes.td - passes over attention -------------------*- tablegen -*-===//

#ifndef FA_TRANSFORMS_PASSES_TD
#define FA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FADecompose : Pass<"fa-decompose"> {
  let summary = "fa ops on whole tensors to naive linalg: the golden reference";
  let description = [{
    Matches `fa.attention`, `fa.online_attention`, `fa.merge` and `fa.finalize` on tensors or memrefs and rewrites each
    into `linalg` that says what it means, with the whole score matrix in memory: the reference for every other
    lowering and the O(N^2) baseline. Every operand, attribute and region is supported.

    Leaves alone: everything else. Numerics: defines them. The order of additions within a contraction is that of
    upstream's lowering of `linalg`.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::bufferization::BufferizationDialect"];
}

def FAPromoteToF64 : Pass<"fa-promote-to-f64", "::mlir::ModuleOp"> {
  let summary = "the same program with every float type replaced by f64: the reference for errors";
  let description = [{
    Replaces every float type of at most 64 bits by f64, in types, constants and attributes (function signatures
    too), and drops the conversions between float types that this leaves without effect. With `--fa-decompose`
    it gives the float64 result that errors are measured against.

    Refuses `arith.bitcast` from or to floats. Leaves alone: integers, tf32-like attributes. Numerics: changes
    rounding, that is its purpose; constants keep the value that they had in their narrow type.
  }];
}

#endif // FA_TRANSFORMS_PASSES_TD
