// On a GPU, as far as it goes without one: a stand-in for the driver runs nothing.
// RUN: env FA_CUDA_DRIVER=%fa_lib/libfake_cuda.so %fa-run %s --target cuda --arg shape=70x64 --arg shape=70x64 --arg shape=70x64 --arg shape=70x64 | FileCheck %s
// RUN: env FA_CUDA_DRIVER=%fa_lib/libfake_cuda.so FAKE_CUDA_FAIL=cuLaunchKernel not %fa-run %s --target cuda --arg shape=70x64 --arg shape=70x64 --arg shape=70x64 --arg shape=70x64 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: env FA_CUDA_DRIVER=%t.none not %fa-run %s --target cuda --arg shape=70x64 --arg shape=70x64 --arg shape=70x64 --arg shape=70x64 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: @attention on cuda: {{[0-9.]+}} ms
// FAILS: fa-run: error: cannot launch the kernel
// NONE: fa-run: error: {{.*}}driver

#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @attention(%query: memref<?x64xbf16>, %key: memref<?x64xbf16>, %value: memref<?x64xbf16>,
                     %out: memref<?x64xbf16>) {
  fa.attention {indexing_maps = [#q, #k, #v, #o]}
    ins(%query, %key, %value : memref<?x64xbf16>, memref<?x64xbf16>, memref<?x64xbf16>)
    outs(%out : memref<?x64xbf16>)
  return
}
