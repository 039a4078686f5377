//===- FAGPUOps.td - the ops of the fagpu dialect ----------*- tablegen -*-===//

#ifndef FA_DIALECT_FAGPU_IR_FAGPUOPS_TD
#define FA_DIALECT_FAGPU_IR_FAGPUOPS_TD

include "fa/Dialect/FAGPU/IR/FAGPUDialect.td"
include "fa/Dialect/FAGPU/IR/FAGPUHopperTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class FAGPU_Op<string mnemonic, list<Trait> traits = []> : Op<FAGPU_Dialect, mnemonic, traits>;

def FAGPU_AnySmem : Type<CPred<"::llvm::isa<::fa::fagpu::SmemType>($_self)">, "shared memory tiles">;

def FAGPU_MmaOperand : AnyTypeOf<[AnyRankedTensor, FAGPU_AnySmem]>;

def FAGPU_AllocOp : FAGPU_Op<"alloc"> {
  let summary = "room for tiles in the kernel's shared memory";
  let description = [{
    `offset` is where it lies, in bytes from the start of the kernel's dynamic shared memory; set by
    `--fa-stage-shared`, which also sets how much the launch asks for.

    Example:
    ```mlir
    %k = fagpu.alloc {offset = 0 : i64} : !fagpu.smem<64x128xbf16, stages = 1>
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs FAGPU_AnySmem:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def FAGPU_CopyAsyncOp : FAGPU_Op<"copy_async", [AttrSizedOperandSegments]> {
  let summary = "start copying a tile from memory to shared memory; 0 outside";
  let description = [{
    What `fa.load_tile` says, with the tile going to stage `stage` (default 0) of `smem`. It is complete for the issuing
    thread after `nvvm.cp.async.wait.group`, for others after a barrier behind that. Where `enable` is false
    every element is 0 and no memory is read.

    Where base, strides and row length allow it, 16 bytes at a time asynchronously; otherwise by element, at once. That
    is decided at run time, for the whole block alike.

    ### Verifier
    1. As `fa.load_tile`, for a tile of two dimensions of smem's shape.

    Example:
    ```mlir
    fagpu.copy_async %key[%b, %h, %n, %c0] limit(%len) into %k {tile_dims = array<i64: 2, 3>}
      : memref<?x?x?x128xbf16>, !fagpu.smem<64x128xbf16, stages = 1>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$source, Variadic<Index>:$offsets, Optional<Index>:$limit,
                       Optional<I1>:$enable, FAGPU_AnySmem:$smem, Optional<I32>:$stage,
                       DenseI64ArrayAttr:$tile_dims);
  let assemblyFormat = [{
    $source `[` $offsets `]` (`limit` `(` $limit^ `)`)? (`if` $enable^)? `into` $smem (`stage` $stage^)? attr-dict
    `:` type($source) `,` type($smem)
  }];
  let hasVerifier = 1;
}

def FAGPU_MmaOp : FAGPU_Op<"mma", [ AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a . b on tensor cores";
  let description = [{
    `a` is MxK: a tensor in `#fagpu.a_op`, or a tile in shared memory. With `a_transposed` it is KxM and must be in shared
    memory, where `--fa-stage-shared` puts a computed one (`fagpu.put`). `b` is a tile in shared memory: KxN, or NxK with
    `b_transposed`. `acc` is an MxN f32 tensor in `#fagpu.acc`. A tile in shared memory is a tensor in `#fagpu.shared` until
    `--fa-stage-shared` says where.

    ### Verifier
    1. Shapes agree, element types of a and b are equal and bf16 or f16. 2. M is a multiple of 64, K of 16, N of 16.

    Example:
    ```mlir
    %s = fagpu.mma %q, %k, %zero {b_transposed}
      : !fagpu.smem<128x128xbf16, stages = 1>, !fagpu.smem<64x128xbf16, stages = 1>, tensor<128x64xf32, #fagpu.acc>
    ```
  }];
  let arguments = (ins FAGPU_MmaOperand:$a, FAGPU_MmaOperand:$b, AnyRankedTensor:$acc,
                       Optional<I32>:$b_stage, UnitAttr:$b_transposed, UnitAttr:$a_transposed);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`stage` $b_stage^)? `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def FAGPU_PutOp : FAGPU_Op<"put", []> {
  let summary = "write a computed tile to shared memory";
  let description = [{
    Each thread writes its fragments of a 16-bit tile in `#fagpu.a_op`. Others may read them behind a barrier.

    ### Verifier
    1. smem has the tile's shape and element type.

    Example:
    ```mlir
    fagpu.put %ds into %place : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.smem<64x64xbf16, stages = 1>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tile, FAGPU_AnySmem:$smem);
  let assemblyFormat = "$tile `into` $smem attr-dict `:` type($tile) `,` type($smem)";
  let hasVerifier = 1;
}

def FAGPU_PartialSumsOp : FAGPU_Op<"partial_sums", [Pure]> {
  let summary = "four sums per row, by (column / 2) mod 4";
  let description = [{
    What a lane can add up without asking others.

    ### Verifier
    1. MxN f32 in `#fagpu.acc` to Mx4 in `#fagpu.rows_partial`.

    Example:
    ```mlir
    %sums = fagpu.partial_sums %p : tensor<128x64xf32, #fagpu.acc> -> tensor<128x4xf32, #fagpu.rows_partial>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def FAGPU_StoreThroughOp : FAGPU_Op<"store_through", [AttrSizedOperandSegments]> {
  let summary = "write a tile to memory by way of shared memory, clipped";
  let description = [{
    What `fa.store_tile` says for a 16-bit tile in `#fagpu.acc`. Threads put their fragments in `smem` and write whole
    rows from there, 16 bytes at a time where base and strides allow. Every thread must be done with what `smem`
    held before: the op begins with a barrier.

    ### Verifier
    1. As `fa.store_tile`, and smem has the tile's shape and type.

    Example:
    ```mlir
    fagpu.store_through %o, %out[%b, %h, %m, %c0] by %q {tile_dims = array<i64: 2, 3>}
      : tensor<128x128xbf16, #fagpu.acc>, memref<?x?x?x128xbf16>, !fagpu.smem<128x128xbf16, stages = 1>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$tile, AnyStridedMemRef:$destination, Variadic<Index>:$offsets,
                       Optional<Index>:$limit, FAGPU_AnySmem:$smem, DenseI64ArrayAttr:$tile_dims);
  let assemblyFormat = [{
    $tile `,` $destination `[` $offsets `]` (`limit` `(` $limit^ `)`)? `by` $smem attr-dict
    `:` type($tile) `,` type($destination) `,` type($smem)
  }];
  let hasVerifier = 1;
}

#endif // FA_DIALECT_FAGPU_IR_FAGPUOPS_TD
