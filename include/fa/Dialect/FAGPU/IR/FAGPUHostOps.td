//===- FAGPUHostOps.td - what a launch of such kernels needs ---*- tablegen -*-===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_DIALECT_FAGPU_IR_FAGPUHOSTOPS_TD
#define FA_DIALECT_FAGPU_IR_FAGPUHOSTOPS_TD

include "fa/Dialect/FAGPU/IR/FAGPUHopperTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def FAGPU_EncodeTensorMapOp : Op<FAGPU_Dialect, "encode_tensor_map", [Pure]> {
  let summary = "host: the TMA descriptor of a matrix in each slice of a buffer";
  let description = [{
    An argument for a launch. Dimensions of the map, innermost first: `col_dim`, `row_dim`, the other dimensions of the
    buffer from last to first. A box is 64 columns of as many rows as the result's type says; 128-byte swizzle, zeros
    outside. At run time the buffer must start at a multiple of 16 bytes, its columns must be adjacent, its other
    strides multiples of 16 bytes, and no extent 0.

    ### Verifier
    1. 2 to 5 dimensions (TMA has no more), `col_dim` and `row_dim` are two of them. 2. Element types agree.

    Example:
    ```mlir
    %m = fagpu.encode_tensor_map %key {col_dim = 3 : i64, row_dim = 2 : i64}
      : memref<?x?x?x128xbf16> -> !fagpu.tensor_map<80x128xbf16>
    ```
  }];
  let arguments = (ins AnyStridedMemRef:$source, I64Attr:$col_dim, I64Attr:$row_dim);
  let results = (outs FAGPU_AnyTensorMap:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def FAGPU_MultiprocessorsOp : Op<FAGPU_Dialect, "multiprocessors", [Pure]> {
  let summary = "host: how many multiprocessors the device has";
  let description = "As many blocks of a persistent kernel run at once. Example: `%n = fagpu.multiprocessors : index`.";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

#endif // FA_DIALECT_FAGPU_IR_FAGPUHOSTOPS_TD
