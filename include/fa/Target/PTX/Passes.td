//===- Passes.td - passes that emit PTX --------------------*- tablegen -*-===//

#ifndef FA_TARGET_PTX_PASSES_TD
#define FA_TARGET_PTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def FASerializeGPU : Pass<"fa-serialize-gpu", "::mlir::ModuleOp"> {
  let summary = "gpu.module to gpu.binary: PTX, and machine code where ptxas is found";
  let description = [{
    Replaces every `gpu.module` of llvm and nvvm ops by a `gpu.binary` with its PTX (an `assembly` object) and, unless
    `ptxas=none` or there is no assembler, its machine code (a `bin` object with registers, spills and shared memory
    of each kernel in its kernel table). With `ptxas` given it must run. The log of the assembler becomes diagnostics
    at the kernel: errors; spills and notes C75xx (wgmma serialised, or an accumulator read early) as warnings.

    The levels of LLVM's IR pipeline (`opt-level`) and of instruction selection (`codegen-level`) are two options.
    `#nvvm.target` on the module gives the processor where the options do not.

    Leaves alone: host code. Numerics: none of its own; no fast-math flag is added.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"", "processor (sm_80 by default)">,
    Option<"features", "features", "std::string", "\"\"", "target features, such as +ptx86; by default by processor">,
    Option<"optLevel", "opt-level", "unsigned", "0", "LLVM's IR pipeline: 0 (none) to 3">,
    Option<"codegenLevel", "codegen-level", "unsigned", "3", "LLVM's instruction selection: 0 to 3">,
    Option<"ptxas", "ptxas", "std::string", "\"\"", "the assembler; none: emit PTX only; empty: search">,
    Option<"ptxasFlags", "ptxas-flags", "std::string", "\"\"", "further arguments for the assembler, comma-separated">,
    Option<"report", "report", "bool", "false", "a remark with registers, spills and shared memory per kernel">];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // FA_TARGET_PTX_PASSES_TD
