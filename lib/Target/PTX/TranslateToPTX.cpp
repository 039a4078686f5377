//===- TranslateToPTX.cpp - gpu.module to PTX, in process -----------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Upstream has `gpu-module-to-binary`. This is our own because there the levels
// of the IR pipeline and of instruction selection are one knob, and because the
// default PTX version is the oldest that knows the processor, with which
// selection ends the process on newer instructions.
//
//===----------------------------------------------------------------------===//

#include "FatalErrors.h"
#include "StraightCode.h"
#include "fa/Target/PTX/PTX.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace mlir;

namespace {

constexpr llvm::StringLiteral tripleName = "nvptx64-nvidia-cuda";

/// The first with asynchronous copies and mma.sync of 16 rows in bf16.
constexpr unsigned kOldestVersion = 80;

void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

const llvm::Target *lookupTarget(std::string &error) {
  initializeTarget();
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(tripleName), error);
}

/// 90 of sm_90a; 0 if there is no number.
unsigned getVersion(StringRef chip) {
  unsigned version = 0;
  if (chip.consume_front("sm_"))
    chip.take_while(llvm::isDigit).getAsInteger(10, version);
  return version;
}

std::unique_ptr<llvm::MCSubtargetInfo>
createSubtargetInfo(const llvm::Target &target) {
  return std::unique_ptr<llvm::MCSubtargetInfo>(
      target.createMCSubtargetInfo(llvm::Triple(tripleName), "", ""));
}

/// LLVM itself warns about features that it does not know, and goes on.
bool areFeaturesKnown(const llvm::Target &target, StringRef features,
                      std::string &error) {
  std::unique_ptr<llvm::MCSubtargetInfo> info = createSubtargetInfo(target);
  for (StringRef feature : llvm::split(features, ',')) {
    // The processor is a feature to LLVM, too, but not by this option.
    bool isVersion = feature.starts_with("+ptx") || feature.starts_with("-ptx");
    if (feature.empty() ||
        (isVersion && llvm::any_of(info->getAllProcessorFeatures(),
                                   [&](const llvm::SubtargetFeatureKV &known) {
                                     return feature.drop_front() == known.Key;
                                   })))
      continue;
    error = "unknown target feature '" + feature.str() +
            "'; features are PTX versions, such as +ptx86";
    return false;
  }
  return true;
}

bool areLevelsValid(const fa::PTXOptions &options, std::string &error) {
  for (auto [name, level] :
       {std::make_pair("opt-level", options.optLevel),
        std::make_pair("codegen-level", options.codegenLevel)})
    if (level > 3) {
      error = std::string(name) + "=" + std::to_string(level) +
              " is no level; there are 0 to 3";
      return false;
    }
  return true;
}

std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const fa::PTXOptions &options, std::string &error) {
  const llvm::Target *target = lookupTarget(error);
  if (!target || !fa::isKnownChip(options.chip, error) ||
      !areFeaturesKnown(*target, options.features, error) ||
      !areLevelsValid(options, error))
    return nullptr;
  std::string features = options.features.empty()
                             ? fa::defaultPTXFeatures(options.chip)
                             : options.features;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      llvm::Triple(tripleName), options.chip, features, llvm::TargetOptions(),
      std::nullopt, std::nullopt,
      *llvm::CodeGenOpt::getLevel(options.codegenLevel)));
}

void runIRPipeline(llvm::Module &module, llvm::TargetMachine &machine,
                   unsigned level) {
  static const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  if (level == 0)
    return;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  builder.buildPerModuleDefaultPipeline(levels[level]).run(module, modules);
}

void collectErrors(const llvm::DiagnosticInfo *info, void *errors) {
  if (info->getSeverity() != llvm::DS_Error)
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
  static_cast<SmallVectorImpl<std::string> *>(errors)->push_back(text);
}

/// Functions that the driver provides.
bool isSystemCall(StringRef name) {
  return name == "vprintf" || name == "malloc" || name == "free" ||
         name == "__assertfail";
}

/// The first function that is called and neither defined nor the driver's.
const llvm::Function *findUndefinedFunction(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty() && !isSystemCall(function.getName()))
      return &function;
  return nullptr;
}

/// LLVM finds such a name late and without its place, or not at all.
LogicalResult checkNames(gpu::GPUModuleOp module) {
  auto isFollowing = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$';
  };
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    StringRef name = function.getName();
    bool isShort = name.size() == 1 && !llvm::isAlpha(name[0]);
    if (function.isExternal() || (!isShort && !llvm::isDigit(name[0]) &&
                                  llvm::all_of(name, isFollowing)))
      continue;
    return emitError(function.getLoc())
           << "'" << name
           << "' cannot be a name in PTX; use letters of ASCII, digits after "
              "the first, _ and $ for the function that it is made for";
  }
  return success();
}

LogicalResult emitPTX(llvm::Module &module, llvm::TargetMachine &machine,
                      unsigned optLevel, std::string &ptx) {
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  fa::StraightCodePasses straight(passes);
  // Who asks for the IR pipeline gets all of the back end, too.
  llvm::legacy::PassManagerBase &taken =
      optLevel == 0 ? static_cast<llvm::legacy::PassManagerBase &>(straight)
                    : passes;
  if (machine.addPassesToEmitFile(taken, stream, nullptr,
                                  llvm::CodeGenFileType::AssemblyFile))
    return failure();
  passes.run(module);
  ptx = buffer.str().str();
  return success();
}

} // namespace

std::string fa::defaultPTXFeatures(StringRef chip) {
  unsigned version = getVersion(chip);
  if (version < 90)
    return "+ptx80";
  return version <= 100 ? "+ptx86" : "+ptx88";
}

bool fa::isKnownChip(StringRef chip, std::string &error) {
  const llvm::Target *target = lookupTarget(error);
  if (!target)
    return false;
  std::unique_ptr<llvm::MCSubtargetInfo> info = createSubtargetInfo(*target);
  bool isProcessor = chip.starts_with("sm_") && info->isCPUStringValid(chip);
  if (isProcessor && getVersion(chip) >= kOldestVersion)
    return true;
  llvm::raw_string_ostream stream(error);
  if (isProcessor)
    stream << "processor '" << chip << "' is too old: sm_" << kOldestVersion
           << " or newer is needed";
  else
    stream << "unknown processor '" << chip << "'";
  SmallVector<StringRef> known;
  for (const llvm::SubtargetSubTypeKV &cpu :
       info->getAllProcessorDescriptions())
    if (getVersion(cpu.Key) >= kOldestVersion)
      known.push_back(cpu.Key);
  llvm::stable_sort(known, [](StringRef x, StringRef y) {
    return getVersion(x) < getVersion(y);
  });
  stream << "; there are";
  for (StringRef name : known)
    stream << ' ' << name;
  return false;
}

void fa::registerPTXTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

FailureOr<std::string> fa::translateToPTX(gpu::GPUModuleOp module,
                                          const PTXOptions &options) {
  if (failed(checkNames(module)))
    return failure();
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(options, error);
  if (!machine)
    return emitError(module.getLoc()) << "cannot generate PTX: " << error;

  llvm::LLVMContext context;
  // Without a handler the first error of the back end ends the process.
  SmallVector<std::string> backEndErrors;
  context.setDiagnosticHandlerCallBack(collectErrors, &backEndErrors);
  // The module was verified as MLIR, and so is its LLVM IR in a build with
  // assertions.
#ifdef NDEBUG
  constexpr bool isTrusted = true;
#else
  constexpr bool isTrusted = false;
#endif
  std::unique_ptr<llvm::Module> ir = translateModuleToLLVMIR(
      module, context, module.getName(), /*disableVerification=*/isTrusted);
  if (!ir)
    return emitError(
        module.getLoc(),
        "cannot be translated to LLVM IR: it must hold llvm and nvvm ops only");
  ir->setTargetTriple(machine->getTargetTriple());
  ir->setDataLayout(machine->createDataLayout());

  std::string ptx;
  bool emitted = false;
  const llvm::Function *undefined = nullptr;
  bool survived = runWithoutFatalErrors(
      [&] {
        runIRPipeline(*ir, *machine, options.optLevel);
        undefined = findUndefinedFunction(*ir);
        if (!undefined)
          emitted = succeeded(emitPTX(*ir, *machine, options.optLevel, ptx));
      },
      error);
  if (!survived) {
    // Whatever the back end was in the middle of cannot be torn down.
    (void)ir.release();
    (void)machine.release();
    backEndErrors.push_back(StringRef(error).rtrim().str());
  }
  if (undefined)
    return emitError(module.getLoc())
           << "calls '" << undefined->getName()
           << "', which is not defined; CUDA's device library is not linked, "
              "so lower math functions to instructions first";
  if (!backEndErrors.empty())
    return emitError(module.getLoc())
           << "LLVM cannot generate PTX for " << options.chip << ": "
           << backEndErrors.front();
  if (!emitted)
    return emitError(module.getLoc(), "this LLVM cannot emit PTX");
  return ptx;
}
