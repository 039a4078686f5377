//===- TensorMap.cpp - descriptors for TMA --------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"
#include <cstdio>
#include <cstring>

using namespace fa::runtime;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// CUtensorMapDataType; -1: TMA has no such type.
static int getDataType(DType type) {
  switch (type) {
  case DType::I8:
  case DType::F8E4M3:
  case DType::F8E5M2:
    return 0;
  case DType::I16:
    return 1;
  case DType::I32:
    return 3;
  case DType::I64:
    return 5;
  case DType::F16:
    return 6;
  case DType::F32:
    return 7;
  case DType::F64:
    return 8;
  case DType::BF16:
    return 9;
  default:
    return -1;
  }
}

static bool isOneOf(int64_t value, std::initializer_list<int64_t> values) {
  for (int64_t other : values)
    if (value == other)
      return true;
  return false;
}

static bool checkBox(const TensorMap &map, std::string &reason) {
  for (int64_t extent : map.box)
    if (extent < 1 || extent > 256) {
      reason = "a box is from 1 to 256 in every dimension, not " +
               std::to_string(extent);
      return false;
    }
  int64_t row = map.box.back() * int64_t(getSize(map.dtype));
  if (row % 16) {
    reason = "a row of the box is a multiple of 16 bytes, not " +
             std::to_string(row);
    return false;
  }
  if (map.swizzle && row > map.swizzle) {
    reason = "a row of the box is " + std::to_string(row) +
             " bytes, more than the swizzle of " + std::to_string(map.swizzle);
    return false;
  }
  return true;
}

bool fa::runtime::readTensorMap(const Json &json, TensorMap &map,
                                std::string &reason) {
  map.name = json["name"].string;
  const Json &fill = json["fill"];
  map.fillsNaN = fill.string == "nan";
  map.swizzle = json["swizzle"].integer;
  map.l2Promotion = json["l2_promotion"].integer;
  for (const Json &extent : json["box"].array)
    map.box.push_back(extent.integer);
  if (!parseDType(json["dtype"].string, map.dtype) ||
      getDataType(map.dtype) < 0)
    reason = "there are no tensor maps of dtype '" + json["dtype"].string + "'";
  else if (map.box.empty() || map.box.size() > TensorMap::maximumRank)
    reason =
        "a box has 1 to 5 dimensions, not " + std::to_string(map.box.size());
  else if (!isOneOf(map.swizzle, {0, 32, 64, 128}))
    reason = "a swizzle is of 0, 32, 64 or 128 bytes, not " +
             std::to_string(map.swizzle);
  else if (!isOneOf(map.l2Promotion, {0, 64, 128, 256}))
    reason = "an L2 promotion is of 0, 64, 128 or 256 bytes, not " +
             std::to_string(map.l2Promotion);
  else if (!fill.isNull() && fill.string != "zero" && fill.string != "nan")
    reason = "a fill is 'zero' or 'nan', not '" + fill.string + "'";
  else if (map.fillsNaN && map.dtype < DType::F16)
    reason = "only maps of f16, bf16, f32 and f64 can be filled with NaN";
  else
    return checkBox(map, reason);
  return false;
}

//===----------------------------------------------------------------------===//
// Maps that were made
//===----------------------------------------------------------------------===//

size_t TensorMapCache::Hash::operator()(const Key &key) const {
  uint64_t hash = 0;
  for (int64_t word : key) {
    hash = (hash ^ uint64_t(word)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return size_t(hash);
}

bool TensorMapCache::find(const Key &key, void *to) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = maps.find(key);
  if (found == maps.end())
    return false;
  std::memcpy(to, found->second.bytes, tensorMapBytes);
  return true;
}

void TensorMapCache::add(const Key &key, const void *map) {
  std::lock_guard<std::mutex> lock(mutex);
  if (maps.size() >= most)
    maps.clear();
  std::memcpy(maps[key].bytes, map, tensorMapBytes);
}

static TensorMapCache::Key makeKey(const TensorMap &map, const int64_t *slots) {
  TensorMapCache::Key key{slots[map.address]};
  size_t at = 1;
  for (int32_t size : map.sizes)
    key[at++] = slots[size];
  for (int32_t stride : map.strides)
    key[at++] = slots[stride];
  return key;
}

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

namespace {

/// The array as the driver takes it: innermost dimension first, strides in
/// bytes and none for the innermost.
struct Encoded {
  CUdeviceptr address;
  uint64_t sizes[TensorMap::maximumRank];
  uint64_t strides[TensorMap::maximumRank];
  uint32_t box[TensorMap::maximumRank];
};

constexpr char advice[] =
    "; use an array that is laid out so, or a kernel for sm_80, which takes "
    "any";

std::string describe(const TensorMap &map) {
  return map.name.empty() ? "a tensor map" : "'" + map.name + "'";
}

bool failStride(const TensorMap &map, size_t d, int64_t stride,
                const char *need, std::string &error) {
  error = describe(map) + ": the stride of dimension " + std::to_string(d) +
          " of its tensor map is " + std::to_string(stride) + " elements of " +
          std::to_string(getSize(map.dtype)) + " bytes; TMA needs " + need +
          advice;
  return false;
}

/// Strides of extents 1 are never used, and libraries put anything there.
bool setStride(const TensorMap &map, size_t d, int64_t stride, uint64_t size,
               uint64_t &bytes, std::string &error) {
  constexpr int64_t limit = int64_t(1) << 40;
  int64_t width = getSize(map.dtype);
  if (size == 1) {
    bytes = 16;
    return true;
  }
  if (stride <= 0 || stride >= limit / width)
    return failStride(map, d, stride, "more than 0 and less than 2^40 bytes",
                      error);
  if (stride * width % 16)
    return failStride(map, d, stride, "a multiple of 16 bytes", error);
  bytes = uint64_t(stride * width);
  return true;
}

bool setExtents(const TensorMap &map, const int64_t *slots, Encoded &encoded,
                std::string &error) {
  size_t rank = map.box.size();
  for (size_t i = 0; i < rank; ++i) {
    size_t d = rank - 1 - i;
    int64_t size = slots[map.sizes[d]], stride = slots[map.strides[d]];
    if (size > int64_t(1) << 32) {
      error = describe(map) + ": an extent of its tensor map is " +
              std::to_string(size) + ", more than 2^32";
      return false;
    }
    encoded.sizes[i] = uint64_t(size);
    encoded.box[i] = uint32_t(map.box[d]);
    if (i > 0) {
      if (!setStride(map, d, stride, encoded.sizes[i], encoded.strides[i - 1],
                     error))
        return false;
    } else if (stride != 1 && size != 1) {
      return failStride(map, d, stride, "1 element in the last dimension",
                        error);
    }
  }
  return true;
}

bool checkAddress(const TensorMap &map, CUdeviceptr address,
                  std::string &error) {
  if (address % 16 == 0)
    return true;
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(address));
  error = describe(map) + ": its address " + text +
          " is not a multiple of 16 bytes, which TMA needs" + advice;
  return false;
}

int log2OfGranule(int64_t bytes, int64_t granule) {
  int steps = 0;
  for (; bytes >= granule; bytes /= 2)
    ++steps;
  return steps;
}

} // namespace

static bool encode(const Driver &driver, const TensorMap &map,
                   const int64_t *slots, void *to, std::string &error) {
  if (!driver.cuTensorMapEncodeTiled) {
    error = "the CUDA driver (for CUDA " + describeVersion(driver.version) +
            ") lacks cuTensorMapEncodeTiled, which the kernel needs for " +
            describe(map) + ": update the driver, or use a kernel for sm_80";
    return false;
  }
  Encoded encoded;
  encoded.address = CUdeviceptr(slots[map.address]);
  if (!checkAddress(map, encoded.address, error) ||
      !setExtents(map, slots, encoded, error))
    return false;
  constexpr uint32_t steps[TensorMap::maximumRank] = {1, 1, 1, 1, 1};
  CUresult result = driver.cuTensorMapEncodeTiled(
      to, getDataType(map.dtype), unsigned(map.box.size()), encoded.address,
      encoded.sizes, encoded.strides, encoded.box, steps, /*interleave=*/0,
      log2OfGranule(map.swizzle, 32), log2OfGranule(map.l2Promotion, 64),
      map.fillsNaN);
  return driver.check(
      result, ("cannot make the tensor map of " + describe(map)).c_str(),
      error);
}

bool fa::runtime::encodeTensorMap(const Driver &driver, const TensorMap &map,
                                  const int64_t *slots, void *to,
                                  std::string &error) {
  for (int32_t size : map.sizes)
    if (slots[size] <= 0) {
      std::memset(to, 0, tensorMapBytes);
      return true;
    }
  TensorMapCache::Key key = makeKey(map, slots);
  if (map.cache.find(key, to))
    return true;
  std::memset(to, 0, tensorMapBytes);
  if (!encode(driver, map, slots, to, error))
    return false;
  map.cache.add(key, to);
  return true;
}
