#!/usr/bin/env python3
"""Check one forward kernel of the Hopper machine stage against float64 and time it beside cuDNN.

The kernel is a cubin or PTX with the parameters of test/Conversion/FAGPUHopper/Inputs/nc3.mlir: four tensor maps (query,
key, value, out), lse, scale * log2(e), length, query tiles, key tiles, tiles, counter. Needs torch and cuda.bindings.

    python3 bench/gpu/raw_hopper.py nc3.cubin --rows 192 --keys 80 --threads 512 --smem 221280
"""

import argparse
import ctypes
import math
import random
import statistics

import numpy as np
import torch
from cuda.bindings import driver
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

LOG2E = 1.4426950408889634


def checked(result):
    """The values of a driver call, or its error as an exception."""
    if int(result[0]) != 0:
        raise RuntimeError(str(result[0]))
    return result[1] if len(result) == 2 else result[1:]


def tensor_map(tensor, rows):
    """A map of a contiguous [batch * heads, length, head_dim] tensor: {head_dim, length, batch * heads}."""
    outer, length, dim = tensor.shape
    kinds = driver.CUtensorMapDataType
    kind = {
        torch.bfloat16: kinds.CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        torch.float16: kinds.CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
    }[tensor.dtype]
    u32, u64 = driver.cuuint32_t, driver.cuuint64_t
    return checked(
        driver.cuTensorMapEncodeTiled(
            kind,
            3,
            tensor.data_ptr(),
            [u64(dim), u64(length), u64(outer)],
            [u64(dim * 2), u64(length * dim * 2)],
            [u32(64), u32(rows), u32(1)],
            [u32(1)] * 3,
            driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
            driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B,
            driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
            driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
        )
    )


class Parameters:
    """Kernel parameters in memory, kept alive as long as launches need them."""

    def __init__(self):
        self.buffers = []
        self.addresses = []

    def add(self, array):
        self.buffers.append(array)
        self.addresses.append(array.ctypes.data)

    def add_map(self, tensor_map_object):
        size, alignment = 128, 64
        room = np.zeros(size + alignment, dtype=np.uint8)
        start = -room.ctypes.data % alignment
        source = (ctypes.c_uint8 * size).from_address(tensor_map_object.getPtr())
        room[start : start + size] = np.frombuffer(source, dtype=np.uint8)
        self.buffers += [room, tensor_map_object]
        self.addresses.append(room.ctypes.data + start)

    def pointers(self):
        self.array = np.array(self.addresses, dtype=np.uint64)
        return self.array.ctypes.data


class Kernel:
    """A loaded kernel and how it is launched."""

    def __init__(self, options):
        self.options = options
        with open(options.kernel, "rb") as file:
            image = file.read()
        module = checked(driver.cuModuleLoadData(image + b"\0"))
        self.function = checked(driver.cuModuleGetFunction(module, options.name.encode()))
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        checked(driver.cuFuncSetAttribute(self.function, attribute, options.smem) + (None,))
        self.counter = torch.zeros(1, dtype=torch.int32, device="cuda")
        self.processors = torch.cuda.get_device_properties(0).multi_processor_count

    def prepare(self, query, key, value, out, lse):
        """A function without arguments that launches the kernel."""
        options = self.options
        length, dim = query.shape[-2:]
        outer = query.numel() // (length * dim)
        flat = [t.view(outer, length, dim) for t in (query, key, value, out)]
        parameters = Parameters()
        for tensor, rows in zip(flat, (64, options.keys, options.keys, 64)):
            parameters.add_map(tensor_map(tensor, rows))
        query_tiles, key_tiles = -(-length // options.rows), -(-length // options.keys)
        total = query_tiles * outer
        parameters.add(np.array([lse.data_ptr()], dtype=np.uint64))
        parameters.add(np.array([LOG2E / math.sqrt(dim)], dtype=np.float32))
        for number in (length, query_tiles, key_tiles, total):
            parameters.add(np.array([number], dtype=np.int32))
        parameters.add(np.array([self.counter.data_ptr()], dtype=np.uint64))
        pointers = parameters.pointers()
        grid = min(total, self.processors)

        def launch(keep=parameters):
            stream = torch.cuda.current_stream().cuda_stream
            result = driver.cuLaunchKernel(
                self.function, grid, 1, 1, options.threads, 1, 1, options.smem, stream, pointers, 0
            )
            if int(result[0]) != 0:
                raise RuntimeError(str(result[0]))

        return launch


def inputs(batch, heads, length, dim, spread=1.0):
    shape = (batch, heads, length, dim)
    query, key, value = (torch.randn(shape, device="cuda") for _ in range(3))
    tensors = [(query * spread).bfloat16(), key.bfloat16(), value.bfloat16()]
    out = torch.full_like(tensors[0], float("nan"))
    return *tensors, out, torch.full(shape[:3], float("nan"), device="cuda")


def reference(query, key, value, dtype):
    """Naive attention, scores and softmax in `dtype`, P in the values' type where dtype is not float64."""
    scores = (query.to(dtype) @ key.to(dtype).transpose(-1, -2)) / math.sqrt(query.shape[-1])
    lse = torch.logsumexp(scores, -1)
    weights = torch.softmax(scores, -1)
    if dtype != torch.float64:
        weights = weights.to(value.dtype)
    return weights.to(dtype) @ value.to(dtype), lse


def check(kernel, batch, heads, length, spread):
    """Errors against float64 under the repository's bound: twice the naive kernel's, plus 2 ulp."""
    tensors = inputs(batch, heads, length, kernel.options.dim, spread)
    query, key, value, out, lse = tensors
    launch = kernel.prepare(*tensors)
    launch()
    torch.cuda.synchronize()
    exact, exact_lse = reference(query, key, value, torch.float64)
    naive, naive_lse = reference(query, key, value, torch.float32)
    error = (out.double() - exact).abs().max().item()
    ulp = 2.0**-8 * exact.abs().max().item()
    bound = 2 * (naive.bfloat16().double() - exact).abs().max().item() + 2 * ulp
    lse_error = (lse.double() - exact_lse).abs().max().item()
    lse_bound = 2 * (naive_lse.double() - exact_lse).abs().max().item() + 1e-6 * max(1, exact_lse.abs().max().item())
    first, first_lse = out.clone(), lse.clone()
    repeats = 5
    same = True
    for _ in range(repeats):
        out.fill_(float("nan"))
        launch()
        torch.cuda.synchronize()
        same &= torch.equal(first, out) and torch.equal(first_lse, lse)
    good = error <= bound and lse_error <= lse_bound and same and int(kernel.counter) == 0
    print(
        f"{'ok ' if good else 'BAD'} B{batch} H{heads} S{length} spread {spread}: out {error:.2e} <= {bound:.2e}, "
        f"lse {lse_error:.2e} <= {lse_bound:.2e}, {'bit-identical' if same else 'DIFFERS'} over {repeats} repeats",
        flush=True,
    )
    return good


def milliseconds(run, count):
    for _ in range(count):
        run()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(count + 1)]
    events[0].record()
    for event in events[1:]:
        run()
        event.record()
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) for a, b in zip(events, events[1:]))


def time_beside_cudnn(kernel, batch, heads, length, rounds):
    """Medians of interleaved rounds in random order."""
    tensors = inputs(batch, heads, length, kernel.options.dim)
    query, key, value = tensors[:3]
    flops = 4 * batch * heads * length * length * kernel.options.dim

    def cudnn():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return scaled_dot_product_attention(query, key, value)

    candidates = {"cudnn": cudnn, "ours": kernel.prepare(*tensors)}
    times = {name: [] for name in candidates}
    count = max(3, int(0.03 / (flops / 600e12)))
    for _ in range(rounds):
        for name in random.sample(list(candidates), len(candidates)):
            times[name].append(milliseconds(candidates[name], count))
    medians = {name: statistics.median(values) for name, values in times.items()}
    rates = {name: flops / t / 1e9 for name, t in medians.items()}
    print(
        f"B{batch} H{heads} S{length}: cudnn {rates['cudnn']:.1f} TFLOP/s, ours {rates['ours']:.1f}, "
        f"ratio {medians['cudnn'] / medians['ours']:.3f}  (median of {rounds} rounds)",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", help="cubin or PTX")
    parser.add_argument("--name", default="attn")
    parser.add_argument("--rows", type=int, default=192, help="query rows of a block")
    parser.add_argument("--keys", type=int, default=80, help="keys of a tile")
    parser.add_argument("--threads", type=int, default=512)
    parser.add_argument("--smem", type=int, required=True, help="bytes of shared memory")
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check-only", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")
    kernel = Kernel(options)
    cases = [(1, 2, 768, 1), (1, 3, 4096, 1), (2, 3, 1000, 1), (1, 2, 64, 1), (1, 1, 1, 1), (1, 4, 2048, 30)]
    results = [check(kernel, *case) for case in cases]
    if not all(results):
        raise SystemExit("wrong results: not timed")
    if options.check_only:
        return
    for batch, length in ((32, 512), (16, 1024), (8, 2048), (4, 4096), (2, 8192), (1, 16384)):
        time_beside_cudnn(kernel, batch, 16, length, options.rounds)


if __name__ == "__main__":
    main()
