//===- Manifest.h - host functions as data --------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TARGET_MANIFEST_MANIFEST_H
#define FA_TARGET_MANIFEST_MANIFEST_H

#include "fa/Target/PTX/PTX.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include <string>

namespace fa {

/// What a manifest says beside its functions.
struct ManifestOptions {
  /// Processor of the PTX.
  std::string target;
  /// Processor of the machine code; empty: as `target`.
  std::string cubinTarget;
  /// File names; empty: there is none.
  std::string ptxFile;
  std::string cubinFile;
  /// Registers and spills of the kernels, where the assembler ran.
  const AssemblerLog *log = nullptr;
};

/// Discardable attributes of function arguments that a manifest repeats: a
/// name, an array of names or sizes of extents ("" where there is none), and a
/// unit attribute for arguments that are written.
inline constexpr llvm::StringLiteral argumentNameAttr = "fa.name";
inline constexpr llvm::StringLiteral argumentExtentsAttr = "fa.extents";
inline constexpr llvm::StringLiteral argumentWrittenAttr = "fa.written";

/// Sets these attributes on arguments that are operands of `fa.attention`:
/// extents that one dimension of its domain gives are equal.
void describeArguments(mlir::ModuleOp module);

/// Translates the public functions of `module` to a manifest
/// (docs/manifest.md): index arithmetic, workspaces and launches of kernels of
/// its gpu.module. What a manifest cannot express is an error at the op.
mlir::FailureOr<std::string>
translateToManifest(mlir::ModuleOp module, const ManifestOptions &options);

/// The same, of signatures only: for functions that are compiled for the host.
mlir::FailureOr<std::string>
translateSignatures(mlir::ModuleOp module, const ManifestOptions &options);

} // namespace fa

#endif // FA_TARGET_MANIFEST_MANIFEST_H
