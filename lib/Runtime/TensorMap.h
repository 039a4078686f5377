//===- TensorMap.h - descriptors for TMA ----------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_RUNTIME_TENSORMAP_H
#define FA_LIB_RUNTIME_TENSORMAP_H

#include "Driver.h"
#include "Json.h"
#include "fa/Runtime/Runtime.h"
#include <array>
#include <mutex>
#include <unordered_map>

namespace fa::runtime {

constexpr size_t tensorMapRank = 5;

/// Maps that were made. A map follows from the address, the sizes and the
/// strides alone, so one that was made once stays right, and allocators hand
/// out the same addresses again and again.
class TensorMapCache {
public:
  /// Address, sizes, strides; 0 where there are fewer.
  using Key = std::array<int64_t, 1 + 2 * tensorMapRank>;

  /// Copies the map to `to`; false if there is none.
  bool find(const Key &key, void *to);
  void add(const Key &key, const void *map);

private:
  struct Hash {
    size_t operator()(const Key &key) const;
  };
  struct Map {
    unsigned char bytes[tensorMapBytes];
  };
  /// Beyond it all are forgotten.
  static constexpr size_t most = 1024;

  std::mutex mutex;
  std::unordered_map<Key, Map, Hash> maps;
};

/// A `tensor_map` of a manifest. Dimensions are outermost first.
struct TensorMap {
  static constexpr size_t maximumRank = tensorMapRank;

  /// For messages.
  std::string name;
  DType dtype = DType::BF16;
  /// Slots.
  int32_t address = 0;
  std::vector<int32_t> sizes, strides;
  std::vector<int64_t> box;
  /// Bytes: 0, 32, 64, 128.
  int64_t swizzle = 0;
  /// Bytes: 0, 64, 128, 256.
  int64_t l2Promotion = 0;
  bool fillsNaN = false;

  mutable TensorMapCache cache;
};

/// Reads all but the slots. False with the reason if no such map can be made,
/// whatever the array.
bool readTensorMap(const Json &json, TensorMap &map, std::string &reason);

/// Makes the map of the array that `slots` describe, in the 128 bytes at `to`
/// (aligned to 64). A map of an array without elements is all 0 and must not be
/// used.
bool encodeTensorMap(const Driver &driver, const TensorMap &map,
                     const int64_t *slots, void *to, std::string &error);

} // namespace fa::runtime

#endif // FA_LIB_RUNTIME_TENSORMAP_H
