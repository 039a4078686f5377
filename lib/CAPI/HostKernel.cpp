//===- HostKernel.cpp - functions compiled for the host -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostKernel.h"
#include "fa/Execution/CPUProgram.h"
#include <cstdlib>
#include <cstring>

using namespace fa;

namespace {

/// A memref descriptor: allocated and aligned pointer, offset, sizes, strides.
size_t getDescriptorSize(const runtime::Parameter &parameter) {
  return 3 + 2 * parameter.sizes.size();
}

/// The arguments of a C wrapper, each behind a pointer.
class Frame {
public:
  Frame(const runtime::Binding &binding, void *const *pointers)
      : function(*binding.function), slots(binding.slots) {
    size_t words = 0;
    for (const runtime::Parameter &parameter : function.parameters)
      words += parameter.isScalar ? 1 : getDescriptorSize(parameter);
    for (const runtime::Parameter &result : function.results)
      words += getDescriptorSize(result);
    storage.resize(words);
    addresses.resize(function.parameters.size() + 1);
    int64_t *next = storage.data();
    results = next;
    for (const runtime::Parameter &result : function.results)
      next += getDescriptorSize(result);
    if (!function.results.empty())
      packByPointer(results);
    for (const runtime::Parameter &parameter : function.parameters)
      next = pack(parameter, next, pointers);
  }

  llvm::MutableArrayRef<void *> getPacked() { return packed; }
  const int64_t *getResults() const { return results; }

private:
  void packByPointer(int64_t *at) {
    addresses[used] = at;
    packed.push_back(&addresses[used++]);
  }

  int64_t *pack(const runtime::Parameter &parameter, int64_t *at,
                void *const *&pointers) {
    const int64_t *from = slots.data() + parameter.slot;
    if (parameter.isScalar) {
      *at = *from;
      packed.push_back(at);
      return at + 1;
    }
    at[0] = at[1] = pointers ? reinterpret_cast<int64_t>(*pointers++) : *from;
    at[2] = 0;
    std::copy(from + 1, from + 1 + 2 * parameter.sizes.size(), at + 3);
    packByPointer(at);
    return at + getDescriptorSize(parameter);
  }

  const runtime::Function &function;
  const std::vector<int64_t> &slots;
  std::vector<int64_t> storage;
  std::vector<void *> addresses;
  llvm::SmallVector<void *> packed;
  int64_t *results = nullptr;
  size_t used = 0;
};

/// Copies a strided array to a row-major one; strides in elements.
void gather(char *to, const char *from, const int64_t *sizes,
            const int64_t *strides, size_t rank, size_t width) {
  if (rank == 0) {
    std::memcpy(to, from, width);
    return;
  }
  size_t block = width;
  for (size_t d = 1; d < rank; ++d)
    block *= sizes[d];
  for (int64_t i = 0; i < sizes[0]; ++i)
    gather(to + i * block, from + i * strides[0] * int64_t(width), sizes + 1,
           strides + 1, rank - 1, width);
}

bool isArgument(const runtime::Binding &binding, void *const *pointers,
                int64_t address) {
  for (const runtime::Parameter &parameter : binding.function->parameters) {
    if (parameter.isScalar)
      continue;
    int64_t pointer = pointers ? reinterpret_cast<int64_t>(*pointers++)
                               : binding.slots[parameter.slot];
    if (pointer == address)
      return true;
  }
  return false;
}

/// What MLIR marks the memory of constants with.
constexpr int64_t constantMark = 0xdeadbeef;

/// Hands a result over in memory of the caller.
bool takeResult(const runtime::Parameter &result, size_t index,
                const int64_t *descriptor, const runtime::Allocator *allocator,
                std::vector<int64_t> &results, std::string &error) {
  size_t rank = result.sizes.size();
  const int64_t *sizes = descriptor + 3;
  uint64_t width = runtime::getSize(result.dtype), bytes = width;
  for (size_t d = 0; d < rank; ++d)
    bytes *= sizes[d];
  void *memory = allocator->allocate(allocator->context, int(index), bytes,
                                     /*stream=*/nullptr);
  if (!memory && bytes) {
    error = "out of memory: " + std::to_string(bytes) + " bytes";
    return false;
  }
  const char *from = reinterpret_cast<const char *>(descriptor[1]) +
                     descriptor[2] * int64_t(width);
  if (bytes)
    gather(static_cast<char *>(memory), from, sizes, sizes + rank, rank, width);
  results.push_back(reinterpret_cast<int64_t>(memory));
  results.insert(results.end(), sizes, sizes + rank);
  size_t firstStride = results.size();
  results.resize(firstStride + rank);
  int64_t stride = 1;
  for (size_t d = rank; d-- > 0;) {
    results[firstStride + d] = stride;
    stride *= sizes[d];
  }
  return true;
}

} // namespace

HostKernels::HostKernels() = default;
HostKernels::~HostKernels() = default;

std::unique_ptr<HostKernels> HostKernels::create(mlir::ModuleOp module,
                                                 std::string &error) {
  auto program = CPUProgram::compile(module);
  if (!program) {
    error = llvm::toString(program.takeError());
    return nullptr;
  }
  std::unique_ptr<HostKernels> kernels(new HostKernels());
  kernels->program = std::move(*program);
  return kernels;
}

bool HostKernels::call(const runtime::Binding &binding, void *const *pointers,
                       const runtime::Allocator *allocator,
                       std::vector<int64_t> *results,
                       runtime::CallError &error) {
  const runtime::Function &function = *binding.function;
  if (!function.results.empty() && (!allocator || !results)) {
    error.reason =
        "the function has results: the caller must give an allocator";
    return false;
  }
  error.isArgument = !runtime::checkOverlap(binding, pointers, error.reason);
  if (error.isArgument)
    return false;
  Frame frame(binding, pointers);
  if (llvm::Error failure = program->invoke(function.name, frame.getPacked())) {
    error.isArgument = failure.isA<RefusedCall>();
    error.reason = llvm::toString(std::move(failure));
    return false;
  }
  // Two results may share one allocation.
  llvm::SmallVector<int64_t> owned;
  const int64_t *descriptor = frame.getResults();
  bool isTaken = true;
  for (size_t i = 0; i < function.results.size(); ++i) {
    isTaken = isTaken && takeResult(function.results[i], i, descriptor,
                                    allocator, *results, error.reason);
    if (descriptor[0] != constantMark &&
        !isArgument(binding, pointers, descriptor[0]) &&
        !llvm::is_contained(owned, descriptor[0]))
      owned.push_back(descriptor[0]);
    descriptor += getDescriptorSize(function.results[i]);
  }
  for (int64_t memory : owned)
    std::free(reinterpret_cast<void *>(memory));
  return isTaken;
}
