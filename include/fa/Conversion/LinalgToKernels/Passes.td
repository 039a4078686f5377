//===- Passes.td - linalg to plain GPU kernels -------------*- tablegen -*-===//

#ifndef FA_CONVERSION_LINALGTOKERNELS_PASSES_TD
#define FA_CONVERSION_LINALGTOKERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FACopyResults : Pass<"fa-copy-results", "::mlir::ModuleOp"> {
  let summary = "every result of a function is a buffer of its own";
  let description = [{
    Matches the results of public functions of one block that are memrefs with the identity layout. One that is neither an
    argument nor a view of a `memref.alloc` of the function that no earlier result is of (a constant, what a loop
    carries, one buffer returned twice) is copied into a new buffer: the caller allocates results.

    Leaves alone: all else. Numerics: preserved.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def FALinalgToKernels : Pass<"fa-linalg-to-kernels", "::mlir::ModuleOp"> {
  let summary = "each linalg op on memrefs becomes a GPU kernel, one thread per element";
  let description = [{
    Matches structured linalg ops (`linalg.generic`, `linalg.contract`, `linalg.fill`, ...) and `memref.copy` between
    strided memrefs, or of a constant, in host functions. Each becomes a `gpu.func` of one `gpu.module` and a `gpu.launch_func`: a thread per
    point of the parallel dimensions, the last of them fastest, and a sequential loop per reduction dimension, whose
    running value stays in registers. Nothing is tiled or fused: what `--fa-decompose` leaves becomes standard attention, with the score
    matrix in memory, the baseline that everything else is compared with.

    An op with tensor operands is an error. Leaves alone: everything else.
    Numerics: preserved; sums are added in order.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def FASinkGlobals : Pass<"fa-sink-globals", "::mlir::ModuleOp"> {
  let summary = "constants in memory go into the kernels that read them";
  let description = [{
    Matches operands of `gpu.launch_func` that are `memref.get_global`, or views of one by constants, of a kernel that is
    launched in one place. The global is copied into the kernel's `gpu.module`, and the kernel reads it there: a host program
    has no constants. A global that nobody reads any more is erased.

    Leaves alone: all other operands and uses. Numerics: preserved.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif // FA_CONVERSION_LINALGTOKERNELS_PASSES_TD
