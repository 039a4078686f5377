/*===- fa.h - FA from C ---------------------------------------------------===*\
|*
|* Part of FA, under the Apache License v2.0 with LLVM Exceptions.
|*
|* The library libfa_mlir exports these functions and nothing else. No call ends
|* the process or throws: where one fails it returns null or a negative number,
|* and fa_last_error() says why. Functions may be called from several threads;
|* an error belongs to its thread.
|*
\*===----------------------------------------------------------------------===*/

#ifndef FA_C_FA_H
#define FA_C_FA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FA_API __attribute__((visibility("default")))

/** A compiled program: an immutable set of texts, and what can be loaded. */
typedef struct fa_artifact fa_artifact;
/** A function of a program, ready to be called. */
typedef struct fa_kernel fa_kernel;
/** A kernel with checked arguments: all but their pointers is fixed. */
typedef struct fa_binding fa_binding;

/** Element types, in this order. */
typedef enum fa_dtype {
  FA_I1, /* one byte */
  FA_I8,
  FA_I16,
  FA_I32,
  FA_I64,
  FA_F8E4M3,
  FA_F8E5M2,
  FA_F16,
  FA_BF16,
  FA_F32,
  FA_F64
} fa_dtype;

/** An argument of a call: a buffer, or with `is_scalar` a number as `bits` (a
    float in the low bytes, an integer sign-extended). */
typedef struct fa_argument {
  void *data;
  const int64_t *sizes;
  /** In elements. */
  const int64_t *strides;
  uint64_t bits;
  int32_t rank;
  int32_t dtype;
  int32_t is_scalar;
  /** Not 0: a function that writes the buffer is refused. */
  int32_t is_read_only;
} fa_argument;

/** Where results (result >= 0) and workspaces (result = -1) come from. */
typedef struct fa_allocator {
  void *(*allocate)(void *context, int32_t result, uint64_t bytes,
                    void *stream);
  /** For workspaces, after the launches. */
  void (*release)(void *context, void *data, void *stream);
  void *context;
} fa_allocator;

/** What fa_call returns: FA_BAD_ARGUMENT if what the caller gave is wrong,
    FA_FAILED for all else (the device, its memory, the driver). */
enum { FA_DONE = 0, FA_FAILED = -1, FA_BAD_ARGUMENT = -2 };

/** Counts changes of this interface; a caller that was built for another number
    must not go on. */
#define FA_ABI_VERSION 2

FA_API const char *fa_version(void);

/** FA_ABI_VERSION of the library. */
FA_API int32_t fa_abi_version(void);

/** Why the last call of this thread failed. Valid until its next call. */
FA_API const char *fa_last_error(void);

/** Frees a string that a call returned. */
FA_API void fa_string_free(char *string);

/** Compiles MLIR text. `options` are lines of key=value:
    target=sm_80 | sm_90a | cpu | reference, schedule=, entry=, ptxas= (none:
   PTX only), ptxas-flags=a,b, assemble-for=sm_90, features=, opt-level=,
   codegen-level=, lowered=1, check-offsets=1. */
FA_API fa_artifact *fa_compile(const char *text, size_t length,
                               const char *options);

/** Reads what fa-compile wrote. */
FA_API fa_artifact *fa_open(const char *directory);
FA_API void fa_artifact_destroy(fa_artifact *artifact);

/** A part of an artifact: target, manifest, ptx, cubin, diagnostics. Null if
    there is no such part. It lives as long as the artifact. */
FA_API const char *fa_artifact_get(const fa_artifact *artifact,
                                   const char *part, size_t *length);

/** The program after a stage: source, raise, online, tile, machine, nvvm; null
    or "" is the end. Compiled anew. Free with fa_string_free. */
FA_API char *fa_artifact_ir(const fa_artifact *artifact, const char *stage);

/** A function of the artifact; `entry` null or "": the only one. The artifact
    may be destroyed before the kernel. */
FA_API fa_kernel *fa_load(const fa_artifact *artifact, const char *entry);
FA_API void fa_kernel_destroy(fa_kernel *kernel);

/** Numbers of arguments, of those that are buffers, and of results. */
FA_API int32_t fa_kernel_num_arguments(const fa_kernel *kernel);
FA_API int32_t fa_kernel_num_results(const fa_kernel *kernel);
/** Name (or null), element type, rank. */
FA_API const char *fa_kernel_argument(const fa_kernel *kernel, int32_t index,
                                      int32_t *dtype, int32_t *rank,
                                      int32_t *is_scalar);
FA_API const char *fa_kernel_result(const fa_kernel *kernel, int32_t index,
                                    int32_t *dtype, int32_t *rank);

/** Checks arguments: number, types, ranks, extents, strides, and that a buffer
    that is written is not read-only and has no two elements in one place.
    Pointers are taken too, for calls without. The kernel must outlive the
    binding. */
FA_API fa_binding *fa_bind(fa_kernel *kernel, const fa_argument *arguments,
                           size_t count);
FA_API void fa_binding_destroy(fa_binding *binding);

/** Calls. `pointers`: one per buffer argument in order, or null: those of the
    binding. A buffer that is written must not share an element with another;
    arrays that interleave may. On a GPU this launches on `stream` of `device`
    and does not wait.
    `results` receives for each result its pointer, sizes and strides; null if
    there are none. FA_DONE, or what went wrong. */
FA_API int32_t fa_call(fa_binding *binding, const void *pointers,
                       int32_t device, void *stream,
                       const fa_allocator *allocator, int64_t *results);

/** Names of the kernels that the last fa_call of this thread launched,
   separated by spaces; "" on the host. A program may choose among kernels at
   run time. */
FA_API const char *fa_last_launched(void);

/** Devices that can be used; -1 (with the reason) without a driver. */
FA_API int32_t fa_device_count(void);
/** 80 for compute capability 8.0; -1 on an error. */
FA_API int32_t fa_device_capability(int32_t device);

#ifdef __cplusplus
}
#endif

#endif /* FA_C_FA_H */
