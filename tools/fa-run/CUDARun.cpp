//===- CUDARun.cpp - functions on a CUDA GPU ------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "fa/Compiler/Compiler.h"
#include "fa/Runtime/Runtime.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>

using namespace mlir;
using namespace fa;

namespace {

llvm::Error errorOf(const std::string &message) {
  return llvm::createStringError(message);
}

/// Device memory of one call.
class DeviceMemory {
public:
  explicit DeviceMemory(runtime::Device &device) : device(device) {}
  ~DeviceMemory() {
    for (void *data : blocks)
      device.release(data);
  }

  void *allocate(uint64_t bytes) {
    void *data = device.allocate(std::max<uint64_t>(bytes, 1), error);
    if (data)
      blocks.push_back(data);
    return data;
  }

  /// Workspaces and results. All live until the call's results are copied.
  runtime::Allocator asAllocator() {
    return {[](void *self, int, uint64_t bytes, void *) {
              return static_cast<DeviceMemory *>(self)->allocate(bytes);
            },
            [](void *, void *, void *) {}, this};
  }

  runtime::Device &device;
  std::string error;

private:
  std::vector<void *> blocks;
};

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// A number's bits: a float in the low bytes, an integer sign-extended.
uint64_t bitsOf(const HostTensor &scalar) {
  if (!isFloat(scalar.type()))
    return uint64_t(int64_t(scalar.get(0)));
  uint64_t bits = 0;
  std::copy_n(scalar.data(), scalar.byteSize(),
              reinterpret_cast<char *>(&bits));
  return bits;
}

runtime::DType runtimeTypeOf(DType type) {
  runtime::DType result = runtime::DType::F32;
  (void)runtime::parseDType(nameOf(type).str(), result);
  return result;
}

class CUDARunner : public Runner {
public:
  CUDARunner(Signature signature, std::unique_ptr<runtime::Device> device,
             std::unique_ptr<runtime::Executable> executable,
             const runtime::Function *function)
      : signature(std::move(signature)), device(std::move(device)),
        executable(std::move(executable)), function(function) {}

  llvm::Expected<std::vector<HostTensor>>
  run(std::vector<HostTensor> &arguments, double &seconds) override {
    DeviceMemory memory(*device);
    std::string error;
    std::vector<runtime::Argument> given;
    std::vector<SmallVector<int64_t>> strides;
    strides.reserve(arguments.size());
    for (auto [parameter, argument] :
         llvm::zip_equal(signature.arguments, arguments)) {
      if (parameter.kind == Parameter::Scalar) {
        given.push_back(runtime::Argument::fromScalar(
            runtimeTypeOf(argument.type()), bitsOf(argument)));
        continue;
      }
      void *data = memory.allocate(argument.byteSize());
      if (!data || !device->copyToDevice(data, argument.data(),
                                         argument.byteSize(), memory.error))
        return errorOf(memory.error);
      strides.push_back(rowMajorStrides(argument.shape()));
      given.push_back(runtime::Argument::fromBuffer(
          {data, runtimeTypeOf(argument.type()),
           int32_t(argument.shape().size()), argument.shape().data(),
           strides.back().data()}));
    }
    runtime::Binding binding;
    std::vector<int64_t> made;
    if (!runtime::bind(*function, given.data(), given.size(), binding, error) ||
        !launch(memory, given, binding, made, seconds, error))
      return errorOf(error);
    if (llvm::Error failure = copyBack(given, arguments))
      return failure;
    return takeResults(made);
  }

private:
  bool launch(DeviceMemory &memory, ArrayRef<runtime::Argument> given,
              const runtime::Binding &binding, std::vector<int64_t> &made,
              double &seconds, std::string &error) {
    std::vector<void *> pointers;
    for (const runtime::Argument &argument : given)
      if (!argument.isScalar)
        pointers.push_back(argument.buffer.data);
    runtime::Allocator allocator = memory.asAllocator();
    auto start = std::chrono::steady_clock::now();
    runtime::CallError failure;
    bool launched =
        executable->launch(binding, pointers.data(), device->getOrdinal(),
                           nullptr, &allocator, &made, failure);
    error = failure.reason;
    launched = launched && device->synchronize(error);
    seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    if (!launched && !memory.error.empty())
      error = memory.error;
    return launched;
  }

  /// What the function wrote into memrefs.
  llvm::Error copyBack(ArrayRef<runtime::Argument> given,
                       std::vector<HostTensor> &arguments) {
    std::string error;
    for (auto [parameter, from, to] :
         llvm::zip_equal(signature.arguments, given, arguments))
      if (parameter.kind == Parameter::MemRef &&
          !device->copyToHost(to.data(), from.buffer.data, to.byteSize(),
                              error))
        return errorOf(error);
    return llvm::Error::success();
  }

  llvm::Expected<std::vector<HostTensor>> takeResults(ArrayRef<int64_t> made) {
    std::string error;
    std::vector<HostTensor> results;
    for (const Parameter &parameter : signature.results) {
      size_t rank = parameter.shape.size();
      auto *data = reinterpret_cast<const void *>(made.front());
      ArrayRef<int64_t> shape = made.slice(1, rank),
                        strides = made.slice(1 + rank, rank);
      made = made.drop_front(1 + 2 * rank);
      HostTensor &result = results.emplace_back(parameter.type, shape);
      if (result.size() > 0 && strides != ArrayRef(rowMajorStrides(shape)))
        return errorOf("a result is not contiguous in memory");
      if (!device->copyToHost(result.data(), data, result.byteSize(), error))
        return errorOf(error);
    }
    return results;
  }

  Signature signature;
  std::unique_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Executable> executable;
  const runtime::Function *function;
};

} // namespace

llvm::Expected<std::unique_ptr<Runner>>
fa::makeCUDARunner(ModuleOp module, const Signature &signature,
                   llvm::StringRef schedule) {
  std::string error;
  auto device = runtime::Device::open(0, error);
  if (!device)
    return errorOf(error);
  CompileOptions options;
  options.target = "sm_80";
  options.schedule = schedule.str();
  options.checkOffsets = true;
  options.entry = signature.name;
  options.ptx.assembleFor = "sm_" + std::to_string(device->getCapability());
  OwningOpRef<ModuleOp> lowered = module.clone();
  FailureOr<Artifact> artifact = compileForGPU(*lowered, options);
  if (failed(artifact))
    return llvm::createStringError("");
  auto executable =
      runtime::Executable::create(artifact->manifest, std::move(artifact->ptx),
                                  std::move(artifact->cubin), error);
  const runtime::Function *function =
      executable ? executable->find(signature.name, error) : nullptr;
  if (!function)
    return errorOf(error);
  return std::make_unique<CUDARunner>(signature, std::move(device),
                                      std::move(executable), function);
}
