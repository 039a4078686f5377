/*===- fake_cuda.c - a stand-in for the CUDA driver
------------------------===*\
|*
|* Part of FA, under the Apache License v2.0 with LLVM Exceptions.
|*
|* Exports what the launcher uses of libcuda, works on host memory, and writes
|* what it was asked to do to the file named by FAKE_CUDA_LOG. Kernels do not
|* run. FAKE_CUDA_CAPABILITY (80) and FAKE_CUDA_VERSION (13000) say what it
|* is; FAKE_CUDA_FAIL names a function that fails; FAKE_CUDA_CAPTURES makes
|* every stream one that is being captured. Built with FAKE_CUDA_OLD it lacks
|* what newer drivers have.
|*
\*===----------------------------------------------------------------------===*/

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CUresult;

static int contextStorage[8];
static void *currentContext;

/* A kernel, with its parameters as the PTX declares them. */
struct Function {
  char name[128];
  unsigned sizes[128];
  int count;
};

static void record(const char *format, ...) {
  const char *path = getenv("FAKE_CUDA_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file)
    return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fputc('\n', file);
  fclose(file);
}

static int number(const char *variable, int otherwise) {
  const char *value = getenv(variable);
  return value ? atoi(value) : otherwise;
}

static CUresult fails(const char *function) {
  const char *name = getenv("FAKE_CUDA_FAIL");
  return name && strcmp(name, function) == 0 ? 2 : 0;
}

CUresult cuInit(unsigned flags) { return fails("cuInit"); }
CUresult cuDriverGetVersion(int *version) {
  *version = number("FAKE_CUDA_VERSION", 13000);
  return 0;
}
CUresult cuGetErrorName(CUresult error, const char **name) {
  *name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_UNKNOWN";
  return 0;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == 2 ? "out of memory" : "unknown error";
  return 0;
}
CUresult cuDeviceGetCount(int *count) {
  *count = number("FAKE_CUDA_DEVICES", 1);
  return 0;
}
CUresult cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return 0;
}
CUresult cuDeviceGetName(char *name, int length, int device) {
  snprintf(name, length, "Fake GPU");
  return 0;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, int device) {
  int capability = number("FAKE_CUDA_CAPABILITY", 80);
  *value = attribute == 75    ? capability / 10
           : attribute == 76  ? capability % 10
           : attribute == 16  ? number("FAKE_CUDA_MULTIPROCESSORS", 132)
           : capability >= 90 ? 232448
                              : 166912;
  return 0;
}
CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &contextStorage[device];
  return 0;
}
CUresult cuCtxGetCurrent(void **context) {
  *context = currentContext;
  return 0;
}
CUresult cuCtxPushCurrent_v2(void *context) {
  currentContext = context;
  return 0;
}
CUresult cuCtxPopCurrent_v2(void **context) {
  *context = currentContext;
  currentContext = NULL;
  return 0;
}
CUresult cuCtxSynchronize(void) { return 0; }

CUresult cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                            int *options, void **values) {
  int isPTX = memcmp(image, "\177ELF", 4) != 0;
  record("load %s", isPTX ? "ptx" : "cubin");
  *module = isPTX ? strdup(image) : strdup("");
  return fails("cuModuleLoadDataEx");
}
CUresult cuModuleUnload(void *module) {
  record("unload");
  free(module);
  return 0;
}

/* ".param .u64 .ptr .global .align 1 add_param_0," or
   ".param .align 64 .b8 add_param_0[128]," */
static unsigned sizeOfParameter(const char *line) {
  const char *type = strstr(line, ".param .");
  const char *end = strpbrk(line, ",\n)");
  const char *bracket = strchr(line, '[');
  if (bracket && end && bracket < end)
    return (unsigned)atoi(bracket + 1);
  return type ? (unsigned)atoi(type + 9) / 8 : 0;
}

CUresult cuModuleGetFunction(void **function, void *module, const char *name) {
  char pattern[160];
  snprintf(pattern, sizeof pattern, ".entry %s(", name);
  const char *at = strstr(module, pattern);
  /* Machine code, kept as "", is not looked into. */
  if (!at && *(const char *)module)
    return 500;
  struct Function *made = calloc(1, sizeof *made);
  snprintf(made->name, sizeof made->name, "%s", name);
  const char *end = at ? strchr(at, ')') : NULL;
  while (end && (at = strstr(at, "\t.param")) && at < end)
    made->sizes[made->count++] = sizeOfParameter(at++);
  *function = made;
  return 0;
}
CUresult cuFuncSetAttribute(void *function, int attribute, int value) {
  record("attribute %d %d", attribute, value);
  return 0;
}

static void recordParameters(const struct Function *function, void **values) {
  for (int i = 0; i < function->count; ++i) {
    int64_t value = 0;
    unsigned size = function->sizes[i];
    memcpy(&value, values[i], size < 8 ? size : 8);
    if (size > 8 && (uintptr_t)values[i] % 64)
      record("  misaligned parameter");
    record("  parameter %d: %d bytes %llx", i, function->sizes[i],
           (unsigned long long)value);
  }
}

CUresult cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                        unsigned bx, unsigned by, unsigned bz, unsigned shared,
                        void *stream, void **parameters, void **extra) {
  const struct Function *kernel = function;
  record("launch %s grid %u %u %u block %u %u %u shared %u stream %llx",
         kernel->name, gx, gy, gz, bx, by, bz, shared,
         (unsigned long long)(uintptr_t)stream);
  recordParameters(kernel, parameters);
  return fails("cuLaunchKernel");
}
CUresult cuLaunchKernelEx(const void *config, void *function, void **parameters,
                          void **extra) {
  /* Of a CUlaunchConfig and its one attribute. */
  const unsigned *extents = config;
  const unsigned *cluster = *(unsigned *const *)((const char *)config + 40) + 2;
  const struct Function *kernel = function;
  record("launch %s grid %u %u %u block %u %u %u shared %u cluster %u %u %u",
         kernel->name, extents[0], extents[1], extents[2], extents[3],
         extents[4], extents[5], extents[6], cluster[0], cluster[1],
         cluster[2]);
  recordParameters(kernel, parameters);
  return fails("cuLaunchKernelEx");
}

CUresult cuStreamCreate(void **stream, unsigned flags) {
  *stream = (void *)(uintptr_t)0x5000;
  return fails("cuStreamCreate");
}
CUresult cuStreamSynchronize(void *stream) { return 0; }
CUresult cuStreamDestroy_v2(void *stream) { return 0; }
CUresult cuStreamIsCapturing(void *stream, int *status) {
  *status = number("FAKE_CUDA_CAPTURES", 0);
  return 0;
}
CUresult cuThreadExchangeStreamCaptureMode(int *mode) { return 0; }

#ifndef FAKE_CUDA_OLD
CUresult cuTensorMapEncodeTiled(void *map, int type, unsigned rank,
                                uint64_t address, const uint64_t *sizes,
                                const uint64_t *strides, const uint32_t *box,
                                const uint32_t *steps, int interleave,
                                int swizzle, int promotion, int fill) {
  char text[512];
  int at = snprintf(text, sizeof text, "map type %d address %llx sizes", type,
                    (unsigned long long)address);
  for (unsigned i = 0; i < rank; ++i)
    at += snprintf(text + at, sizeof text - at, " %llu",
                   (unsigned long long)sizes[i]);
  at += snprintf(text + at, sizeof text - at, " strides");
  for (unsigned i = 0; i + 1 < rank; ++i)
    at += snprintf(text + at, sizeof text - at, " %llu",
                   (unsigned long long)strides[i]);
  at += snprintf(text + at, sizeof text - at, " box");
  for (unsigned i = 0; i < rank; ++i)
    at += snprintf(text + at, sizeof text - at, " %u", box[i]);
  record("%s swizzle %d promotion %d fill %d", text, swizzle, promotion, fill);
  if ((uintptr_t)map % 64)
    return 1;
  /* What a launch shows of it. */
  memset(map, 0, 128);
  memcpy(map, &address, 8);
  return fails("cuTensorMapEncodeTiled");
}
#endif

CUresult cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  record("permanent alloc %zu", bytes);
  *pointer = (uint64_t)(uintptr_t)malloc(bytes);
  return fails("cuMemAlloc");
}
CUresult cuMemFree_v2(uint64_t pointer) {
  free((void *)(uintptr_t)pointer);
  return 0;
}
CUresult cuMemAllocAsync(uint64_t *pointer, size_t bytes, void *stream) {
  record("alloc %zu", bytes);
  if (fails("cuMemAllocAsync"))
    return 2;
  *pointer = (uint64_t)(uintptr_t)malloc(bytes);
  return 0;
}
CUresult cuMemFreeAsync(uint64_t pointer, void *stream) {
  record("free");
  free((void *)(uintptr_t)pointer);
  return 0;
}
CUresult cuMemsetD8Async(uint64_t pointer, unsigned char value, size_t bytes,
                         void *stream) {
  record("fill %zu with %u", bytes, value);
  memset((void *)(uintptr_t)pointer, value, bytes);
  return 0;
}
CUresult cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                              void *stream) {
  record("copy %zu", bytes);
  memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
  return 0;
}
CUresult cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes,
                              void *stream) {
  record("read %zu", bytes);
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return fails("cuMemcpyDtoHAsync");
}
CUresult cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  memcpy((void *)(uintptr_t)to, from, bytes);
  return 0;
}
CUresult cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return 0;
}
