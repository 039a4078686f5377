//===- Program.h - the host program of a function -------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef FA_LIB_RUNTIME_PROGRAM_H
#define FA_LIB_RUNTIME_PROGRAM_H

#include "TensorMap.h"
#include "fa/Runtime/Runtime.h"
#include <map>

namespace fa::runtime {

/// What a manifest names; see docs/manifest.md. Kept in the order of
/// `opcodeNames`.
enum class Opcode : uint8_t {
  Const,
  Set,
  Add,
  Sub,
  Mul,
  Div,
  UDiv,
  FloorDiv,
  CeilDiv,
  Rem,
  URem,
  Min,
  Max,
  UMin,
  UMax,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  UShr,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  ULt,
  ULe,
  UGt,
  UGe,
  Select,
  SExt,
  ZExt,
  FAdd,
  FSub,
  FMul,
  FDiv,
  FMin,
  FMax,
  FNeg,
  Sqrt,
  Rsqrt,
  IntToFloat,
  FloatToFloat,
  Alloc,
  TensorMap,
  Read,
  Multiprocessors,
  Free,
  Fill,
  Copy,
  Launch,
  If,
  For,
  Assert
};

struct Launch {
  /// Index into the kernels of the program.
  int32_t kernel = 0;
  int32_t grid[3], block[3];
  /// -1: none.
  int32_t cluster[3] = {-1, -1, -1};
  int32_t shared = -1;
  /// Slots of the parameters. A parameter is passed by address, and the low
  /// bytes of a slot are the value.
  std::vector<int32_t> parameters;
};

struct Instruction {
  Opcode opcode = Opcode::Const;
  /// Bits of an integer or float, or the type of a float.
  uint8_t bits = 64;
  int32_t to = -1;
  int32_t in[3] = {-1, -1, -1};
  int64_t value = 0;
  int32_t result = -1;
  bool isKeptZero = false;
  std::string message;
  std::unique_ptr<Launch> launch;
  std::unique_ptr<TensorMap> tensorMap;
  std::vector<Instruction> body;
  std::vector<Instruction> otherwise;
};

struct Program {
  std::vector<std::string> kernels;
  std::vector<Instruction> instructions;
};

/// The result's extents and the rest of what the launcher asks while it runs a
/// program.
struct Manifest {
  std::string target;
  std::string cubinTarget;
  std::string ptxFile;
  std::string cubinFile;
  std::vector<Function> functions;
};

/// Reads and checks a manifest: every slot is in range, every kind of
/// instruction known.
bool readManifest(const std::string &text, Manifest &manifest,
                  std::string &error);

/// What the effects of a program act on.
class Machine {
public:
  virtual ~Machine() = default;
  virtual bool launch(const Launch &launch, int64_t *slots) = 0;
  virtual bool allocate(int result, int64_t bytes, int64_t &pointer) = 0;
  /// `to` is 128 bytes, aligned to 64.
  virtual bool encode(const TensorMap &map, const int64_t *slots,
                      int64_t *to) = 0;
  virtual bool getMultiprocessors(int64_t &count) = 0;
  /// Waits for what was launched before.
  virtual bool read(int64_t from, int64_t bytes, int64_t &bits) = 0;
  /// Memory that is 0 and that kernels leave 0. `owner` tells apart what must
  /// not be the same memory.
  virtual bool getKeptZero(const void *owner, int64_t bytes,
                           int64_t &pointer) = 0;
  virtual bool fill(int64_t pointer, int64_t bytes, uint8_t value) = 0;
  virtual bool copy(int64_t to, int64_t from, int64_t bytes) = 0;
  CallError error;
};

/// Runs `program` on `slots`; false with the reason in `machine.error`.
bool run(const std::vector<Instruction> &program, int64_t *slots,
         Machine &machine);

} // namespace fa::runtime

#endif // FA_LIB_RUNTIME_PROGRAM_H
