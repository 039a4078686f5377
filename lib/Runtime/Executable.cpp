//===- Executable.cpp - loading and launching -----------------------------===//
//
// Part of FA, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "CudaMachine.h"
#include <algorithm>
#include <fstream>
#include <mutex>
#include <sstream>

using namespace fa::runtime;

namespace {

/// The module on one device.
struct LoadedModule {
  const DeviceInfo *device = nullptr;
  CUmodule module = nullptr;
  /// Per function of the manifest, per kernel of its program.
  std::vector<std::vector<Kernel>> kernels;
};

/// "sm_90a": 90, with `isExact`: this architecture only.
int parseArchitecture(const std::string &name, bool &isExact) {
  isExact = !name.empty() && (name.back() == 'a' || name.back() == 'f');
  return name.rfind("sm_", 0) == 0 ? std::atoi(name.c_str() + 3) : 0;
}

/// Machine code runs on its architecture and later minor versions of it.
bool canRunCubin(const std::string &target, int capability) {
  bool isExact;
  int architecture = parseArchitecture(target, isExact);
  return isExact ? capability == architecture
                 : capability / 10 == architecture / 10 &&
                       capability >= architecture;
}

/// PTX runs on its architecture and all later ones.
bool canRunPTX(const std::string &target, int capability) {
  bool isExact;
  int architecture = parseArchitecture(target, isExact);
  return isExact ? capability == architecture : capability >= architecture;
}

bool readFile(const std::string &path, std::string &contents,
              std::string &error) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream buffer;
  if (!file || !(buffer << file.rdbuf()).good()) {
    error = "cannot read " + path;
    return false;
  }
  contents = buffer.str();
  return true;
}

/// A name from a manifest stays in the manifest's folder.
bool isPlainName(const std::string &name) {
  return name.find('/') == std::string::npos && name != "..";
}

} // namespace

struct Executable::Impl {
  Manifest manifest;
  std::string ptx;
  std::string cubin;
  std::mutex mutex;
  std::map<int, std::unique_ptr<LoadedModule>> loaded;

  LoadedModule *load(const Driver &driver, int ordinal, std::string &error);
  bool loadModule(const Driver &driver, LoadedModule &module,
                  std::string &error);
  bool findKernels(const Driver &driver, LoadedModule &module,
                   std::string &error);
};

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

LoadedModule *Executable::Impl::load(const Driver &driver, int ordinal,
                                     std::string &error) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = loaded.find(ordinal);
  if (found != loaded.end())
    return found->second.get();
  auto module = std::make_unique<LoadedModule>();
  module->device = getDevice(driver, ordinal, error);
  if (!module->device)
    return nullptr;
  ContextScope scope(driver, module->device->context);
  if (!loadModule(driver, *module, error))
    return nullptr;
  if (!findKernels(driver, *module, error)) {
    driver.cuModuleUnload(module->module);
    return nullptr;
  }
  return (loaded[ordinal] = std::move(module)).get();
}

bool Executable::Impl::loadModule(const Driver &driver, LoadedModule &module,
                                  std::string &error) {
  const DeviceInfo &device = *module.device;
  const std::string &cubinTarget =
      manifest.cubinTarget.empty() ? manifest.target : manifest.cubinTarget;
  bool useCubin = !cubin.empty() && canRunCubin(cubinTarget, device.capability);
  if (!useCubin &&
      (ptx.empty() || !canRunPTX(manifest.target, device.capability))) {
    error = "the kernel is compiled for " +
            (ptx.empty() ? cubinTarget : manifest.target) + "; device " +
            std::to_string(device.ordinal) + " (" + device.name + ") is sm_" +
            std::to_string(device.capability) + " and cannot run it";
    return false;
  }
  char log[4096] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  const std::string &image = useCubin ? cubin : ptx;
  CUresult result = driver.cuModuleLoadDataEx(&module.module, image.c_str(), 2,
                                              options, values);
  if (driver.check(result,
                   useCubin ? "cannot load the kernel"
                            : "the driver cannot compile the kernel's PTX",
                   error))
    return true;
  if (log[0])
    error += std::string(": ") + log;
  return false;
}

bool Executable::Impl::findKernels(const Driver &driver, LoadedModule &module,
                                   std::string &error) {
  for (const Function &function : manifest.functions) {
    const std::vector<std::string> &names = function.program->kernels;
    module.kernels.emplace_back(names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      module.kernels.back()[i].name = names[i];
      CUresult result = driver.cuModuleGetFunction(
          &module.kernels.back()[i].function, module.module, names[i].c_str());
      if (!driver.check(
              result,
              ("kernel '" + names[i] + "' is not in the module").c_str(),
              error))
        return false;
    }
  }
  return true;
}

Executable::Executable() : impl(std::make_unique<Impl>()) {}

Executable::~Executable() {
  std::string ignored;
  const Driver *driver = impl->loaded.empty() ? nullptr : Driver::get(ignored);
  for (auto &entry : impl->loaded) {
    ContextScope scope(*driver, entry.second->device->context);
    driver->cuModuleUnload(entry.second->module);
  }
}

std::unique_ptr<Executable> Executable::create(const std::string &manifest,
                                               std::string ptx,
                                               std::string cubin,
                                               std::string &error) {
  std::unique_ptr<Executable> executable(new Executable());
  if (!readManifest(manifest, executable->impl->manifest, error))
    return nullptr;
  executable->impl->ptx = std::move(ptx);
  executable->impl->cubin = std::move(cubin);
  return executable;
}

bool fa::runtime::readDirectory(const std::string &directory, std::string &text,
                                std::string &ptx, std::string &cubin,
                                std::string &target, std::string &error) {
  Manifest manifest;
  if (!readFile(directory + "/manifest.json", text, error) ||
      !readManifest(text, manifest, error))
    return false;
  if (!isPlainName(manifest.ptxFile) || !isPlainName(manifest.cubinFile)) {
    error = "manifest: file names must not have folders";
    return false;
  }
  target = manifest.target;
  return (manifest.ptxFile.empty() ||
          readFile(directory + "/" + manifest.ptxFile, ptx, error)) &&
         (manifest.cubinFile.empty() ||
          readFile(directory + "/" + manifest.cubinFile, cubin, error));
}

std::unique_ptr<Executable> Executable::open(const std::string &directory,
                                             std::string &error) {
  std::string text, ptx, cubin, target;
  if (!readDirectory(directory, text, ptx, cubin, target, error))
    return nullptr;
  return create(text, std::move(ptx), std::move(cubin), error);
}

const Function *Executable::find(const std::string &name,
                                 std::string &error) const {
  const std::vector<Function> &functions = impl->manifest.functions;
  for (const Function &function : functions)
    if (function.name == name)
      return &function;
  if (name.empty() && functions.size() == 1)
    return &functions.front();
  error = name.empty() ? "name one of the functions:"
                       : "no function '" + name + "'; there are:";
  for (const Function &function : functions)
    error += " '" + function.name + "'";
  return nullptr;
}

bool Executable::launch(const Binding &binding, void *const *pointers,
                        int device, void *stream, const Allocator *allocator,
                        std::vector<int64_t> *results, CallError &error) {
  const Driver *driver = Driver::get(error.reason);
  LoadedModule *module =
      driver ? impl->load(*driver, device, error.reason) : nullptr;
  if (!module)
    return false;
  error.isArgument = !checkOverlap(binding, pointers, error.reason);
  if (error.isArgument)
    return false;
  const Function &function = *binding.function;
  // The state of a call; a stack array for all that is common. Aligned for
  // tensor maps.
  struct alignas(64) Line {
    int64_t slots[8];
  };
  constexpr size_t common = 64;
  Line small[common];
  size_t lines = (binding.slots.size() + 7) / 8;
  std::vector<Line> large(lines > common ? lines : 0);
  int64_t *slots = (large.empty() ? small : large.data())->slots;
  std::copy(binding.slots.begin(), binding.slots.end(), slots);
  if (pointers)
    for (const Parameter &parameter : function.parameters)
      if (!parameter.isScalar)
        slots[parameter.slot] = reinterpret_cast<int64_t>(*pointers++);

  ContextScope scope(*driver, module->device->context);
  size_t index = size_t(&function - impl->manifest.functions.data());
  CudaMachine machine(*driver, *module->device, module->kernels[index],
                      static_cast<CUstream>(stream), allocator);
  if (!run(function.program->instructions, slots, machine)) {
    error = machine.error;
    return false;
  }
  for (const Parameter &result : function.results)
    if (results)
      results->insert(results->end(), slots + result.slot,
                      slots + result.slot + 1 + 2 * result.sizes.size());
  return true;
}
