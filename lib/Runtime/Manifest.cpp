//===- Manifest.cpp - reading and checking manifests ----------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Json.h"
#include "Program.h"
#include <algorithm>

using namespace fa::runtime;

namespace {

/// Version 2 added tensor maps, multiprocessors and memory that is kept 0.
constexpr int64_t supportedVersion = 3;
constexpr int64_t maximumSlots = 1 << 20;
constexpr int64_t maximumRank = 16;

struct DTypeInfo {
  const char *name;
  unsigned size;
};

/// In the order of `DType`.
constexpr DTypeInfo dtypes[] = {{"i1", 1},     {"i8", 1},  {"i16", 2},
                                {"i32", 4},    {"i64", 8}, {"f8E4M3FN", 1},
                                {"f8E5M2", 1}, {"f16", 2}, {"bf16", 2},
                                {"f32", 4},    {"f64", 8}};

/// In the order of `Opcode`.
constexpr const char *opcodeNames[] = {"const",
                                       "set",
                                       "add",
                                       "sub",
                                       "mul",
                                       "div",
                                       "udiv",
                                       "floordiv",
                                       "ceildiv",
                                       "rem",
                                       "urem",
                                       "min",
                                       "max",
                                       "umin",
                                       "umax",
                                       "and",
                                       "or",
                                       "xor",
                                       "shl",
                                       "shr",
                                       "ushr",
                                       "eq",
                                       "ne",
                                       "lt",
                                       "le",
                                       "gt",
                                       "ge",
                                       "ult",
                                       "ule",
                                       "ugt",
                                       "uge",
                                       "select",
                                       "sext",
                                       "zext",
                                       "fadd",
                                       "fsub",
                                       "fmul",
                                       "fdiv",
                                       "fmin",
                                       "fmax",
                                       "fneg",
                                       "sqrt",
                                       "rsqrt",
                                       "int_to_float",
                                       "float_to_float",
                                       "alloc",
                                       "tensor_map",
                                       "read",
                                       "multiprocessors",
                                       "free",
                                       "fill",
                                       "copy",
                                       "launch",
                                       "if",
                                       "for",
                                       "assert"};

/// How many slots `in` has.
int getNumInputs(Opcode opcode) {
  switch (opcode) {
  case Opcode::Const:
  case Opcode::Launch:
  case Opcode::Multiprocessors:
    return 0;
  case Opcode::Set:
  case Opcode::SExt:
  case Opcode::ZExt:
  case Opcode::FNeg:
  case Opcode::Sqrt:
  case Opcode::Rsqrt:
  case Opcode::IntToFloat:
  case Opcode::FloatToFloat:
  case Opcode::Alloc:
  case Opcode::Read:
  case Opcode::Free:
  case Opcode::If:
  case Opcode::Assert:
    return 1;
  case Opcode::Select:
  case Opcode::Copy:
  case Opcode::For:
    return 3;
  default:
    return 2;
  }
}

bool hasResult(Opcode opcode) {
  return opcode <= Opcode::Multiprocessors || opcode == Opcode::For;
}

class Decoder {
public:
  Decoder(Manifest &manifest, std::string &error)
      : manifest(manifest), error(error) {}

  bool decode(const Json &json) {
    if (!json.isObject())
      return fail("a manifest is an object");
    const Json &version = json["version"];
    if (!version.isInteger() || version.integer < 1 ||
        version.integer > supportedVersion)
      return fail("version " + std::to_string(version.integer) +
                  " is not supported; this reader knows versions 1 to " +
                  std::to_string(supportedVersion));
    manifest.target = json["target"].string;
    manifest.cubinTarget = json["cubin_target"].string;
    manifest.ptxFile = json["ptx"].string;
    manifest.cubinFile = json["cubin"].string;
    if (!json["functions"].isArray() || json["functions"].array.empty())
      return fail("no functions");
    for (const Json &function : json["functions"].array)
      if (!decodeFunction(function))
        return false;
    return true;
  }

private:
  bool fail(const std::string &reason) {
    error = "manifest: " + reason;
    return false;
  }

  bool decodeFunction(const Json &json) {
    manifest.functions.emplace_back();
    Function &function = manifest.functions.back();
    function.name = json["name"].string;
    const Json &slots = json["slots"];
    if (!slots.isInteger() || slots.integer < 0 || slots.integer > maximumSlots)
      return fail("function '" + function.name + "' needs a number of slots");
    numSlots = function.numSlots = int32_t(slots.integer);
    for (const Json &argument : json["arguments"].array)
      if (!decodeParameter(argument, function.parameters))
        return false;
    for (const Json &result : json["results"].array)
      if (!decodeParameter(result, function.results))
        return false;
    auto program = std::make_shared<Program>();
    numResults = function.results.size();
    kernels = &program->kernels;
    if (!decodeBlock(json["program"], program->instructions))
      return false;
    function.program = program;
    return true;
  }

  bool decodeParameter(const Json &json, std::vector<Parameter> &parameters) {
    parameters.emplace_back();
    Parameter &parameter = parameters.back();
    parameter.name = json["name"].string;
    parameter.isScalar = json["kind"].string == "scalar";
    if (!parameter.isScalar && json["kind"].string != "buffer")
      return fail("argument '" + parameter.name + "' is of unknown kind");
    if (!parseDType(json["dtype"].string, parameter.dtype))
      return fail("argument '" + parameter.name + "' has unknown dtype '" +
                  json["dtype"].string + "'");
    parameter.isWritten = json["access"].string == "write" ||
                          json["access"].string == "readwrite";
    if (!decodeSlot(json["slot"], parameter.slot))
      return false;
    return parameter.isScalar || decodeShape(json, parameter);
  }

  bool decodeShape(const Json &json, Parameter &parameter) {
    const Json &shape = json["shape"];
    if (!shape.isArray() || int64_t(shape.array.size()) > maximumRank)
      return fail("argument '" + parameter.name + "' needs a shape");
    for (const Json &extent : shape.array) {
      parameter.sizes.push_back(extent.isInteger() ? extent.integer : -1);
      parameter.sizeNames.push_back(extent.string);
    }
    int64_t rank = int64_t(shape.array.size());
    if (parameter.slot + 2 * rank >= numSlots)
      return fail("argument '" + parameter.name +
                  "' has its slots out of range");
    const Json &strides = json["strides"];
    parameter.contiguous = strides.string == "contiguous";
    if (parameter.contiguous)
      return true;
    if (int64_t(strides.array.size()) != rank)
      return fail("argument '" + parameter.name +
                  "' needs one stride per dimension");
    for (const Json &stride : strides.array)
      parameter.strides.push_back(stride.isInteger() ? stride.integer : -1);
    return true;
  }

  bool decodeSlot(const Json &json, int32_t &slot) {
    if (!json.isInteger() || json.integer < 0 || json.integer >= numSlots)
      return fail("slot out of range");
    slot = int32_t(json.integer);
    return true;
  }

  bool decodeBlock(const Json &json, std::vector<Instruction> &block) {
    for (const Json &item : json.array) {
      block.emplace_back();
      if (!decodeInstruction(item, block.back()))
        return false;
    }
    return true;
  }

  bool decodeOpcode(const std::string &name, Opcode &opcode) {
    const auto *found =
        std::find(std::begin(opcodeNames), std::end(opcodeNames), name);
    if (found == std::end(opcodeNames))
      return fail("unknown instruction '" + name + "'");
    opcode = Opcode(found - std::begin(opcodeNames));
    return true;
  }

  bool decodeInstruction(const Json &json, Instruction &i) {
    if (!decodeOpcode(json["op"].string, i.opcode))
      return false;
    if (i.opcode == Opcode::TensorMap)
      return decodeTensorMap(json, i);
    int numInputs = getNumInputs(i.opcode);
    if (int(json["in"].array.size()) != numInputs)
      return fail("instruction '" + json["op"].string + "' needs " +
                  std::to_string(numInputs) + " inputs");
    for (int k = 0; k < numInputs; ++k)
      if (!decodeSlot(json["in"].array[k], i.in[k]))
        return false;
    if (hasResult(i.opcode) && !decodeSlot(json["to"], i.to))
      return false;
    i.value = json["value"].integer;
    i.isKeptZero = json["kept_zero"].isTrue();
    i.message = json["message"].string;
    if (json["bits"].isInteger())
      i.bits = uint8_t(json["bits"].integer);
    bool isFloat = i.opcode >= Opcode::FAdd && i.opcode <= Opcode::FloatToFloat;
    if (i.bits < 1 || i.bits > 64 || (isFloat && i.bits != 32 && i.bits != 64))
      return fail("bad width of '" + json["op"].string + "'");
    if (i.opcode == Opcode::Read && i.bits != 8 && i.bits != 16 &&
        i.bits != 32 && i.bits != 64)
      return fail("'read' is of 8, 16, 32 or 64 bits");
    const Json &result = json["result"];
    if (result.isInteger()) {
      if (result.integer < 0 || result.integer >= int64_t(numResults))
        return fail("an allocation is for a result that does not exist");
      i.result = int32_t(result.integer);
    }
    if (i.opcode == Opcode::Launch)
      return decodeLaunch(json, i);
    return decodeBlock(json[i.opcode == Opcode::If ? "then" : "body"],
                       i.body) &&
           decodeBlock(json["else"], i.otherwise);
  }

  /// `in` is the address, the sizes, the strides.
  bool decodeTensorMap(const Json &json, Instruction &i) {
    i.tensorMap = std::make_unique<TensorMap>();
    TensorMap &map = *i.tensorMap;
    std::string reason;
    if (!readTensorMap(json, map, reason))
      return fail("tensor map '" + json["name"].string + "': " + reason);
    const std::vector<Json> &in = json["in"].array;
    size_t rank = map.box.size();
    if (in.size() != 1 + 2 * rank)
      return fail("tensor map '" + map.name + "' needs " +
                  std::to_string(1 + 2 * rank) + " inputs, not " +
                  std::to_string(in.size()));
    map.sizes.resize(rank);
    map.strides.resize(rank);
    if (!decodeSlot(in[0], map.address) || !decodeSlot(json["to"], i.to))
      return false;
    for (size_t d = 0; d < rank; ++d)
      if (!decodeSlot(in[1 + d], map.sizes[d]) ||
          !decodeSlot(in[1 + rank + d], map.strides[d]))
        return false;
    constexpr int32_t numSlotsOfMap = tensorMapBytes / sizeof(int64_t);
    if (i.to % 8 || i.to + numSlotsOfMap > numSlots)
      return fail("tensor map '" + map.name +
                  "' needs 16 slots from a multiple of 8");
    return true;
  }

  bool decodeDimensions(const Json &json, int32_t (&dimensions)[3]) {
    if (json.array.size() != 3)
      return fail("a launch needs three extents");
    for (int k = 0; k < 3; ++k)
      if (!decodeSlot(json.array[k], dimensions[k]))
        return false;
    return true;
  }

  bool decodeLaunch(const Json &json, Instruction &i) {
    i.launch = std::make_unique<Launch>();
    Launch &launch = *i.launch;
    const std::string &kernel = json["kernel"].string;
    if (kernel.empty())
      return fail("a launch needs a kernel");
    auto found = std::find(kernels->begin(), kernels->end(), kernel);
    launch.kernel = int32_t(found - kernels->begin());
    if (found == kernels->end())
      kernels->push_back(kernel);
    if (!decodeDimensions(json["grid"], launch.grid) ||
        !decodeDimensions(json["block"], launch.block))
      return false;
    if (!json["cluster"].isNull() &&
        !decodeDimensions(json["cluster"], launch.cluster))
      return false;
    if (!json["shared"].isNull() && !decodeSlot(json["shared"], launch.shared))
      return false;
    for (const Json &parameter : json["parameters"].array) {
      launch.parameters.push_back(0);
      if (!decodeSlot(parameter, launch.parameters.back()))
        return false;
    }
    return true;
  }

  Manifest &manifest;
  std::string &error;
  int32_t numSlots = 0;
  size_t numResults = 0;
  std::vector<std::string> *kernels = nullptr;
};

} // namespace

const char *fa::runtime::getName(DType type) {
  return dtypes[size_t(type)].name;
}

unsigned fa::runtime::getSize(DType type) { return dtypes[size_t(type)].size; }

bool fa::runtime::parseDType(const std::string &name, DType &type) {
  for (size_t i = 0; i < std::size(dtypes); ++i)
    if (name == dtypes[i].name) {
      type = DType(i);
      return true;
    }
  return false;
}

bool fa::runtime::readManifest(const std::string &text, Manifest &manifest,
                               std::string &error) {
  Json json;
  return parseJson(text, json, error) && Decoder(manifest, error).decode(json);
}
