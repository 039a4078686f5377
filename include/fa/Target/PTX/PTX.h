//===- PTX.h - gpu.module to PTX and cubin --------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_TARGET_PTX_PTX_H
#define FA_TARGET_PTX_PTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace fa {

/// How a kernel module becomes PTX and machine code.
struct PTXOptions {
  /// Processor: sm_80, sm_90a, ...
  std::string chip = "sm_80";
  /// PTX version and other target features; empty: `defaultPTXFeatures(chip)`.
  std::string features;
  /// Level of LLVM's IR pipeline, 0 (none of it) to 3. Kernels arrive
  /// simplified and unrolled; what the pipeline adds is longer live ranges,
  /// hence spills.
  unsigned optLevel = 0;
  /// Level of LLVM's instruction selection, 0 to 3. A knob of its own: with the
  /// IR pipeline off, level 0 is often best for kernels that are scheduled by
  /// hand.
  unsigned codegenLevel = 3;
  /// The assembler; empty: searched by `findPtxas`.
  std::string ptxas;
  /// Processor that the assembler makes code for, not older than `chip`; empty:
  /// `chip`.
  std::string assembleFor;
  /// More arguments for the assembler; none that change what it writes, where,
  /// or for which processor.
  llvm::SmallVector<std::string> ptxasFlags;
};

/// What the assembler says about one kernel.
struct KernelResources {
  std::string name;
  /// The processor that it was assembled for.
  std::string chip;
  int64_t registers = 0;
  int64_t spillStores = 0;
  int64_t spillLoads = 0;
  int64_t stack = 0;
  int64_t sharedMemory = 0;
  int64_t barriers = 0;
};

/// One line of the assembler's log that is not about resources.
struct AssemblerNote {
  enum class Kind { Note, Warning, Error };
  Kind kind;
  /// The kernel that the note names; empty: the whole module.
  std::string kernel;
  std::string text;
};

struct AssemblerLog {
  llvm::SmallVector<KernelResources> kernels;
  llvm::SmallVector<AssemblerNote> notes;

  const KernelResources *find(llvm::StringRef kernel) const;
};

struct Assembly {
  std::string cubin;
  AssemblerLog log;
};

/// The PTX version that `chip` is emitted with. LLVM's own default is the
/// oldest that knows the chip, which lacks instructions that we use.
std::string defaultPTXFeatures(llvm::StringRef chip);

/// Checks that the linked LLVM knows `chip` and that it has what our kernels
/// need (sm_80 or newer); otherwise says in `error` what there is.
bool isKnownChip(llvm::StringRef chip, std::string &error);

/// Makes the translation of llvm, nvvm and gpu ops to LLVM IR available.
void registerPTXTranslations(mlir::DialectRegistry &registry);

/// Translates a module of llvm and nvvm ops to PTX, in process. Errors go to
/// `module`'s location.
mlir::FailureOr<std::string> translateToPTX(mlir::gpu::GPUModuleOp module,
                                            const PTXOptions &options);

/// The assembler: `requested`, else $FA_PTXAS, the one in a Python environment
/// ($VIRTUAL_ENV), on PATH, under $CUDA_HOME or in /usr/local/cuda. Empty if
/// there is none; a requested one that cannot be run is an error.
std::optional<std::string> findPtxas(llvm::StringRef requested,
                                     std::string &error);

/// Reads what `ptxas -v` printed.
AssemblerLog parseAssemblerLog(llvm::StringRef log);

/// Assembles PTX. The log becomes diagnostics at the kernels of `module`:
/// errors; spills and the C75xx notes (an asynchronous contraction was
/// serialised or may read its accumulator early) as warnings.
mlir::FailureOr<Assembly> assemblePTX(mlir::gpu::GPUModuleOp module,
                                      llvm::StringRef ptx,
                                      llvm::StringRef ptxas,
                                      const PTXOptions &options);

/// Moves the contents of all gpu.modules under `root` into the first, so that
/// one module is loaded at run time. Clashing symbols are renamed, launches
/// follow.
void mergeGPUModules(mlir::Operation *root);

} // namespace fa

#endif // FA_TARGET_PTX_PTX_H
