//===- Overlap.h - whether two arrays share memory ------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_RUNTIME_OVERLAP_H
#define FA_LIB_RUNTIME_OVERLAP_H

#include "fa/Runtime/Runtime.h"

namespace fa::runtime {

/// The bytes from the first to past the last of a strided array, relative to
/// its pointer. False if they cannot be counted.
bool findSpan(const Buffer &buffer, Span &span);

/// "argument 2 ('out')".
std::string describe(const Parameter &parameter, size_t index);

} // namespace fa::runtime

#endif // FA_LIB_RUNTIME_OVERLAP_H
