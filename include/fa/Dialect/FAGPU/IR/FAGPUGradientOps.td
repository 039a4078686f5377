//===- FAGPUGradientOps.td - gradients by warp-specialised kernels -*- tablegen -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_DIALECT_FAGPU_IR_FAGPUGRADIENTOPS_TD
#define FA_DIALECT_FAGPU_IR_FAGPUGRADIENTOPS_TD

// Of FAGPUHopperOps.td, which includes this behind its own ops.

def FAGPU_RowsOp : FAGPU_HopperOp<"rows", [HasParent<"KernelOp">]> {
  let summary = "declare numbers of rows in shared memory";
  let description = "`offset` as in `fagpu.smem`. Example: `%l = fagpu.rows : !fagpu.shared_rows<3x64xf32>`.";
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs FAGPU_AnySharedRows:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def FAGPU_BulkLoadOp : FAGPU_HopperOp<"bulk_load"> {
  let summary = "start copying one number per row to shared memory";
  let description = [{
    Reads as many numbers as a slot has from the offsets on and counts their bytes on the slot of `ring`. They are adjacent in
    memory, start at a multiple of 16 bytes and may all be read.

    ### Verifier
    1. The buffer is f32 and contiguous, with one offset per dimension. 2. Ring, cursor and slots have one number of stages.

    Example:
    ```mlir
    fagpu.bulk_load %lse[%b, %h, %row] to %l on %ring[%c]
      : memref<?x?x?xf32>, !fagpu.shared_rows<3x64xf32>, !fagpu.ring<3>, !fagpu.cursor<3>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$offsets, FAGPU_AnySharedRows:$rows, FAGPU_AnyRing:$ring,
                       FAGPU_AnyCursor:$cursor);
  let assemblyFormat = [{
    $source `[` $offsets `]` `to` $rows `on` $ring `[` $cursor `]` attr-dict
    `:` type($source) `,` type($rows) `,` type($ring) `,` type($cursor)
  }];
  let hasVerifier = 1;
}

def FAGPU_ReadColsOp : FAGPU_HopperOp<"read_cols"> {
  let summary = "a slot's numbers, one per column of a transposed tile";
  let description = [{
    Between wait_full and release. It is not pure: it stays after the wait before it. As an accumulator, what a product's sums
    start from, it has the same number in all rows of a column.

    ### Verifier
    1. As many columns as a slot has numbers, f32. 2. As many slots as the cursor has stages.

    Example: `%d = fagpu.read_cols %l[%c : !fagpu.cursor<3>] : !fagpu.shared_rows<3x64xf32> -> tensor<64xf32, #fagpu.cols>`.
  }];
  let arguments = (ins FAGPU_AnySharedRows:$rows, FAGPU_TileIndex:$index);
  let results = (outs AnyTypeOf<[FAGPU_ColsTensor, FAGPU_AccTensor]>:$result);
  let assemblyFormat = "$rows `[` $index `:` type($index) `]` attr-dict `:` type($rows) `->` type($result)";
  let hasVerifier = 1;
}

def FAGPU_StoreFragmentsOp : FAGPU_HopperOp<"store_fragments"> {
  let summary = "put a packed tile into shared memory, for the tensor cores of others";
  let description = [{
    Writes tile `part` of the slot (a slot has as many tiles as smem has per stage), between acquire and commit. Every thread
    that writes also fences: what it wrote by ordinary stores is read by wgmma (the asynchronous proxy) after the commit. With
    `unfenced` there is a `fagpu.fence_proxy` later.

    ### Verifier
    1. Shape and element type are those of a tile of smem. 2. The tiles of smem are a multiple of the cursor's stages.

    Example:
    ```mlir
    fagpu.store_fragments %ds to %s[%c : !fagpu.cursor<2>] part %wg
      : tensor<64x64xbf16, #fagpu.a_op>, !fagpu.swizzled<4x64x64xbf16>
    ```
  }];
  let arguments = (ins FAGPU_AOpTensor:$tile, FAGPU_AnySwizzled:$smem, FAGPU_TileIndex:$index, I32:$part,
                       UnitAttr:$unfenced);
  let assemblyFormat = [{
    $tile `to` $smem `[` $index `:` type($index) `]` `part` $part attr-dict `:` type($tile) `,` type($smem)
  }];
  let hasVerifier = 1;
}

def FAGPU_UnpackOp : FAGPU_HopperOp<"unpack", [Pure]> {
  let summary = "a packed tile in f32, exactly";
  let description = [{
    ### Verifier
    1. As `fagpu.pack`, the other way.

    Example: `%e = fagpu.unpack %p : tensor<64x64xbf16, #fagpu.a_op> -> tensor<64x64xf32, #fagpu.acc>`.
  }];
  let arguments = (ins FAGPU_AOpTensor:$source);
  let results = (outs FAGPU_AccTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def FAGPU_SendOp : FAGPU_HopperOp<"send"> {
  let summary = "consumer: copy a tile of a slot to the other block of the pair";
  let description = [{
    Tile `from` of this block's slot becomes tile `to` of the other block's, and its bytes are counted there on the slot of `ring`. Between `fagpu.store_fragments`
    of the tile, fenced, and the commit; every warp copies the rows that it has written. The slot's release by the other block says that they have
    been read here, too.

    ### Verifier
    1. Ring and cursor have the same number of stages, of which the tiles of smem are a multiple; `from` and `to` are two tiles of a slot. 2. A tile has 64 rows of 64
    columns: a warp's 16 rows are adjacent bytes. 3. The ring is `paired`. 4. In a consumer of one warpgroup.

    Example:
    ```mlir
    fagpu.send %s[%c] from 0 to 1 on %ring : !fagpu.swizzled<4x64x64xbf16>, !fagpu.cursor<2>, !fagpu.ring<2>
    ```
  }];
  let arguments = (ins FAGPU_AnySwizzled:$smem, FAGPU_AnyCursor:$cursor, I64Attr:$from, I64Attr:$to, FAGPU_AnyRing:$ring);
  let assemblyFormat = [{
    $smem `[` $cursor `]` `from` $from `to` $to `on` $ring attr-dict `:` type($smem) `,` type($cursor) `,` type($ring)
  }];
  let extraClassDeclaration = [{
    int64_t getBytes() { return ::llvm::cast<SwizzledType>(getSmem().getType()).getTileBytes(); }
  }];
  let hasVerifier = 1;
}

def FAGPU_FenceProxyOp : FAGPU_HopperOp<"fence_proxy", []> {
  let summary = "what was seen written to shared memory before is seen by wgmma after";
  let description = [{
    Of `fagpu.store_fragments` with `unfenced`: a writer fences between its stores and the commit of the slot, or each thread
    of a reader between its wait for the slot and the first wgmma that reads it.

    Example: `fagpu.fence_proxy`.
  }];
  let assemblyFormat = "attr-dict";
}

def FAGPU_ReadFragmentsOp : FAGPU_HopperOp<"read_fragments", []> {
  let summary = "the first columns of a left operand, from shared memory to registers";
  let description = [{
    As many columns of tile `index` as the result has; with `rows_are_columns` of the transposed operand, whose columns are the rows of
    `tiles` tiles from the index on, one below the other. It is not pure: it stays after the wait before it.

    ### Verifier
    1. Element types agree; the result has 64 rows and a multiple of 16 columns, at most those of the operand. 2. As rule 3 of `fagpu.wgmma`.

    Example:
    ```mlir
    %h = fagpu.read_fragments %k[%wg : i32] : !fagpu.swizzled<2x64x128xbf16> -> tensor<64x32xbf16, #fagpu.a_op>
    ```
  }];
  let arguments = (ins FAGPU_AnySwizzled:$smem, FAGPU_TileIndex:$index, UnitAttr:$rows_are_columns,
                       DefaultValuedAttr<I64Attr, "1">:$tiles);
  let results = (outs FAGPU_AOpTensor:$result);
  let assemblyFormat = "$smem `[` $index `:` type($index) `]` attr-dict `:` type($smem) `->` type($result)";
  let hasVerifier = 1;
}

def FAGPU_MulPackedOp : FAGPU_HopperOp<"mul_packed", [Pure, SameOperandsAndResultType]> {
  let summary = "the product of two packed tiles, element by element, rounded";
  let description = [{
    Example: `%ds = fagpu.mul_packed %p, %dp : tensor<64x64xbf16, #fagpu.a_op>`.
  }];
  let arguments = (ins FAGPU_AOpTensor:$lhs, FAGPU_AOpTensor:$rhs);
  let results = (outs FAGPU_AOpTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

class FAGPU_FragmentsOp<string mnemonic, list<Trait> traits = []> : FAGPU_HopperOp<mnemonic, traits> {
  code rule = [{
    `tile_dims` are the buffer's dimensions of rows and columns. All 64 rows from the row offset on, a multiple of 64, must
    exist: the buffer's extent is a multiple of 64, too. In memory, such a block of 64 rows is adjacent, blocks follow one another,
    then the other dimensions; within a block it is *fragment order*: (group of 8 columns, thread, the thread's 4 elements),
    so that a warp moves 512 adjacent bytes.

    ### Verifier
    1. The buffer is f32 and contiguous, its columns are static and a multiple of 8. 2. The tile is 64 rows of f32, of at most as
    many columns as the buffer.
  }];
  let hasVerifier = 1;
}

def FAGPU_ReduceAddOp : FAGPU_FragmentsOp<"reduce_add", [AttrSizedOperandSegments]> {
  let summary = "add a tile to a buffer in fragment order, atomically";
  let description = rule # [{

    With `columns(%i)` the tile is columns 64i and on of the buffer, with `half_blocks` columns 32i and on. `ordered`: to the same place blocks add in
    the order of their tickets, which others see to (`fagpu.await_count`).

    Example:
    ```mlir
    fagpu.reduce_add %dq into %sum[%b, %h, %row] columns(%i) {tile_dims = array<i64: 2, 3>}
      : tensor<64x64xf32, #fagpu.acc>, memref<?x?x?x128xf32>
    ```
  }];
  let arguments = (ins FAGPU_AccTensor:$tile, AnyMemRef:$buffer, Variadic<Index>:$offsets, Optional<I32>:$columns,
                       DenseI64ArrayAttr:$tile_dims, UnitAttr:$half_blocks, UnitAttr:$ordered);
  let assemblyFormat = [{
    $tile `into` $buffer `[` $offsets `]` (`columns` `(` $columns^ `)`)? attr-dict `:` type($tile) `,` type($buffer)
  }];
}

def FAGPU_LoadFragmentsOp : FAGPU_FragmentsOp<"load_fragments", [AttrSizedOperandSegments]> {
  let summary = "a tile of a buffer in fragment order";
  let description = rule # [{

    `columns` as in `fagpu.reduce_add`.

    Example:
    ```mlir
    %dq = fagpu.load_fragments %sum[%b, %h, %row] {tile_dims = array<i64: 2, 3>}
      : memref<?x?x?x128xf32> -> tensor<64x128xf32, #fagpu.acc>
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer, Variadic<Index>:$offsets, Optional<I32>:$columns, DenseI64ArrayAttr:$tile_dims);
  let results = (outs FAGPU_AccTensor:$tile);
  let assemblyFormat = [{
    $buffer `[` $offsets `]` (`columns` `(` $columns^ `)`)? attr-dict `:` type($buffer) `->` type($tile)
  }];
}

def FAGPU_PutFragmentsOp : FAGPU_FragmentsOp<"put_fragments"> {
  let summary = "write a tile to a buffer in fragment order";
  let description = rule # [{

    Example:
    ```mlir
    fagpu.put_fragments %zero into %sum[%b, %h, %row] {tile_dims = array<i64: 2, 3>}
      : tensor<64x128xf32, #fagpu.acc>, memref<?x?x?x128xf32>
    ```
  }];
  let arguments = (ins FAGPU_AccTensor:$tile, AnyMemRef:$buffer, Variadic<Index>:$offsets, DenseI64ArrayAttr:$tile_dims);
  let assemblyFormat = [{
    $tile `into` $buffer `[` $offsets `]` attr-dict `:` type($tile) `,` type($buffer)
  }];
}

def FAGPU_ClearOp : FAGPU_HopperOp<"clear"> {
  let summary = "messenger of a whole warp: a part of global memory becomes 0";
  let description = [{
    `count` KiB of `buffer` from KiB number `first` on. `fagpu.add_count` tells others that it has happened.

    ### Verifier
    1. In a messenger that is a `whole_warp`. 2. The buffer is f32 and contiguous.

    Example: `fagpu.clear %sum[%first] count(%n) : memref<?x?x64xf32>`.
  }];
  let arguments = (ins AnyMemRef:$buffer, I32:$first, I32:$count);
  let assemblyFormat = "$buffer `[` $first `]` `count` `(` $count `)` attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def FAGPU_RoundFragmentsOp : FAGPU_HopperOp<"round_fragments", [AttrSizedOperandSegments]> {
  let summary = "one warp: a tile of a buffer in fragment order to another buffer, scaled and rounded";
  let description = [{
    Of the 64 rows of all columns of `buffer`, which is as `fagpu.load_fragments` wants it, part `part` of `parts`, times `scale`, rounded to the destination's type, is
    written to the tile at the offsets `to`; rows past the destination's extent are not. `tile_dims` and `to_dims` are rows and columns of the two. The warp writes 16 bytes a lane where base and
    strides of the destination allow: quads of lanes exchange columns, without shared memory.

    ### Verifier
    1. In a `fagpu.for_each_number`. 2. As rule 1 of `fagpu.load_fragments`, and columns are a multiple of 32. 3. The destination is bf16 or f16, with
    an offset per dimension; its columns are as many as the buffer's. 4. There are 1, 2 or 4 parts.

    Example:
    ```mlir
    fagpu.kernel @round(%sum: memref<?x64x128xf32>, %dq: memref<?x50x128xbf16>, %scale: f32, %counter: memref<1xi32>, %n: i32, %all: i32) {
      %zero = arith.constant 0 : index
      %two = arith.constant 2 : i32
      fagpu.role producer warpgroups(1) registers(40) { }
      fagpu.role messenger warpgroups(1) registers(40) attributes {whole_warp} {
        fagpu.for_each_number counter(%counter : memref<1xi32>) total(%n) draws(%all) {
        ^bb0(%number: i32):
          %head = arith.divui %number, %two : i32
          %part = arith.remui %number, %two : i32
          %h = arith.index_cast %head : i32 to index
          fagpu.round_fragments %sum[%h, %zero] part %part of 2 times %scale to %dq[%h, %zero, %zero]
            {tile_dims = array<i64: 1, 2>, to_dims = array<i64: 1, 2>} : memref<?x64x128xf32>, memref<?x50x128xbf16>
        }
      }
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$buffer, Variadic<Index>:$offsets, I32:$part, I64Attr:$parts, F32:$scale, AnyStridedMemRef:$destination, Variadic<Index>:$to,
                       DenseI64ArrayAttr:$tile_dims, DenseI64ArrayAttr:$to_dims);
  let assemblyFormat = [{
    $buffer `[` $offsets `]` `part` $part `of` $parts `times` $scale `to` $destination `[` $to `]` attr-dict `:` type($buffer) `,` type($destination)
  }];
  let hasVerifier = 1;
}

#endif // FA_DIALECT_FAGPU_IR_FAGPUGRADIENTOPS_TD
