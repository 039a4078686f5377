//===- Program.cpp - running the host program -----------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <cmath>
#include <cstring>

using namespace fa::runtime;

namespace {

// Arithmetic wraps: signed overflow is not undefined here.
int64_t wrapAdd(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) + uint64_t(b));
}
int64_t wrapSub(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) - uint64_t(b));
}
int64_t wrapMul(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) * uint64_t(b));
}

bool isDivision(Opcode opcode) {
  return opcode == Opcode::Div || opcode == Opcode::UDiv ||
         opcode == Opcode::FloorDiv || opcode == Opcode::CeilDiv ||
         opcode == Opcode::Rem || opcode == Opcode::URem;
}

int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int64_t ceilDiv(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

int64_t extend(int64_t value, unsigned bits, bool isSigned) {
  if (bits >= 64)
    return value;
  uint64_t low = uint64_t(value) << (64 - bits);
  return isSigned ? int64_t(low) >> (64 - bits) : int64_t(low >> (64 - bits));
}

double readFloat(int64_t slot, unsigned bits) {
  if (bits == 64) {
    double value;
    std::memcpy(&value, &slot, sizeof value);
    return value;
  }
  float value;
  std::memcpy(&value, &slot, sizeof value);
  return value;
}

/// Rounding a double result of one operation on floats to float is the float
/// operation.
int64_t writeFloat(double value, unsigned bits) {
  int64_t slot = 0;
  float narrow = float(value);
  std::memcpy(&slot, bits == 64 ? static_cast<void *>(&value) : &narrow,
              bits / 8);
  return slot;
}

int64_t evaluateInteger(const Instruction &i, const int64_t *slots) {
  int64_t a = slots[i.in[0]];
  int64_t b = i.in[1] < 0 ? 0 : slots[i.in[1]];
  uint64_t ua = uint64_t(a), ub = uint64_t(b);
  switch (i.opcode) {
  case Opcode::Set:
    return a;
  case Opcode::Add:
    return wrapAdd(a, b);
  case Opcode::Sub:
    return wrapSub(a, b);
  case Opcode::Mul:
    return wrapMul(a, b);
  case Opcode::Div:
    return b == -1 ? wrapSub(0, a) : a / b;
  case Opcode::UDiv:
    return int64_t(ua / ub);
  case Opcode::FloorDiv:
    return b == -1 ? wrapSub(0, a) : floorDiv(a, b);
  case Opcode::CeilDiv:
    return b == -1 ? wrapSub(0, a) : ceilDiv(a, b);
  case Opcode::Rem:
    return b == -1 ? 0 : a % b;
  case Opcode::URem:
    return int64_t(ua % ub);
  case Opcode::Min:
    return std::min(a, b);
  case Opcode::Max:
    return std::max(a, b);
  case Opcode::UMin:
    return int64_t(std::min(ua, ub));
  case Opcode::UMax:
    return int64_t(std::max(ua, ub));
  case Opcode::And:
    return a & b;
  case Opcode::Or:
    return a | b;
  case Opcode::Xor:
    return a ^ b;
  case Opcode::Shl:
    return ub > 63 ? 0 : int64_t(ua << ub);
  case Opcode::Shr:
    return a >> std::min<uint64_t>(ub, 63);
  case Opcode::UShr:
    return ub > 63 ? 0 : int64_t(ua >> ub);
  case Opcode::Eq:
    return a == b;
  case Opcode::Ne:
    return a != b;
  case Opcode::Lt:
    return a < b;
  case Opcode::Le:
    return a <= b;
  case Opcode::Gt:
    return a > b;
  case Opcode::Ge:
    return a >= b;
  case Opcode::ULt:
    return ua < ub;
  case Opcode::ULe:
    return ua <= ub;
  case Opcode::UGt:
    return ua > ub;
  case Opcode::UGe:
    return ua >= ub;
  case Opcode::Select:
    return a ? b : slots[i.in[2]];
  case Opcode::SExt:
    return extend(a, i.bits, true);
  default:
    return extend(a, i.bits, false);
  }
}

int64_t evaluateFloat(const Instruction &i, const int64_t *slots) {
  if (i.opcode == Opcode::IntToFloat)
    return writeFloat(double(slots[i.in[0]]), i.bits);
  // A conversion reads the other width.
  double a = readFloat(slots[i.in[0]],
                       i.opcode == Opcode::FloatToFloat ? 96 - i.bits : i.bits);
  double b = i.in[1] < 0 ? 0 : readFloat(slots[i.in[1]], i.bits);
  switch (i.opcode) {
  case Opcode::FAdd:
    return writeFloat(a + b, i.bits);
  case Opcode::FSub:
    return writeFloat(a - b, i.bits);
  case Opcode::FMul:
    return writeFloat(a * b, i.bits);
  case Opcode::FDiv:
    return writeFloat(a / b, i.bits);
  case Opcode::FMin:
    return writeFloat(std::fmin(a, b), i.bits);
  case Opcode::FMax:
    return writeFloat(std::fmax(a, b), i.bits);
  case Opcode::FNeg:
    return writeFloat(-a, i.bits);
  case Opcode::Sqrt:
    return writeFloat(std::sqrt(a), i.bits);
  case Opcode::Rsqrt:
    return writeFloat(1 / std::sqrt(a), i.bits);
  default:
    return writeFloat(a, i.bits);
  }
}

bool runLoop(const Instruction &i, int64_t *slots, Machine &machine) {
  int64_t step = slots[i.in[2]];
  if (step <= 0) {
    machine.error.reason =
        "a loop of the host program has a step that is not positive";
    return false;
  }
  for (int64_t at = slots[i.in[0]], end = slots[i.in[1]]; at < end;
       at = wrapAdd(at, step)) {
    slots[i.to] = at;
    if (!run(i.body, slots, machine))
      return false;
    if (end - at <= step)
      break;
  }
  return true;
}

bool runEffect(const Instruction &i, int64_t *slots, Machine &machine) {
  switch (i.opcode) {
  case Opcode::Alloc:
    if (i.isKeptZero)
      return machine.getKeptZero(&i, slots[i.in[0]], slots[i.to]);
    return machine.allocate(i.result, slots[i.in[0]], slots[i.to]);
  case Opcode::TensorMap:
    return machine.encode(*i.tensorMap, slots, slots + i.to);
  case Opcode::Read: {
    int64_t bits = 0;
    if (!machine.read(slots[i.in[0]], i.bits / 8, bits))
      return false;
    slots[i.to] = extend(bits, i.bits, true);
    return true;
  }
  case Opcode::Multiprocessors:
    return machine.getMultiprocessors(slots[i.to]);
  case Opcode::Free:
    // Workspaces live until the end of the call.
    return true;
  case Opcode::Fill:
    return machine.fill(slots[i.in[0]], slots[i.in[1]], uint8_t(i.value));
  case Opcode::Copy:
    return machine.copy(slots[i.in[0]], slots[i.in[1]], slots[i.in[2]]);
  case Opcode::Launch:
    return machine.launch(*i.launch, slots);
  case Opcode::If:
    return run(slots[i.in[0]] ? i.body : i.otherwise, slots, machine);
  case Opcode::For:
    return runLoop(i, slots, machine);
  default:
    if (slots[i.in[0]])
      return true;
    machine.error = {i.message, /*isArgument=*/true};
    return false;
  }
}

} // namespace

bool fa::runtime::run(const std::vector<Instruction> &program, int64_t *slots,
                      Machine &machine) {
  for (const Instruction &i : program) {
    if (i.opcode == Opcode::Const) {
      slots[i.to] = i.value;
    } else if (i.opcode >= Opcode::Alloc) {
      if (!runEffect(i, slots, machine))
        return false;
    } else if (i.opcode >= Opcode::FAdd) {
      slots[i.to] = evaluateFloat(i, slots);
    } else {
      if (isDivision(i.opcode) && slots[i.in[1]] == 0) {
        machine.error.reason = "the host program divides by 0";
        return false;
      }
      slots[i.to] = evaluateInteger(i, slots);
    }
  }
  return true;
}
