//===- Passes.td - from tile programs to the CPU -----------*- tablegen -*-===//

#ifndef FA_CONVERSION_FATOCPU_PASSES_TD
#define FA_CONVERSION_FATOCPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def FACheckShapes : Pass<"fa-check-shapes"> {
  let summary = "check at run time that extents and offsets of an attention agree";
  let description = [{
    Inserts a `cf.assert` before each `fa.attention` and `fa.attention_backward` for every two operands that share a dimension of the domain of which
    the verifier does not know that it has one extent. Offsets of packed sequences are read: they must not be negative,
    descend or end past the rows, and no sequence may be longer than a bias, mask or capture that is indexed within it.
    Compiled code for the CPU never reads outside of its arguments after that. Kernels for GPUs clip offsets where they use them:
    there the host looks at shapes only, with `offsets=false`, for to read offsets it has to wait for the device.

    `most-extent` is for kernels that count in 32 bits: it also asserts that no dimension of the domain, no dimension of a
    capture that arrives whole, no base and no offset is larger (or below its negative). A static extent that is
    larger is an error.

    Leaves alone: other static extents, and contents of lengths, which are clipped where they are used. Numerics: none.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"offsets", "offsets", "bool", "true", "read and check the contents of offsets">,
    Option<"mostExtent", "most-extent", "int64_t", "0", "the most that an extent, base or offset may be; 0: anything">,
  ];
}

def FACheckAllocations : Pass<"fa-check-allocations"> {
  let summary = "check at run time that memory of a possible size is asked for";
  let description = [{
    Inserts a `cf.assert` before each `memref.alloc` of a dynamic size: no extent is negative, and there are fewer than 2^47
    elements. Extents that a caller passes as numbers then cannot make the product of sizes wrap around to a small
    allocation that is written past its end.

    Leaves alone: static shapes, `memref.alloca`. Numerics: none.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect"];
}

def FAPrepareTensors : Pass<"fa-prepare-tensors"> {
  let summary = "source programs in ops that bufferize and have loops";
  let description = [{
    For what surrounds attention. On tensors, it rewrites

    - `linalg.softmax` and the other ops that upstream can decompose, `linalg.pack` and `linalg.unpack`, into `linalg` ops with loops,
      `tensor.pad` and reshapes;
    - the shape of a `tensor.reshape` to `index`, because lowering reads integers of any width as indices;
    - `ub.poison` to `tensor.empty`.

    It erases `memref.dealloc`: the pipelines free by themselves what a function allocates; one of memory from elsewhere is an error.

    Leaves alone: every other op. Numerics: none.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def FAPrefixSymbols : Pass<"fa-prefix-symbols", "::mlir::ModuleOp"> {
  let summary = "names of functions and globals that no library has";
  let description = [{
    Renames every function with a body and every `memref.global` of the module from `x` to `fa.x`, so that what compiled code
    calls of the C library (`malloc`, `memcpy`, `expf`) is never a function of the program. The C wrapper that
    `--llvm-request-c-wrappers` asks for is called `_mlir_ciface_fa.x` then.

    Leaves alone: declarations, which are functions of a library. Numerics: none.
  }];
}

def FAPackContractions : Pass<"fa-pack-contractions"> {
  let summary = "operands of tile contractions in the order and type that a CPU multiplies in";
  let description = [{
    Matches `linalg.contract` of two-dimensional tensors of static shape with one reduction dimension. An operand of
    another float type is converted to the result's type, and a left operand that is not (row, reduction) or a right one that is
    not (reduction, column) is transposed, both as ops of their own: those of a query tile leave the key loop by
    `--fa-hoist-in-tiles`.

    Leaves alone: every other op. Numerics: none; `linalg.contract` converts its operands itself.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"];
}

def FAHoistInTiles : Pass<"fa-hoist-in-tiles"> {
  let summary = "work that loops over tiles repeat, before them";
  let description = [{
    Loop-invariant code motion, as upstream's, for every loop but `scf.forall`: what the body of a tile program computes becomes
    buffers of that body (`--fa-place-tile-buffers`); outside they would be allocations that nobody frees.

    Leaves alone: ops with memory effects. Numerics: none.
  }];
}

def FADropFastMath : Pass<"fa-drop-fast-math"> {
  let summary = "conversions between float types without fast-math flags";
  let description = [{
    Removes the flags of `arith.extf` and `arith.truncf`, which upstream's extension of `math` ops to f32 sets. LLVM has none there,
    and the flags would stay as attributes that tools for the llvm dialect cannot parse.

    Leaves alone: every other op. Numerics: none.
  }];
}

def FAPlaceTileBuffers : Pass<"fa-place-tile-buffers"> {
  let summary = "buffers of tiles on the stack, out of the loops";
  let description = [{
    Moves every `memref.alloc` of static shape inside the `scf.forall` of a tile program (it has `fa.schedule`) to the start of the forall's body, as an
    aligned `memref.alloca`. `--fa-outline-tiles` makes the body a function, so that this memory lives as long as
    one iteration and belongs to one thread. Tiles of more than `limit` bytes in one body are an error at the forall.

    Needs loops that do not carry buffers allocated inside them, as one-shot bufferization makes by default.
    Leaves alone: buffers of dynamic shape, other loops, and all outside. Numerics: none.
  }];
  let options = [Option<"limit", "limit", "int64_t", "4 << 20", "most bytes of tiles in one iteration">];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def FAOutlineTiles : Pass<"fa-outline-tiles", "::mlir::ModuleOp"> {
  let summary = "the body of each scf.forall as a function, called in a loop";
  let description = [{
    Matches `scf.forall` without results that is not inside another one. Its body becomes a private function of the positions
    and of the values that it reads (constants are cloned into it), and the forall a nest of `scf.for` that calls it.

    Leaves alone: `scf.forall` on tensors. Numerics: none.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect"];
}

def FAOutlineLoops : Pass<"fa-outline-loops", "::mlir::ModuleOp"> {
  let summary = "the loops of a function with many as functions of their own";
  let description = [{
    Matches outermost `scf.for` without results in a function that has more than `limit` outermost loops. Each becomes a
    private function of the values that it reads (constants are cloned into it). LLVM asks about each loop what every branch
    before it says, so its time for one long function grows with the square of the number of loops; a model has hundreds.

    Leaves alone: loops with results, and functions with few loops. Numerics: none.
  }];
  let options = [Option<"limit", "limit", "int64_t", "8", "most outermost loops that stay in one function">];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

def FAVectorizeTiles : Pass<"fa-vectorize-tiles"> {
  let summary = "linalg on buffers of static shape to loops over register-sized vectors";
  let description = [{
    Matches `linalg` ops on memrefs of static shape with rows of unit stride and makes them `scf.for` loops with `vector` ops
    inside, `vector-bits` wide:

    - a contraction (i, k) x (k, j): blocks of some rows by two vectors of columns stay in registers over the whole reduction
      (8 rows for 512 bits, 4 else), one fused multiply-add per vector and row and k;
    - a two-dimensional transpose: square blocks, transposed by shuffles in registers;
    - elementwise ops and reductions along the last dimension by addf, maxnumf, minnumf, ...: one vector of the last loop at a time.
      A row operand is broadcast; `linalg.index` and whole captures work.

    Vectors are as wide as the widest element type allows, shortened to a power of 2 that divides the loop. Leaves alone what
    has no such vector (complex numbers, integers that fill no bytes), other access patterns and bodies with ops that have no vector form. Numerics: sums are of `vector-bits`
    partial sums, products and sums of a contraction are fused.
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", "256", "width of a vector register">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def FAExpandMath : Pass<"fa-expand-math"> {
  let summary = "exp2, exp, log, log2 and tanh of f32 vectors as polynomials";
  let description = [{
    Rewrites these ops of `math` on vectors of f32 into arithmetic. exp2 and exp: reduction to [-1/2, 1/2] and a
    polynomial of degree 6, relative error below 1.2e-7; results below 2^-125 are 0. tanh: a polynomial
    up to 0.625, exp beyond, error below 1.7 units in the last place. log is upstream's approximation. Infinities and NaN are as in the C library.

    Leaves alone: scalars and other types, which call the C library. Numerics: as said.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def FAExpandTruncations : Pass<"fa-expand-truncations"> {
  let summary = "f64 to bf16 by way of f32, rounded once";
  let description = [{
    Matches `arith.truncf` from f64 to bf16, of scalars and vectors, which LLVM makes a call of a function that C libraries do
    not have. The number goes to f32 first, and where that is inexact to the neighbour whose last bit is 1: the rounding to
    bf16 after it is then that of the f64.

    Leaves alone: other types, and a `truncf` with a rounding mode of its own. Numerics: exact.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // FA_CONVERSION_FATOCPU_PASSES_TD
