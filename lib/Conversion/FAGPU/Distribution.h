//===- Distribution.h - what a thread holds of a tile ---------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_CONVERSION_FAGPU_DISTRIBUTION_H
#define FA_CONVERSION_FAGPU_DISTRIBUTION_H

#include "fa/Dialect/FAGPU/IR/FAGPU.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

namespace fa::fagpu {

/// The elements of a tile that one thread holds, as a grid of row slots by
/// column slots. Row slot 2r+h is row g + 8h of the thread's warp in block r;
/// column slot 2c+i is column 2t + i of the c-th eight.
struct Fragment {
  int64_t rows = 1, columns = 1;

  static Fragment of(mlir::RankedTensorType type);
  int64_t size() const { return rows * columns; }
  /// Place of an element among the thread's scalars: as `mma.sync` returns
  /// them, block by block, eight columns by eight columns.
  int64_t at(int64_t row, int64_t column) const;
};

/// A linalg op with this number (i32, of its own, below 8) computes positions
/// anew for every step of the loop around all loops that it is in: they are not
/// kept in registers through what comes before it there.
constexpr llvm::StringLiteral kOwnPositionsName = "fagpu.own_positions";

/// Values that every thread computes once, at the top of the kernel.
class ThreadContext {
public:
  explicit ThreadContext(mlir::gpu::GPUFuncOp kernel);
  /// For a group of 128 threads within a larger block: `thread` is its number
  /// in the group. There is no `shared`, no `entry` and no `matrixBase`.
  ThreadContext(mlir::OpBuilder &b, mlir::Location loc, mlir::Value thread);

  /// First row of the thread in a block, g + 16w; first column, 2t.
  mlir::Value firstRow, firstColumn;
  /// Thread in the block, lane in the warp, warp, lane in the quad; all i32.
  mlir::Value thread, lane, warp, quadLane;
  /// Start of the kernel's shared memory, a 32-bit shared address.
  mlir::Value shared;

  /// row + constant, in 32 bits.
  mlir::Value rowOfSlot(mlir::OpBuilder &b, mlir::Location loc, int64_t slot);
  mlir::Value columnOfSlot(mlir::OpBuilder &b, mlir::Location loc,
                           int64_t slot);
  /// What rowOfSlot adds to `firstRow`, and columnOfSlot to `firstColumn`.
  static int64_t rowConstant(int64_t slot) {
    return slot / 2 * kBlockRows + slot % 2 * 8;
  }
  static int64_t columnConstant(int64_t slot) {
    return slot / 2 * 8 + slot % 2;
  }

  /// Where this thread points `ldmatrix` at, without constants, for a tile with
  /// rows of `pitch` bytes. Computed at the top of the kernel, once each.
  enum class Pattern { A, ATransposed, B, BTransposed };
  mlir::Value matrixBase(Pattern pattern, int64_t pitch);

  /// A builder at the top of the kernel.
  mlir::OpBuilder entry() const { return mlir::OpBuilder(anchor); }

private:
  void splitThread(mlir::OpBuilder &b, mlir::Location loc);

  mlir::Operation *anchor = nullptr;
  llvm::DenseMap<std::pair<int, int64_t>, mlir::Value> bases;
};

/// Integer arithmetic in 32 bits.
class I32Builder {
public:
  I32Builder(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}
  mlir::Value constant(int64_t v);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, int64_t y);
  mlir::Value div(mlir::Value x, int64_t y);
  mlir::Value rem(mlir::Value x, int64_t y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

/// Inline assembly. `constraints` as in LLVM, outputs first.
mlir::Value asmValue(mlir::OpBuilder &b, mlir::Location loc, mlir::Type result,
                     llvm::StringRef text, llvm::StringRef constraints,
                     mlir::ValueRange operands, bool hasSideEffects);
void asmEffect(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef text,
               llvm::StringRef constraints, mlir::ValueRange operands);

/// A constant as an immediate operand of inline assembly.
mlir::Value immediate(mlir::OpBuilder &b, mlir::Location loc, int64_t v);

/// Two 16-bit values in an i32, the first one lower.
mlir::Value packPair(mlir::OpBuilder &b, mlir::Location loc, mlir::Value first,
                     mlir::Value second);
/// Two f32 values rounded to `type` (bf16 or f16) and packed.
mlir::Value packRounded(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::FloatType type, mlir::Value first,
                        mlir::Value second);

/// The address (i64) of a tile of a buffer in fragment order, see
/// `fagpu.load_fragments`; `row` is the dimension of rows.
mlir::Value firstFragment(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value buffer, mlir::ValueRange offsets,
                          int64_t row);

/// A tile with a layout becomes the scalars that a thread holds of it.
class TileConverter : public mlir::TypeConverter {
public:
  TileConverter();
};

/// A conversion pattern that knows its kernel's thread values.
template <typename OpTy>
class DistributePattern : public mlir::OpConversionPattern<OpTy> {
public:
  DistributePattern(const mlir::TypeConverter &converter,
                    mlir::MLIRContext *context, ThreadContext &thread)
      : mlir::OpConversionPattern<OpTy>(converter, context), thread(thread) {}

protected:
  ThreadContext &thread;
};

void populateDistributeMemoryPatterns(const mlir::TypeConverter &converter,
                                      mlir::RewritePatternSet &patterns,
                                      ThreadContext &thread);
void populateDistributeChunkPatterns(const mlir::TypeConverter &converter,
                                     mlir::RewritePatternSet &patterns,
                                     ThreadContext &thread);
void populateDistributeFragmentPatterns(const mlir::TypeConverter &converter,
                                        mlir::RewritePatternSet &patterns,
                                        ThreadContext &thread);
void populateDistributeMmaPatterns(const mlir::TypeConverter &converter,
                                   mlir::RewritePatternSet &patterns,
                                   ThreadContext &thread);
void populateDistributeLinalgPatterns(const mlir::TypeConverter &converter,
                                      mlir::RewritePatternSet &patterns,
                                      ThreadContext &thread);

} // namespace fa::fagpu

#endif // FA_CONVERSION_FAGPU_DISTRIBUTION_H
