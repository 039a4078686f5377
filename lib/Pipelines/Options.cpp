//===- Options.cpp - parsing of --fa-pipeline's options -------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "fa/Pipelines/Pipelines.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using llvm::StringRef;

/// Takes one value off `text`: quoted, or up to the next space.
static FailureOr<StringRef> takeValue(StringRef &text) {
  if (!text.empty() && (text.front() == '\'' || text.front() == '"')) {
    size_t end = text.find(text.front(), 1);
    if (end == StringRef::npos)
      return failure();
    StringRef value = text.slice(1, end);
    text = text.drop_front(end + 1).ltrim();
    return value;
  }
  StringRef value;
  std::tie(value, text) = text.split(' ');
  text = text.ltrim();
  return value;
}

LogicalResult fa::parsePipelineOptions(StringRef text, PipelineOptions &options,
                                       llvm::raw_ostream &errors) {
  text = text.trim();
  std::string vectorBits, checkOffsets = "false";
  while (!text.empty()) {
    size_t equals = text.find('=');
    StringRef key = text.take_front(equals).trim();
    std::string *target = llvm::StringSwitch<std::string *>(key)
                              .Case("target", &options.target)
                              .Case("schedule", &options.schedule)
                              .Case("stop-after", &options.stopAfter)
                              .Case("vector-bits", &vectorBits)
                              .Case("check-offsets", &checkOffsets)
                              .Default(nullptr);
    if (!target || equals == StringRef::npos) {
      errors << "fa-pipeline: '" << key
             << "' is no option; there are target=, schedule=, stop-after=, "
                "vector-bits= and check-offsets=, separated by spaces\n";
      return failure();
    }
    text = text.drop_front(equals + 1);
    FailureOr<StringRef> value = takeValue(text);
    if (failed(value)) {
      errors << "fa-pipeline: the quote in " << key << "= is not closed\n";
      return failure();
    }
    if (target != &vectorBits) {
      *target = value->str();
      options.checkOffsets = checkOffsets == "true";
      if (checkOffsets != "true" && checkOffsets != "false") {
        errors << "fa-pipeline: check-offsets=" << *value
               << " is neither true nor false\n";
        return failure();
      }
    } else if (value->getAsInteger(10, options.vectorBits) ||
               options.vectorBits < 0) {
      errors << "fa-pipeline: vector-bits=" << *value << " is no width\n";
      return failure();
    }
  }
  return success();
}
