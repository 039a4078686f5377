//===- CPUProgram.cpp - lowered modules, run in process -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Execution/CPUProgram.h"
#include "fa/Conversion/FAToCPU/Passes.h"
#include "fa/Execution/Stack.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>

using namespace mlir;
using namespace fa;

char RefusedCall::ID;

void fa::registerCPUTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

//===----------------------------------------------------------------------===//
// Calls that fail
//===----------------------------------------------------------------------===//

// A lowered cf.assert calls puts(message) and abort(), memref.alloc and
// memref.dealloc call malloc and free. Compiled code gets these instead, so
// that a wrong shape and memory that is not there are errors of the call, not
// the end of the process. No frame between has destructors.
namespace {
struct Call {
  std::jmp_buf failed;
  std::string message;
  /// An assertion failed, not an allocation.
  bool isRefused = false;
  /// What a call that fails leaves behind.
  llvm::DenseSet<void *> allocations;
};
thread_local Call *activeCall = nullptr;

[[noreturn]] void failCall() {
  if (!activeCall)
    std::abort();
  std::longjmp(activeCall->failed, 1);
}

/// Linux promises more memory than there is and kills who uses it.
uint64_t memoryOfMachine() {
  static const uint64_t bytes =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

extern "C" int faPuts(const char *message) {
  if (activeCall) {
    activeCall->message = message;
    activeCall->isRefused = true;
  }
  return 0;
}

extern "C" void faAbort() { failCall(); }

extern "C" void *faMalloc(uint64_t bytes) {
  void *memory = bytes <= memoryOfMachine() ? std::malloc(bytes) : nullptr;
  if (activeCall && !memory && bytes) {
    activeCall->message =
        "out of memory: " + std::to_string(bytes) + " bytes are needed";
    failCall();
  }
  if (activeCall && memory)
    activeCall->allocations.insert(memory);
  return memory;
}

extern "C" void faFree(void *memory) {
  if (activeCall)
    activeCall->allocations.erase(memory);
  std::free(memory);
}

/// False if the call failed.
bool callGuarded(void (*function)(void **), void **arguments, Call &call) {
  activeCall = &call;
  bool returned = setjmp(call.failed) == 0;
  if (returned)
    function(arguments);
  activeCall = nullptr;
  if (!returned)
    for (void *memory : call.allocations)
      std::free(memory);
  return returned;
}
} // namespace

//===----------------------------------------------------------------------===//
// memref.copy
//===----------------------------------------------------------------------===//

namespace {

/// A descriptor behind a pointer: {rank, descriptor}.
struct UnrankedMemRef {
  int64_t rank;
  const uint64_t *descriptor;
};

/// One dimension of a strided copy after the other; strides are in elements.
void copyStrided(int64_t width, const char *source, char *destination,
                 ArrayRef<uint64_t> sizes, ArrayRef<uint64_t> sourceStrides,
                 ArrayRef<uint64_t> destinationStrides) {
  if (sizes.empty()) {
    std::memcpy(destination, source, width);
    return;
  }
  if (sizes.size() == 1 && sourceStrides[0] == 1 &&
      destinationStrides[0] == 1) {
    std::memcpy(destination, source, width * sizes[0]);
    return;
  }
  for (uint64_t i = 0; i < sizes[0]; ++i)
    copyStrided(width, source + int64_t(i * sourceStrides[0]) * width,
                destination + int64_t(i * destinationStrides[0]) * width,
                sizes.drop_front(), sourceStrides.drop_front(),
                destinationStrides.drop_front());
}

/// What memref.copy between strided memrefs becomes (upstream's name for it).
extern "C" void faMemrefCopy(int64_t width, UnrankedMemRef *source,
                             UnrankedMemRef *destination) {
  int64_t rank = source->rank;
  auto base = [&](UnrankedMemRef *m) {
    return reinterpret_cast<char *>(m->descriptor[1]) +
           int64_t(m->descriptor[2]) * width;
  };
  auto strides = [&](UnrankedMemRef *m) {
    return ArrayRef<uint64_t>(m->descriptor + 3 + rank, rank);
  };
  copyStrided(width, base(source), base(destination),
              ArrayRef<uint64_t>(source->descriptor + 3, rank), strides(source),
              strides(destination));
}

} // namespace

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Frames, apart from the memory that functions take with llvm.alloca.
static constexpr uint64_t kFrameBytes = 128 << 10;

/// What a call may need. Every function counts: each calls others.
static uint64_t countStack(ModuleOp module) {
  uint64_t bytes = kFrameBytes;
  DataLayout layout(module);
  module.walk([&](LLVM::AllocaOp op) {
    llvm::APInt count;
    if (matchPattern(op.getArraySize(), m_ConstantInt(&count)))
      bytes += count.getZExtValue() *
                   layout.getTypeSize(op.getElemType()).getFixedValue() +
               op.getAlignment().value_or(0);
  });
  return bytes;
}

CPUProgram::CPUProgram() = default;
CPUProgram::~CPUProgram() = default;

/// What arguments and results are of a derived function says nothing to LLVM,
/// which would warn about it.
static void dropRoles(ModuleOp module) {
  module.walk([](FunctionOpInterface function) {
    auto isRole = [](NamedAttribute attribute) {
      return attribute.getName().strref().starts_with("fa.");
    };
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (NamedAttribute attribute : llvm::to_vector(function.getArgAttrs(i)))
        if (isRole(attribute))
          function.removeArgAttr(i, attribute.getName());
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      for (NamedAttribute attribute :
           llvm::to_vector(function.getResultAttrs(i)))
        if (isRole(attribute))
          function.removeResultAttr(i, attribute.getName());
  });
}

llvm::Expected<std::unique_ptr<CPUProgram>>
CPUProgram::compile(ModuleOp module) {
  dropRoles(module);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();

  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(3, 0, machine->get());
  options.transformer = optimize;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap symbols;
    auto add = [&](llvm::StringRef name, auto *function) {
      symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                 llvm::JITSymbolFlags::Exported};
    };
    add("puts", &faPuts);
    add("abort", &faAbort);
    add("malloc", &faMalloc);
    add("free", &faFree);
    add("memrefCopy", &faMemrefCopy);
    return symbols;
  });
  (*engine)->initialize();
  std::unique_ptr<CPUProgram> program(new CPUProgram);
  program->engine = std::move(*engine);
  program->stackBytes = countStack(module);
  return program;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {

/// A memref descriptor: {allocated, aligned, offset, sizes..., strides...},
/// every field of eight bytes.
using Descriptor = SmallVector<uint64_t>;

Descriptor descriptorOf(HostTensor &tensor) {
  auto address = reinterpret_cast<uint64_t>(tensor.data());
  Descriptor descriptor = {address, address, 0};
  llvm::append_range(descriptor, tensor.shape());
  uint64_t stride = 1;
  SmallVector<uint64_t> strides;
  for (int64_t extent : llvm::reverse(tensor.shape())) {
    strides.push_back(stride);
    stride *= extent;
  }
  descriptor.append(strides.rbegin(), strides.rend());
  return descriptor;
}

/// Copies what a descriptor describes into a tensor of its own.
HostTensor gather(DType type, ArrayRef<uint64_t> descriptor) {
  size_t rank = (descriptor.size() - 3) / 2;
  SmallVector<int64_t> shape, strides;
  for (size_t d = 0; d < rank; ++d) {
    shape.push_back(descriptor[3 + d]);
    strides.push_back(descriptor[3 + rank + d]);
  }
  HostTensor result(type, shape);
  size_t width = sizeOf(type);
  auto *base = reinterpret_cast<const char *>(descriptor[1]) +
               int64_t(descriptor[2]) * int64_t(width);
  SmallVector<int64_t> index(rank);
  int64_t source = 0;
  for (int64_t i = 0; i < result.size(); ++i) {
    std::memcpy(result.data() + i * width, base + source * int64_t(width),
                width);
    for (size_t d = rank; d-- > 0;) {
      source += strides[d];
      if (++index[d] < shape[d])
        break;
      source -= index[d] * strides[d];
      index[d] = 0;
    }
  }
  return result;
}

/// The memory that a C wrapper returns its results in.
class ResultFrame {
public:
  explicit ResultFrame(ArrayRef<Parameter> results) : results(results) {
    size_t end = 0;
    for (const Parameter &result : results) {
      bool isArray = result.kind != Parameter::Scalar;
      size_t size =
          isArray ? 8 * (3 + 2 * result.shape.size()) : sizeOf(result.type);
      end = llvm::alignTo(end, isArray ? 8 : size);
      offsets.push_back(end);
      end += size;
    }
    bytes.resize(end + 8);
  }

  void *data() { return bytes.data(); }

  std::vector<HostTensor> take(ArrayRef<HostTensor> arguments) {
    std::vector<HostTensor> tensors;
    SmallVector<void *> owned;
    for (auto [result, offset] : llvm::zip(results, offsets)) {
      const char *at = bytes.data() + offset;
      if (result.kind == Parameter::Scalar) {
        tensors.emplace_back(result.type, ArrayRef<int64_t>());
        std::memcpy(tensors.back().data(), at, sizeOf(result.type));
        continue;
      }
      SmallVector<uint64_t> descriptor(3 + 2 * result.shape.size());
      std::memcpy(descriptor.data(), at, 8 * descriptor.size());
      tensors.push_back(gather(result.type, descriptor));
      auto *allocated = reinterpret_cast<void *>(descriptor[0]);
      if (!isBorrowed(descriptor[0], arguments) &&
          !llvm::is_contained(owned, allocated))
        owned.push_back(allocated);
    }
    for (void *allocation : owned)
      std::free(allocation);
    return tensors;
  }

private:
  /// Memory of an argument, or of a constant (which MLIR marks so).
  static bool isBorrowed(uint64_t address, ArrayRef<HostTensor> arguments) {
    constexpr uint64_t kConstantMark = 0xdeadbeef;
    if (address == kConstantMark)
      return true;
    return llvm::any_of(arguments, [&](const HostTensor &argument) {
      return reinterpret_cast<uint64_t>(argument.data()) == address;
    });
  }

  ArrayRef<Parameter> results;
  SmallVector<size_t> offsets;
  std::vector<char> bytes;
};

llvm::Error checkArguments(const Signature &signature,
                           ArrayRef<HostTensor> arguments) {
  if (arguments.size() != signature.arguments.size())
    return llvm::createStringError(
        "@" + signature.name + " takes " +
        llvm::Twine(signature.arguments.size()) + " arguments, " +
        llvm::Twine(arguments.size()) + " are given");
  for (auto [i, parameter] : llvm::enumerate(signature.arguments)) {
    const HostTensor &argument = arguments[i];
    bool fits = argument.type() == parameter.type &&
                argument.shape().size() == parameter.shape.size();
    if (fits)
      for (auto [is, wanted] : llvm::zip(argument.shape(), parameter.shape))
        fits &= is == wanted || wanted == ShapedType::kDynamic;
    if (!fits)
      return llvm::createStringError(
          "argument " + llvm::Twine(i) + " of @" + signature.name + " is " +
          describe(parameter.type, parameter.shape) + ", " +
          describe(argument.type(), argument.shape()) + " is given");
  }
  return llvm::Error::success();
}

/// Programs have one thread: what else the machine does is not their time.
double threadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

} // namespace

llvm::Expected<CPUProgram::Wrapper> CPUProgram::find(StringRef name) {
  std::lock_guard<std::mutex> lock(mutex);
  Wrapper &wrapper = wrappers[name];
  if (wrapper)
    return wrapper;
  std::string symbol = ("_mlir_ciface_" + symbolPrefix + name).str();
  llvm::Error failure = llvm::Error::success();
  auto lookup = [&] {
    auto found = engine->lookupPacked(symbol);
    if (found)
      wrapper = *found;
    else
      failure = llvm::joinErrors(std::move(failure), found.takeError());
  };
  failure = llvm::joinErrors(std::move(failure),
                             runWithStack(compilerStackBytes, lookup));
  if (failure)
    return std::move(failure);
  return wrapper;
}

llvm::Error CPUProgram::call(Wrapper wrapper, void **arguments,
                             double *seconds) {
  Call call;
  bool returned = false;
  auto callTimed = [&] {
    double start = threadSeconds();
    returned = callGuarded(wrapper, arguments, call);
    if (seconds)
      *seconds = threadSeconds() - start;
  };
  if (llvm::Error error = runWithStack(stackBytes, callTimed))
    return error;
  if (returned)
    return llvm::Error::success();
  if (call.isRefused)
    return llvm::make_error<RefusedCall>(call.message);
  return llvm::createStringError(call.message);
}

llvm::Error CPUProgram::prepare(const Signature &signature) {
  return find(signature.name).takeError();
}

llvm::Expected<std::vector<HostTensor>>
CPUProgram::run(const Signature &signature, std::vector<HostTensor> &arguments,
                double *seconds) {
  if (llvm::Error error = checkArguments(signature, arguments))
    return error;
  llvm::Expected<Wrapper> wrapper = find(signature.name);
  if (!wrapper)
    return wrapper.takeError();

  // invoke(packed): one pointer to each argument of the C wrapper. The wrapper
  // takes results of more than a scalar through a pointer that comes first.
  std::vector<Descriptor> descriptors(arguments.size());
  std::vector<void *> pointers(arguments.size() + 1);
  std::vector<void *> packed;
  ResultFrame frame(signature.results);
  void *framePointer = frame.data();
  bool byPointer = signature.results.size() > 1 ||
                   (signature.results.size() == 1 &&
                    signature.results[0].kind != Parameter::Scalar);
  if (byPointer)
    packed.push_back(&framePointer);
  for (auto [i, parameter] : llvm::enumerate(signature.arguments)) {
    if (parameter.kind == Parameter::Scalar) {
      packed.push_back(arguments[i].data());
      continue;
    }
    descriptors[i] = descriptorOf(arguments[i]);
    pointers[i] = descriptors[i].data();
    packed.push_back(&pointers[i]);
  }
  if (!byPointer)
    packed.push_back(framePointer);

  if (llvm::Error error = call(*wrapper, packed.data(), seconds))
    return error;
  return frame.take(arguments);
}

llvm::Error CPUProgram::invoke(StringRef name,
                               MutableArrayRef<void *> arguments) {
  llvm::Expected<Wrapper> wrapper = find(name);
  if (!wrapper)
    return wrapper.takeError();
  return call(*wrapper, arguments.data(), /*seconds=*/nullptr);
}
