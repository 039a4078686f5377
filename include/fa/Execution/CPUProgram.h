//===- CPUProgram.h - lowered modules, run in process ---------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_EXECUTION_CPUPROGRAM_H
#define FA_EXECUTION_CPUPROGRAM_H

#include "fa/Execution/HostTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <mutex>
#include <string>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace fa {

/// One argument or result of a function.
struct Parameter {
  enum Kind { Scalar, Tensor, MemRef } kind;
  DType type;
  llvm::SmallVector<int64_t> shape;

  bool isStatic() const {
    return !llvm::is_contained(shape, mlir::ShapedType::kDynamic);
  }
};

/// How a function is called, read off before it is lowered.
struct Signature {
  std::string name;
  std::vector<Parameter> arguments, results;

  static llvm::Expected<Signature> of(mlir::func::FuncOp function);
};

/// The program refused its arguments: a `cf.assert` failed.
class RefusedCall : public llvm::ErrorInfo<RefusedCall> {
public:
  static char ID;
  explicit RefusedCall(std::string message) : message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return std::make_error_code(std::errc::invalid_argument);
  }

private:
  std::string message;
};

/// A module in the llvm dialect (with C wrappers, as `buildPipeline` leaves it
/// for CPUs), compiled for this machine.
class CPUProgram {
public:
  /// On failure the error says why.
  static llvm::Expected<std::unique_ptr<CPUProgram>>
  compile(mlir::ModuleOp module);
  ~CPUProgram();

  /// Makes the machine code of a function, which else its first call does.
  llvm::Error prepare(const Signature &signature);

  /// Calls a function. Arguments must fit the signature (checked) and may be
  /// written to, where the function does so. Returns the results; `seconds`, if
  /// given, is the time of the call. Failed asserts are a `RefusedCall`.
  llvm::Expected<std::vector<HostTensor>>
  run(const Signature &signature, std::vector<HostTensor> &arguments,
      double *seconds = nullptr);

  /// Calls the C wrapper of a function: one pointer to each of its arguments.
  /// Failed asserts are a `RefusedCall`.
  llvm::Error invoke(llvm::StringRef name,
                     llvm::MutableArrayRef<void *> arguments);

private:
  CPUProgram();

  using Wrapper = void (*)(void **);
  /// The C wrapper of a function; its first call makes the machine code.
  llvm::Expected<Wrapper> find(llvm::StringRef name);
  /// Calls a wrapper on enough stack; the error is that of a failed assertion.
  llvm::Error call(Wrapper wrapper, void **arguments, double *seconds);

  std::unique_ptr<mlir::ExecutionEngine> engine;
  /// What a call may need of stack, frames and spilled registers included.
  uint64_t stackBytes = 0;
  std::mutex mutex;
  llvm::StringMap<Wrapper> wrappers;
};

/// Dialect interfaces that `compile` needs in the context.
void registerCPUTranslations(mlir::DialectRegistry &registry);

} // namespace fa

#endif // FA_EXECUTION_CPUPROGRAM_H
