//===- Schedule.cpp - words of schedules ----------------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

LogicalResult fa::refuseWord(StringRef word, StringRef values, StringRef target,
                             StringRef known, llvm::raw_ostream &errors) {
  errors << "fa-pipeline: schedule: '" << word << "' ";
  if (values.empty())
    errors << "is not for " << target << "; there are " << known << "\n";
  else
    errors << "has no such value; " << word.split('=').first << "= takes "
           << values << "\n";
  return failure();
}

LogicalResult fa::checkCPUWord(StringRef word, llvm::raw_ostream &errors) {
  if (word == "fa1" || word == "fa2")
    return success();
  auto [key, value] = word.split('=');
  constexpr StringRef number = "a number from 1 to 1048576";
  constexpr int64_t most = 1 << 20;
  StringRef values = llvm::StringSwitch<StringRef>(key)
                         .Cases({"query-tile", "key-tile"}, number)
                         .Case("partial-sums", number)
                         .Case("preset", "fa1 or fa2")
                         .Case("order", "q_outer or kv_outer")
                         .Case("d-query", "owned, recompute or atomic")
                         .Default("");
  int64_t parsed;
  bool isRight = values == number ? !value.getAsInteger(10, parsed) &&
                                        parsed > 0 && parsed <= most
                                  : !values.empty() && !value.empty();
  // Whether a name is one of those is up to the pass.
  if (isRight)
    return success();
  return refuseWord(word, values, "cpu",
                    "fa1, fa2, query-tile=, key-tile=, partial-sums=, order=, "
                    "preset= and d-query=",
                    errors);
}
