//===- Passes.td - warp-specialised kernels to NVVM --------*- tablegen -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_CONVERSION_FAGPUHOPPER_PASSES_TD
#define FA_CONVERSION_FAGPUHOPPER_PASSES_TD

include "mlir/Pass/PassBase.td"

class FAGPU_KernelPass<string name> : Pass<name, "::fa::fagpu::KernelOp"> {
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def FAGPULazyRescale : FAGPU_KernelPass<"fagpu-lazy-rescale"> {
  let summary = "rescale the accumulator only when a row maximum grows by much";
  let description = [{
    Matches `fagpu.scale_rows` by alpha = exp2((old - new) * factor), where `new` is the maximum of `old` and a tile. Where the
    exponent is above -threshold, the old maximum stays in use (for this tile's exponentials too) and alpha is exactly
    1, so that a warp whose rows all stay skips the multiplications. Probabilities are then at most 2^threshold.

    Leaves alone: other `scale_rows`. Numerics: sums and products are of numbers up to 2^threshold times larger; f32 and
    bf16 lose nothing by that, f16 overflows for thresholds above 15. A row that is still empty keeps its -inf.
  }];
  let options = [Option<"threshold", "threshold", "double", "8.0", "log2 of the growth that is put up with, in (0, 64]">];
}

def FAGPURotateLoop : FAGPU_KernelPass<"fagpu-rotate-loop"> {
  let summary = "overlap the softmax of one key tile with the products of its neighbours";
  let description = [{
    Matches every loop of a consumer that has a product of shared memory (QK) and one that adds registers times
    shared memory (PV), each waited for by itself. PV of a tile then runs in the next iteration, after its QK has
    been issued: the order is wait K, QK, wait V (of the tile before), PV (of the tile before), wait 1, release K, softmax,
    wait 0, release V, pack, rescale. The first tile up to its softmax and the last PV are peeled. The loop
    must run at least once, and the value ring needs two stages.

    A loop with products that has another shape is an error at the op that differs. Numerics: preserved.
  }];
}

def FAGPULowerTileLoop : FAGPU_KernelPass<"fagpu-lower-tile-loop"> {
  let summary = "fagpu.for_each_tile to scf.while";
  let description = [{
    Matches every `fagpu.for_each_tile`. With the dynamic scheduler the producer puts each tile's number in the mailbox of the
    loop's ring before it commits the slot, a number past the end last of all, and asks for its next tile before it
    starts with this one. Leaves alone: all other ops. Numerics: preserved.
  }];
}

def FAGPUAllocate : FAGPU_KernelPass<"fagpu-allocate"> {
  let summary = "place tiles and rings in shared memory";
  let description = [{
    Sets `offset` of every `fagpu.smem` (a multiple of 1024) and `fagpu.ring`, the rings' `arrivals`, and the kernel's `smem_bytes`. More
    than `max-bytes` is an error at the kernel. Numerics: preserved.
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", "232448", "shared memory of one block, in bytes">];
}

def FAGPULowerRings : FAGPU_KernelPass<"fagpu-lower-rings"> {
  let summary = "rings, cursors and TMA loads to mbarrier and cp.async.bulk";
  let description = [{
    A cursor becomes slot and phase (two i32) in loops and branches too; tiles are indexed by i32 afterwards. A producer
    waits for the other phase than a consumer. One lane per warp arrives at a release. Needs `--fagpu-allocate`.
    Leaves alone: everything on tensors. Numerics: preserved.
  }];
}

def FAGPUDistribute : FAGPU_KernelPass<"fagpu-distribute"> {
  let summary = "register tiles of a warp-specialised kernel to scalars per thread";
  let description = [{
    The same distribution as `--fa-distribute`, per warpgroup, and what only Hopper has: a `fagpu.wgmma` becomes one piece
    of assembly (fence, products over K, commit) whose accumulators are tied; a wait ties the accumulators that
    it completes; a pack is assembly that stays where it is; `scale_rows {skip_if_one}` is a warp vote and a branch;
    a `tma_store` goes through stmatrix. Needs `--fagpu-lower-rings`.

    Anything on a tile that is not covered is an error at the op. Numerics: sums over columns are added in another order.
  }];
}

def FAGPULowerKernel : Pass<"fagpu-lower-kernel"> {
  let summary = "fagpu.kernel to llvm.func";
  let description = [{
    Matches every `fagpu.kernel` in the op that the pass runs on (a module or gpu.module). Tensor maps become by-value
    constant parameters; thread 0 initialises the barriers; each role becomes a branch that sets its registers, and a producer's body
    runs on one thread. Shared memory is one external symbol aligned to 1024 bytes. Needs `--fagpu-lower-rings` and `--fagpu-distribute`.
    Leaves alone: all other ops. Numerics: preserved.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // FA_CONVERSION_FAGPUHOPPER_PASSES_TD
