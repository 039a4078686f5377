//===- Compiler.h - from MLIR text to what is run -------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_COMPILER_COMPILER_H
#define FA_COMPILER_COMPILER_H

#include "fa/Target/PTX/PTX.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace fa {

struct CompileOptions {
  /// cpu, or a processor: sm_80, ...
  std::string target = "sm_80";
  /// As in `--fa-pipeline`.
  std::string schedule;
  /// The function to call; empty: every public function.
  std::string entry;
  /// The input is lowered already: host functions and a gpu.module of llvm and
  /// nvvm ops.
  bool isLowered = false;
  /// As in `--fa-pipeline`.
  bool checkOffsets = false;
  /// An assembler; empty: searched; "none": PTX only.
  std::string ptxas;
  /// Levels, features and flags; `chip` is by `target`.
  PTXOptions ptx;
};

/// What compiling for a GPU gives.
struct Artifact {
  std::string manifest;
  std::string ptx;
  /// Empty where there is no assembler.
  std::string cubin;
  AssemblerLog log;
};

/// Every dialect, extension and translation that the compiler needs.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Parses and verifies; an error is a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(mlir::MLIRContext *context,
                                              llvm::StringRef text,
                                              llvm::StringRef name);

/// Runs the pipeline up to `stage` (empty: to its end) on a parsed module.
mlir::LogicalResult runPipeline(mlir::ModuleOp module,
                                const CompileOptions &options,
                                llvm::StringRef stage);

/// Compiles for a GPU. Changes `module`. Errors are diagnostics.
mlir::FailureOr<Artifact> compileForGPU(mlir::ModuleOp module,
                                        const CompileOptions &options);

/// Compiles for the host: leaves `module` in the llvm dialect and returns the
/// manifest with the signatures.
mlir::FailureOr<std::string> compileForHost(mlir::ModuleOp module,
                                            const CompileOptions &options);

} // namespace fa

#endif // FA_COMPILER_COMPILER_H
