//===- Runtime.h - load and launch compiled attention ---------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A launcher over the CUDA driver API, which it opens at run time: it builds,
// links and answers with an error where there is no CUDA. It needs no LLVM,
// throws nothing and never ends the process: calls return false with a message.
//
// An `Executable` is what fa-compile writes: a manifest (docs/manifest.md) with
// PTX or machine code. Its functions take buffers and scalars; `bind` checks
// them once and keeps sizes and strides, `launch` runs the host program of the
// manifest with the pointers of a call. All of it may be used from several
// threads at once.
//
//===----------------------------------------------------------------------===//

#ifndef FA_RUNTIME_RUNTIME_H
#define FA_RUNTIME_RUNTIME_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fa::runtime {

enum class DType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  F8E4M3,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64
};

/// "bf16"; the names of MLIR's types.
const char *getName(DType type);
/// False if the name is unknown.
bool parseDType(const std::string &name, DType &type);
/// Bytes of one element in memory.
unsigned getSize(DType type);

/// A strided array in memory. Strides are in elements.
struct Buffer {
  void *data;
  DType dtype;
  int32_t rank;
  const int64_t *sizes;
  const int64_t *strides;
  /// A function that writes it is refused.
  bool isReadOnly = false;
};

/// One argument of a call: a buffer, or a scalar as its bits (a float in the
/// low bytes, an integer sign-extended).
struct Argument {
  bool isScalar = false;
  Buffer buffer{};
  DType scalarType = DType::F32;
  uint64_t scalarBits = 0;

  static Argument fromBuffer(const Buffer &buffer) {
    Argument argument;
    argument.buffer = buffer;
    return argument;
  }
  static Argument fromScalar(DType type, uint64_t bits) {
    Argument argument;
    argument.isScalar = true;
    argument.scalarType = type;
    argument.scalarBits = bits;
    return argument;
  }
};

/// Where workspaces and results come from. Without one, workspaces are taken
/// from the device's stream-ordered pool, and functions with results are
/// refused.
struct Allocator {
  /// `result` is the result that the memory is for, or -1: a workspace, needed
  /// until the work on the stream that is launched by this call is done. Null:
  /// out of memory.
  void *(*allocate)(void *context, int result, uint64_t bytes, void *stream);
  /// Called for workspaces only, after the launches.
  void (*release)(void *context, void *data, void *stream);
  void *context;
};

/// How one argument or result looks.
struct Parameter {
  std::string name;
  bool isScalar = false;
  DType dtype = DType::F32;
  /// Extents: >= 0 static; -1 dynamic.
  std::vector<int64_t> sizes;
  /// Names of dynamic extents: those of one name are equal. Empty: not named.
  std::vector<std::string> sizeNames;
  /// Strides in elements: -1 dynamic. Empty with `contiguous`.
  std::vector<int64_t> strides;
  /// Row-major without gaps.
  bool contiguous = false;
  bool isWritten = false;
  /// First of the parameter's slots: pointer, sizes, strides; or the scalar.
  int32_t slot = 0;
};

/// Why a call failed.
struct CallError {
  std::string reason;
  /// What the caller gave is wrong, not the device or the memory.
  bool isArgument = false;
};

struct Program;

/// One function of a manifest.
struct Function {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Parameter> results;
  int32_t numSlots = 0;
  std::shared_ptr<const Program> program;
};

/// The bytes of a buffer from its pointer; none: it is empty.
struct Span {
  int32_t parameter = 0;
  int64_t low = 0, high = 0;
};

/// Checked arguments of a function, as the first state of its program.
struct Binding {
  const Function *function = nullptr;
  std::vector<int64_t> slots;
  /// One per buffer, in order.
  std::vector<Span> spans;
};

/// Checks number, kinds, element types, ranks, extents, strides, that extents
/// of one name agree, and that a buffer that is written may be, without two
/// elements in one place.
bool bind(const Function &function, const Argument *arguments, size_t count,
          Binding &binding, std::string &error);

/// Checks that no buffer that is written shares an element with another. Part
/// of `Executable::launch`; for those who launch otherwise.
bool checkOverlap(const Binding &binding, void *const *pointers,
                  std::string &error);

/// Reads manifest.json in `directory` and the files that it names.
bool readDirectory(const std::string &directory, std::string &manifest,
                   std::string &ptx, std::string &cubin, std::string &target,
                   std::string &error);

class Executable {
public:
  /// Reads a manifest. `ptx` and `cubin` may be empty, not both if a kernel is
  /// to be launched. They are copied.
  static std::unique_ptr<Executable> create(const std::string &manifest,
                                            std::string ptx, std::string cubin,
                                            std::string &error);
  /// Reads manifest.json in `directory` and the files that it names.
  static std::unique_ptr<Executable> open(const std::string &directory,
                                          std::string &error);
  ~Executable();

  /// By name; empty: the only one. Null with a message if there is none.
  const Function *find(const std::string &name, std::string &error) const;

  /// Launches on `stream` (a CUstream; null: the default stream) of `device`,
  /// without waiting. Pointers are those of the binding, or `pointers`: one per
  /// buffer argument, in order. A buffer that is written and shares an element
  /// with another is refused. For each result its pointer, sizes and strides
  /// are appended to `results`, which may be null if there are none.
  bool launch(const Binding &binding, void *const *pointers, int device,
              void *stream, const Allocator *allocator,
              std::vector<int64_t> *results, CallError &error);

private:
  Executable();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The kernels that this thread's last launch started, by name, separated by
/// spaces; cut off after 255 characters. A program may choose among kernels.
const char *getLastLaunched();

//===----------------------------------------------------------------------===//
// The device, for tools and tests
//===----------------------------------------------------------------------===//

/// A device of this process. Work goes to its default stream.
class Device {
public:
  static std::unique_ptr<Device> open(int ordinal, std::string &error);
  ~Device();

  const std::string &getDeviceName() const { return name; }
  /// 80 for compute capability 8.0.
  int getCapability() const { return capability; }
  int getOrdinal() const { return ordinal; }

  void *allocate(uint64_t bytes, std::string &error);
  void release(void *data);
  bool copyToDevice(void *device, const void *host, uint64_t bytes,
                    std::string &error);
  bool copyToHost(void *host, const void *device, uint64_t bytes,
                  std::string &error);
  /// Waits for all work; what a kernel did wrong shows here.
  bool synchronize(std::string &error);

private:
  Device() = default;
  void *context = nullptr;
  int ordinal = 0;
  int capability = 0;
  std::string name;
};

/// How many devices there are; -1 with the reason if the driver cannot be used.
int countDevices(std::string &error);

} // namespace fa::runtime

#endif // FA_RUNTIME_RUNTIME_H
