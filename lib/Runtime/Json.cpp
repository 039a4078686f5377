//===- Json.cpp - a reader for manifests ----------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Json.h"
#include <cstring>

using namespace fa::runtime;

namespace {

/// Deeper input is refused: the reader recurses.
constexpr int maximumDepth = 200;

class Reader {
public:
  Reader(const std::string &text, std::string &error)
      : at(text.data()), begin(text.data()), end(text.data() + text.size()),
        error(error) {}

  bool readDocument(Json &value) {
    if (!readValue(value, 0))
      return false;
    skipSpace();
    return at == end || fail("text after the value");
  }

private:
  bool fail(const char *reason) {
    error = "JSON: " + std::string(reason) + " at byte " +
            std::to_string(at - begin);
    return false;
  }

  void skipSpace() {
    while (at != end &&
           (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
      ++at;
  }

  bool consume(char c) {
    skipSpace();
    if (at == end || *at != c)
      return false;
    ++at;
    return true;
  }

  bool consumeWord(const char *word) {
    size_t length = std::strlen(word);
    if (size_t(end - at) < length || std::strncmp(at, word, length) != 0)
      return false;
    at += length;
    return true;
  }

  bool readValue(Json &value, int depth) {
    skipSpace();
    if (at == end)
      return fail("value expected");
    if (depth > maximumDepth)
      return fail("nested too deeply");
    switch (*at) {
    case '{':
      return readObject(value, depth);
    case '[':
      return readArray(value, depth);
    case '"':
      value.kind = Json::Kind::String;
      return readString(value.string);
    default:
      return readScalar(value);
    }
  }

  bool readScalar(Json &value) {
    if (consumeWord("null"))
      return true;
    if (consumeWord("true")) {
      value.kind = Json::Kind::Bool;
      value.integer = 1;
      return true;
    }
    if (consumeWord("false")) {
      value.kind = Json::Kind::Bool;
      return true;
    }
    return readInteger(value);
  }

  bool readInteger(Json &value) {
    bool negative = at != end && *at == '-';
    const char *digits = negative ? at + 1 : at;
    uint64_t limit = uint64_t(INT64_MAX) + negative;
    uint64_t magnitude = 0;
    const char *p = digits;
    for (; p != end && *p >= '0' && *p <= '9'; ++p) {
      uint64_t digit = *p - '0';
      if (magnitude > (limit - digit) / 10)
        return fail("number out of range");
      magnitude = magnitude * 10 + digit;
    }
    if (p == digits)
      return fail("value expected");
    if (p != end && (*p == '.' || *p == 'e' || *p == 'E'))
      return fail("integer expected");
    at = p;
    value.kind = Json::Kind::Integer;
    value.integer = int64_t(negative ? 0 - magnitude : magnitude);
    return true;
  }

  bool readString(std::string &string) {
    for (++at; at != end && *at != '"'; ++at) {
      if (*at != '\\') {
        string += *at;
        continue;
      }
      if (++at == end || !readEscape(string))
        return fail("bad escape");
    }
    if (at == end)
      return fail("string not closed");
    ++at;
    return true;
  }

  /// The character after a backslash.
  bool readEscape(std::string &string) {
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    if (const char *found = std::strchr(names, *at); found && *at) {
      string += values[found - names];
      return true;
    }
    if (*at != 'u' || end - at < 5)
      return false;
    unsigned code = 0;
    for (int i = 1; i <= 4; ++i) {
      char c = at[i];
      unsigned digit = c >= '0' && c <= '9'   ? c - '0'
                       : c >= 'a' && c <= 'f' ? c - 'a' + 10
                       : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                              : 16;
      if (digit == 16)
        return false;
      code = code * 16 + digit;
    }
    at += 4;
    appendUtf8(string, code);
    return true;
  }

  static void appendUtf8(std::string &string, unsigned code) {
    if (code < 0x80) {
      string += char(code);
    } else if (code < 0x800) {
      string += char(0xC0 | code >> 6);
      string += char(0x80 | (code & 0x3F));
    } else {
      string += char(0xE0 | code >> 12);
      string += char(0x80 | (code >> 6 & 0x3F));
      string += char(0x80 | (code & 0x3F));
    }
  }

  bool readArray(Json &value, int depth) {
    value.kind = Json::Kind::Array;
    ++at;
    if (consume(']'))
      return true;
    do {
      value.array.emplace_back();
      if (!readValue(value.array.back(), depth + 1))
        return false;
    } while (consume(','));
    return consume(']') || fail("',' or ']' expected");
  }

  bool readObject(Json &value, int depth) {
    value.kind = Json::Kind::Object;
    ++at;
    if (consume('}'))
      return true;
    do {
      skipSpace();
      if (at == end || *at != '"')
        return fail("key expected");
      value.object.emplace_back();
      if (!readString(value.object.back().first))
        return false;
      if (!consume(':'))
        return fail("':' expected");
      if (!readValue(value.object.back().second, depth + 1))
        return false;
    } while (consume(','));
    return consume('}') || fail("',' or '}' expected");
  }

  const char *at;
  const char *begin;
  const char *end;
  std::string &error;
};

} // namespace

const Json &Json::operator[](const char *key) const {
  static const Json none;
  for (const auto &member : object)
    if (member.first == key)
      return member.second;
  return none;
}

bool fa::runtime::parseJson(const std::string &text, Json &value,
                            std::string &error) {
  return Reader(text, error).readDocument(value);
}
