//===- Passes.td - tile programs to machine programs to NVVM -*- tablegen -*-===//

#ifndef FA_CONVERSION_FAGPU_PASSES_TD
#define FA_CONVERSION_FAGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def FAChooseGPUSchedule : Pass<"fa-choose-gpu-schedule"> {
  let summary = "tile sizes and staging for mma.sync kernels, by head dimension";
  let description = [{
    Puts on every `fa.online_attention`: `fa.schedule` if it has none, `fa.mapping` (loops become the grid, even loops of
    one iteration), and what `--fa-stage-shared` is to do. Registers decide: 128 threads hold the output tile and the score
    tile, both in f32, next to about 60 others of at most 255; and shared memory, of which the smallest GPUs that these
    kernels run on give a block 99 KiB. Where each score takes an element of its own from memory (a bias, mask or capture over
    queries and keys), tiles of head dimensions above 32 have 32 keys. No choice makes ptxas spill. Options override the choice.

    | head dimension | query x key tile | copies | what lost (H200, bf16, TFLOP/s at 4096 and 16384 tokens) |
    |---|---|---|---|
    | up to 64 | 128 x 64 | two stages: 320, 324 | one stage 297, 297; one stage and three blocks per multiprocessor 316, 318 |
    | up to 128 | 128 x 64 | early keys: 330, 348 | late keys 326, 310; 128 x 32 in two stages 324, 334 |
    | up to 192 | 64 x 64 | early keys | |
    | up to 256 | 64 x 64: 295, 294 | early keys | 64 x 32: 252, 246 |

    And on every `fa.attention_backward` `fa.backward_schedule`, if it has none, and how many rows and keys pass by what a block keeps.
    Blocks that keep keys and blocks that keep rows have tiles of their own:

    | head dimension | keys x passing rows | rows x passing keys | time / FlashAttention-2's (H200, bf16, 4096 and 16384 tokens) |
    |---|---|---|---|
    | up to 64 | 64 x 64 | 128 x 64 | 1.10, 1.16; of 64 rows 1.19, 1.25 |
    | up to 128 | 64 x 48 | 128 x 32 | 1.22, 1.29; 64 x 32 and 64 x 32: 1.32, 1.40 |
    | up to 64, with gradients of biases or captures | 64 x 64 | 128 x 32 | |
    | up to 128, with gradients of biases or captures | 64 x 48 | 64 x 32 | |
    | up to 256 | 64 x 32, d_key and d_value apart | 64 x 32 | |
    | up to 128, memory per score | 64 x 32 | 64 x 32 | |
    | up to 256, memory per score | 64 x 16, d_key and d_value apart | 64 x 16 | |

    At head dimensions from 65 to 128 ptxas spills up to 300 bytes, of which a main loop loads 20 again; what does not spill was slower.

    Leaves alone: everything else. Numerics: as `--fa-tile`.
  }];
  let options = [
    Option<"queryTile", "query-tile", "int64_t", "0", "query rows of a tile; 0: choose">,
    Option<"keyTile", "key-tile", "int64_t", "0", "keys of a tile; 0: choose">,
    Option<"stages", "stages", "int64_t", "0", "buffers per key or value tile: 1 or 2; 0: choose">,
    Option<"earlyKeys", "early-keys", "std::string", "\"\"",
           "true or false: start the next key tile before the softmax; empty: choose">,
    Option<"maxShared", "max-shared", "int64_t", "101376", "bytes of shared memory that a block may use">,
    Option<"dQuery", "d-query", "std::string", "\"recompute\"", "gradients: owned, recompute or atomic, see #fa.backward_schedule">,
    Option<"streamedRows", "streamed-rows", "int64_t", "0", "gradients: query rows that pass by a block's keys; 0: choose">,
    Option<"streamedKeys", "streamed-keys", "int64_t", "0", "gradients: keys that pass by a block's rows; 0: choose">,
    Option<"splitKeys", "split-keys", "std::string", "\"\"",
           "true or false: d_key and d_value by blocks of their own; empty: choose">];
  let dependentDialects = ["::fa::FADialect", "::fa::fagpu::FAGPUDialect", "::mlir::gpu::GPUDialect"];
}

def FAOutlineKernels : Pass<"fa-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "every scf.forall of a tile program becomes a GPU kernel";
  let description = [{
    Matches `scf.forall` without results, outermost in a function, that moves tiles (`fa.load_tile`, `fa.store_tile`).
    Its body becomes a `gpu.func` of the module's one `gpu.module`, and the op a `gpu.launch_func` with 128 threads. The
    innermost dimension is the grid's x, counted from its end: under a causal mask the last query tiles are the
    longest, and long blocks should start first. Of the other dimensions the first is z if there are three or more,
    the rest y. Attributes `fagpu.*` of the loops go to the kernel. Constants, `memref.dim` and tile initialisers used inside are copied into the kernel, other values
    become arguments.

    Leaves alone: all other ops. Numerics: preserved.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::arith::ArithDialect", "::fa::fagpu::FAGPUDialect"];
  let options = [
    Option<"minBlocks", "min-blocks", "int64_t", "0",
           "blocks per multiprocessor that registers must suffice for (nvvm.minctasm); 0: no bound">];
}

def FAAssignLayouts : Pass<"fa-assign-layouts", "::mlir::gpu::GPUModuleOp"> {
  let summary = "give every tile of a kernel its layout";
  let description = [{
    Contractions decide: their result is in `#fagpu.acc`; an operand that `fa.load_tile` made is `#fagpu.shared`, a
    computed left operand `#fagpu.a_op`; without keys, shapes do. From there layouts spread through elementwise and reduction ops, loops
    and branches. `linalg.contract` becomes `fagpu.mma`; the four partial row sums (`tensor.expand_shape` and
    `linalg.reduce`) become `fagpu.partial_sums`.

    An op that would need another change of layout, and a tile that gets none or two, is an error at the op.
    Numerics: preserved.
  }];
  let dependentDialects = ["::fa::fagpu::FAGPUDialect"];
}

def FAWidenRowSums : Pass<"fa-widen-row-sums", "::mlir::gpu::GPUModuleOp"> {
  let summary = "tiles that are only summed along their rows are loaded 16 bytes at a time";
  let description = [{
    Matches a `linalg.generic` that reduces the columns of 16-bit tiles in `#fagpu.acc`, a multiple of 32 wide, each made by a
    `fa.load_tile` and read by nothing else, element by element. It does not matter which thread has which of a row's columns: the loads get
    `fagpu.any_columns`, with which a thread has 8 neighbouring columns.

    Leaves alone: everything else. Numerics: the order of the sum.
  }];
  let dependentDialects = ["::fa::fagpu::FAGPUDialect"];
}

def FASkipRescale : Pass<"fa-skip-rescale", "::mlir::gpu::GPUModuleOp"> {
  let summary = "branch round a rescaling of the output tile by one";
  let description = [{
    Matches a `linalg.generic` that multiplies the rows of a tile in `#fagpu.acc` by factors in `#fagpu.rows` and is read only
    as the accumulator of a `fagpu.mma` of its block. It becomes `fagpu.scale_rows {skip_if_one}` right before the
    contraction: once the maximum of a warp's rows has settled, nothing is multiplied. The branch also ends the
    softmax's basic block, without which ptxas reads the contraction's operands so early that registers run out.

    Leaves alone: all other ops. Numerics: preserved.
  }];
  let dependentDialects = ["::fa::fagpu::FAGPUDialect"];
}

def FAJoinLaunches : Pass<"fa-join-launches", "::mlir::ModuleOp"> {
  let summary = "what clears memory becomes part of the kernel next to it";
  let description = [{
    Matches two `gpu.launch_func` in a row with the same grid and block, of `gpu.func` kernels without tensor cores and shared memory, one of
    which only stores (sums that begin at 0) and into workspaces that the other does not know. They become one: each block
    first stores and then does what the other did. Reading and writing are then under way together, and a launch is saved.

    In a row: between them are no ops with effects other than allocations and assertions; and each is the only launch of its kernel. Leaves
    alone: all other launches. Numerics: preserved.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def FAStageShared : Pass<"fa-stage-shared", "::mlir::ModuleOp"> {
  let summary = "place tiles in shared memory and overlap their copies with compute";
  let description = [{
    Every `fa.load_tile` in `#fagpu.shared` becomes room in shared memory and an asynchronous copy. Tiles loaded
    outside loops are copied where they were loaded. In a loop over key tiles (or several, each of which starts where the one
    before ends) copies run ahead, as attributes of the kernel say:

    - `fagpu.stages = 1` (or absent): one buffer each. Wait for K; start V; S = QK; softmax; wait for V; start the next K; PV. With
      `fagpu.early_keys` the wait for V and the next K come before the softmax: K has longer to arrive, and more registers are
      live while its addresses are formed.
    - `fagpu.stages = 2`: two buffers each. Wait for K and V; start the next K and V; QK; softmax; PV. One barrier per
      tile instead of two, twice the memory.

    A key or value tile of what was a loop of one iteration takes the loops' memory, behind a barrier.
    A 16-bit output tile goes through the memory of a tile that is dead by then (`fagpu.store_through`). Offsets are
    assigned and the launch asks for what the kernel uses; more than `max-shared` bytes is an error at the kernel.

    Numerics: preserved.
  }];
  let dependentDialects = ["::fa::fagpu::FAGPUDialect", "::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
  let options = [
    Option<"maxShared", "max-shared", "int64_t", "101376", "bytes of shared memory that a block may use">];
}

def FASplitLaunches : Pass<"fa-split-launches", "::mlir::ModuleOp"> {
  let summary = "launches with more blocks along y or z than CUDA allows, in parts";
  let description = [{
    CUDA allows 65535 blocks along y and z of a grid, where kernels have heads and batches. A `gpu.launch_func` whose extent there is not
    known to be less becomes a loop of launches of at most 65535, and its kernel takes one more argument for each such dimension, the
    first block of the part, which it adds to `gpu.block_id`. Usually the loop has one iteration; to the kernel it is one addition.

    Leaves alone: x, which may have 2^31 - 1 blocks; extents that are constants within the limit; kernels that are not
    `gpu.func` or that read `gpu.grid_dim` of that dimension. Numerics: none.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def FADistribute : Pass<"fa-distribute", "::mlir::gpu::GPUModuleOp"> {
  let summary = "tiles with layouts to scalars per thread";
  let description = [{
    One type conversion: a tile becomes as many scalars as a thread holds of it (dialect `fagpu` says which). A
    `linalg.generic` becomes its body once per element, except that what depends on the row (or the column) only is
    computed once per row; a reduction over columns is two chains per row in the thread and two shuffles; `fagpu.mma`
    becomes `ldmatrix` and `mma.sync`; copies become `cp.async`. Positions (`linalg.index` and what is added to it)
    are computed in 32 bits where that is exact.

    Anything on a tile that is not covered is an error at the op. Numerics: sums over columns are added in another order.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def FALowerKernelMath : Pass<"fa-lower-kernel-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "math on f32 scalars to what the GPU has instructions for";
  let description = [{
    `math.exp2` to ex2.approx, `math.exp` through it, `math.log`, `math.log2` and `math.log10` to lg2.approx, `math.tanh`
    through ex2 and a division; these flush denormals. Rounding, absolute value and square root are instructions. A
    division by a constant becomes a product with its reciprocal. Other
    functions (sin, cos, erf, atan, pow, log1p ...) become upstream's polynomials and formulas for f32.

    A function that none of this covers, and any float function on a type other than f32, is an error at the op: what is
    left would call a library (`--math-extend-to-supported-types` before this pass brings bf16 and f16 to f32).

    `affine.apply` and the other ops of its dialect, which regions may hold, become arithmetic and loops.

    Leaves alone: all other ops. Numerics: division by a constant 1.5 ulp; exp2 2 ulp; log 1e-7 relative to max(1, |log|); tanh 2e-7 absolute and 1e-6
    relative; sin and cos reduce their argument in f32, so lose |x| * 1e-7; pow(x, y) is exp(y * log(x)) and loses
    |y * log(x)| * 1e-7 relative.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def FAKernelsToNVVM : Pass<"fa-kernels-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "kernels of scalars, memory and branches to the LLVM and NVVM dialects";
  let description = [{
    What `--convert-gpu-to-nvvm` does, by upstream's patterns, in half its time: without rewriting all of the module for
    ops that our kernels do not have (`gpu.all_reduce`, reductions over subgroups, WMMA matrices). Those stay, as does all
    that has no pattern; translating to LLVM IR then is an error.

    `math` and `scf` must be gone: `--fa-lower-kernel-math` and `--convert-scf-to-cf` come first.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // FA_CONVERSION_FAGPU_PASSES_TD
