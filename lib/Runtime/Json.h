//===- Json.h - a reader for manifests ------------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_RUNTIME_JSON_H
#define FA_LIB_RUNTIME_JSON_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fa::runtime {

/// A JSON value. Numbers are 64-bit integers: manifests hold no others.
struct Json {
  enum class Kind { Null, Bool, Integer, String, Array, Object };

  Kind kind = Kind::Null;
  int64_t integer = 0;
  std::string string;
  std::vector<Json> array;
  std::vector<std::pair<std::string, Json>> object;

  bool isNull() const { return kind == Kind::Null; }
  bool isInteger() const { return kind == Kind::Integer; }
  bool isString() const { return kind == Kind::String; }
  bool isArray() const { return kind == Kind::Array; }
  bool isObject() const { return kind == Kind::Object; }
  bool isTrue() const { return kind == Kind::Bool && integer; }

  /// The member of an object; null if there is none.
  const Json &operator[](const char *key) const;
};

/// Reads `text`; false with the position and reason.
bool parseJson(const std::string &text, Json &value, std::string &error);

} // namespace fa::runtime

#endif // FA_LIB_RUNTIME_JSON_H
