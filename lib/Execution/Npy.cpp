//===- Npy.cpp - reading and writing numpy's .npy files -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Execution/HostTensor.h"
#include "fa/Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace fa;
using llvm::StringRef;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

/// Files are little endian ("<", or "|" where a byte has no order).
static std::optional<DType> parseDescr(StringRef descr) {
  return llvm::StringSwitch<std::optional<DType>>(descr)
      .Case("<f2", DType::F16)
      .Case("<f4", DType::F32)
      .Case("<f8", DType::F64)
      .Cases({"|V2", "<V2"}, DType::BF16)
      .Case("|b1", DType::I1)
      .Cases({"|i1", "|u1"}, DType::I8)
      .Cases({"<i2", "<u2"}, DType::I16)
      .Cases({"<i4", "<u4"}, DType::I32)
      .Cases({"<i8", "<u8"}, DType::I64)
      .Default(std::nullopt);
}

static StringRef descrOf(DType type) {
  switch (type) {
  case DType::BF16:
    return "|V2";
  case DType::F16:
    return "<f2";
  case DType::F32:
    return "<f4";
  case DType::F64:
    return "<f8";
  case DType::I1:
    return "|b1";
  case DType::I8:
    return "|i1";
  case DType::I16:
    return "<i2";
  case DType::I32:
    return "<i4";
  case DType::I64:
    return "<i8";
  }
  llvm_unreachable("a new DType");
}

/// What follows `'key':` in the header's Python dictionary.
static StringRef valueOf(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return {};
  StringRef rest = header.drop_front(at + key.size() + 2).ltrim();
  if (!rest.consume_front(":"))
    return {};
  return rest.ltrim();
}

static bool parseShape(StringRef text, llvm::SmallVector<int64_t> &shape) {
  if (!text.consume_front("("))
    return false;
  text = text.take_until([](char c) { return c == ')'; });
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    part = part.trim();
    if (part.empty())
      continue;
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent < 0)
      return false;
    shape.push_back(extent);
  }
  return true;
}

static HostTensor toRowMajor(const HostTensor &columnMajor) {
  HostTensor result(columnMajor.type(), columnMajor.shape());
  llvm::ArrayRef<int64_t> shape = result.shape();
  llvm::SmallVector<int64_t> index(shape.size());
  size_t width = sizeOf(result.type());
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t source = 0, stride = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      source += index[d] * stride;
      stride *= shape[d];
    }
    std::memcpy(result.data() + i * width, columnMajor.data() + source * width,
                width);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
  return result;
}

llvm::Expected<HostTensor> fa::readNpy(StringRef path) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      (status.type() == llvm::sys::fs::file_type::character_file ||
       status.type() == llvm::sys::fs::file_type::block_file))
    return fail("cannot read '" + path + "': it is a device");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fail("cannot read '" + path + "': " + file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 10)
    return fail("'" + path + "' is not a .npy file");
  auto byteAt = [&](size_t i) { return size_t(uint8_t(bytes[i])); };
  bool isLong = bytes[6] >= 2;
  size_t start = isLong ? 12 : 10;
  if (bytes.size() < start)
    return fail("'" + path + "' is cut short");
  size_t length = byteAt(8) | byteAt(9) << 8;
  if (isLong)
    length |= byteAt(10) << 16 | byteAt(11) << 24;
  if (bytes.size() < start + length)
    return fail("'" + path + "' is cut short");
  StringRef header = bytes.substr(start, length);

  StringRef descr = valueOf(header, "descr");
  descr = descr.consume_front("'")
              ? descr.take_until([](char c) { return c == '\''; })
              : StringRef();
  std::optional<DType> type = parseDescr(descr);
  if (!type)
    return fail("'" + path + "' has element type '" + descr +
                "', which no argument can have");
  llvm::SmallVector<int64_t> shape;
  if (!parseShape(valueOf(header, "shape"), shape))
    return fail("'" + path + "' has no readable shape");
  uint64_t expected = sizeOf(*type);
  bool overflow = false;
  for (int64_t extent : shape) {
    bool overflowed = false;
    expected =
        llvm::SaturatingMultiply<uint64_t>(expected, extent, &overflowed);
    overflow |= overflowed;
  }
  StringRef payload = bytes.drop_front(start + length);
  if (overflow || payload.size() < expected)
    return fail("'" + path + "' is cut short: " + describe(*type, shape) +
                " needs more than its " + llvm::Twine(payload.size()) +
                " bytes");
  HostTensor tensor(*type, shape);
  std::memcpy(tensor.data(), payload.data(), tensor.byteSize());
  if (valueOf(header, "fortran_order").starts_with("True"))
    return toRowMajor(tensor);
  return tensor;
}

llvm::Error fa::writeNpy(StringRef path, const HostTensor &tensor) {
  std::string header;
  llvm::raw_string_ostream os(header);
  os << "{'descr': '" << descrOf(tensor.type())
     << "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.shape())
    os << extent << ",";
  os << "), }";
  // Data starts at a multiple of 64 bytes, the header ends in a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';

  char prefix[] = {'\x93',
                   'N',
                   'U',
                   'M',
                   'P',
                   'Y',
                   1,
                   0,
                   char(header.size() & 255),
                   char(header.size() >> 8)};
  return writeWhole(path, {StringRef(prefix, sizeof prefix), header,
                           StringRef(tensor.data(), tensor.byteSize())});
}
