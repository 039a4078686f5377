//===- HostTensor.h - arrays in host memory -------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_EXECUTION_HOSTTENSOR_H
#define FA_EXECUTION_HOSTTENSOR_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace fa {

enum class DType { BF16, F16, F32, F64, I1, I8, I16, I32, I64 };

size_t sizeOf(DType type);
/// As MLIR spells it: bf16, f16, f32, f64, i1, i8, i16, i32, i64.
llvm::StringRef nameOf(DType type);
std::optional<DType> parseDType(llvm::StringRef name);
/// Null for a type that no argument can have; index is i64.
std::optional<DType> dtypeOf(mlir::Type type);
bool isFloat(DType type);

/// A dense row-major array.
class HostTensor {
public:
  HostTensor() = default;
  HostTensor(DType type, llvm::ArrayRef<int64_t> shape);

  DType type() const { return elementType; }
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  int64_t size() const { return count; }
  char *data() { return bytes.data(); }
  const char *data() const { return bytes.data(); }
  size_t byteSize() const { return size_t(count) * sizeOf(elementType); }

  double get(int64_t i) const;
  /// Rounds to the element type (to nearest, ties to even).
  void set(int64_t i, double value);
  HostTensor convertedTo(DType type) const;

private:
  DType elementType = DType::F32;
  llvm::SmallVector<int64_t> extents;
  int64_t count = 0;
  std::vector<char> bytes;
};

/// "2x8x64xf32".
std::string describe(DType type, llvm::ArrayRef<int64_t> shape);

/// numpy's .npy format, version 1 and 2. bf16 is kept as numpy's two-byte void
/// (what ml_dtypes' bfloat16 is saved as). Fortran order is turned into C
/// order.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path);
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace fa

#endif // FA_EXECUTION_HOSTTENSOR_H
