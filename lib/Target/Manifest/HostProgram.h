//===- HostProgram.h - a host function as instructions --------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_TARGET_MANIFEST_HOSTPROGRAM_H
#define FA_LIB_TARGET_MANIFEST_HOSTPROGRAM_H

#include "fa/Dialect/FAGPU/IR/FAGPUHopper.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/JSON.h"

namespace fa {

/// Translates one function: values become slots, ops instructions. A memref is
/// a group of slots that hold its aligned pointer, offset, sizes and strides,
/// so that reshaping one is arithmetic on slots.
class HostProgram {
public:
  explicit HostProgram(mlir::func::FuncOp function) : function(function) {}

  /// The function's entry of a manifest. Without a body only its signature.
  mlir::FailureOr<llvm::json::Object> translate(bool withBody);

  /// The version of manifests that knows all its instructions.
  int64_t getVersion() const { return version; }

private:
  struct MemRef {
    int64_t pointer = -1;
    int64_t offset = -1;
    llvm::SmallVector<int64_t> sizes, strides;
  };

  static llvm::json::Array toJson(llvm::ArrayRef<int64_t> values);
  /// The buffer that `value` is a view of.
  static mlir::Value getBase(mlir::Value value);

  // Slots and instructions.
  int64_t newSlot() { return numSlots++; }
  int64_t newSlots(int64_t count, int64_t alignment);
  int64_t getConstant(int64_t value);
  int64_t emit(llvm::StringRef op, llvm::ArrayRef<int64_t> in,
               int64_t bits = 0);
  void emitTo(int64_t to, llvm::StringRef op, llvm::ArrayRef<int64_t> in,
              int64_t bits = 0);
  int64_t getSlot(mlir::Value value) { return scalars.lookup(value); }

  // The signature.
  mlir::LogicalResult addArgument(mlir::BlockArgument argument);
  mlir::LogicalResult addSignatureResult(mlir::Type type, unsigned index);
  mlir::LogicalResult findResultAllocations(mlir::func::ReturnOp op);

  // Ops.
  mlir::LogicalResult translateBlock(mlir::Block &block,
                                     llvm::json::Array &into);
  mlir::LogicalResult translateOp(mlir::Operation &op);
  mlir::LogicalResult translateArith(mlir::Operation &op);
  mlir::LogicalResult translateConstant(mlir::Operation &op);
  mlir::LogicalResult translateCast(mlir::Operation &op);
  mlir::LogicalResult translateMemRef(mlir::Operation &op);
  mlir::LogicalResult translateAlloc(mlir::Value result,
                                     mlir::ValueRange dynamicSizes,
                                     bool isKeptZero = false);
  mlir::LogicalResult translateReinterpretCast(mlir::memref::ReinterpretCastOp);
  void translateMetadata(mlir::memref::ExtractStridedMetadataOp op);
  mlir::LogicalResult translateCopy(mlir::Operation &op, mlir::Value source,
                                    mlir::Value target);
  mlir::LogicalResult translateLoad(mlir::memref::LoadOp op);
  mlir::LogicalResult translateFill(mlir::gpu::MemsetOp op);
  mlir::LogicalResult translateDevice(mlir::Operation &op);
  mlir::LogicalResult translateTensorMap(fagpu::EncodeTensorMapOp op);
  mlir::LogicalResult translateIf(mlir::scf::IfOp op);
  mlir::LogicalResult translateFor(mlir::scf::ForOp op);
  mlir::LogicalResult translateLaunch(mlir::gpu::LaunchFuncOp op);
  mlir::LogicalResult translateReturn(mlir::func::ReturnOp op);

  // Values that control flow joins.
  llvm::SmallVector<int64_t> getSlots(mlir::Value value);
  void defineSlots(mlir::Value value);
  void emitAssignments(mlir::ValueRange from, mlir::ValueRange to);

  int64_t getAddress(mlir::Value memref);
  int64_t getByteSize(mlir::Value memref);

  mlir::func::FuncOp function;
  int64_t numSlots = 0;
  int64_t version = 1;
  void require(int64_t least) { version = std::max(version, least); }
  llvm::json::Array arguments, results, constants;
  llvm::json::Array *current = nullptr;
  llvm::DenseMap<int64_t, int64_t> constantSlots;
  llvm::DenseMap<mlir::Value, int64_t> scalars;
  llvm::DenseMap<mlir::Value, MemRef> memrefs;
  llvm::DenseMap<mlir::Value, int64_t> resultAllocations;
  llvm::SmallVector<int64_t> resultSlots;
};

} // namespace fa

#endif // FA_LIB_TARGET_MANIFEST_HOSTPROGRAM_H
