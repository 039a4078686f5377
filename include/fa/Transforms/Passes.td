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

#endif // FA_TRANSFORMS_PASSES_TD
