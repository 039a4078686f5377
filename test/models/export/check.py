"""Run the exported torch files with IREE on the CPU, compare with PyTorch.

An importer can be wrong (two were, see torch_mlir_export.py), and a wrong file
would make a right raising look wrong. Dynamic sizes differ from the example's.

usage: check.py [name ...]
"""

import sys

import iree.compiler
import iree.runtime
import numpy as np
import torch
import torch_models

from common import OUT
from torch_mlir_export import MODELS

SIZES = {"batch": 3, "seq": 20}
FLAGS = ["--iree-llvmcpu-target-cpu=generic", "--iree-opt-level=O0"]


def random_like(arg, axes, generator):
    shape = list(arg.shape)
    for axis, dim in (axes or {}).items():
        shape[axis] = SIZES[dim.__name__]
    if arg.dtype in (torch.bool, torch.int64):
        # A padding mask with a row that is all padding would be NaN.
        mask = torch.rand(shape, generator=generator) > 0.4
        mask[..., 0], mask[..., 1] = True, False
        return mask.to(arg.dtype)
    return torch.randn(shape, generator=generator).to(arg.dtype) * 0.5


def to_device(tensor, device):
    # numpy has no bfloat16, and iree's asdevicearray ignores its element type.
    if tensor.dtype != torch.bfloat16:
        return iree.runtime.asdevicearray(device, tensor.contiguous().numpy())
    view = device.allocator.allocate_buffer_copy(
        memory_type=iree.runtime.MemoryType.DEVICE_LOCAL,
        allowed_usage=iree.runtime.BufferUsage.DEFAULT,
        device=device,
        buffer=tensor.contiguous().view(torch.int16).numpy(),
        element_type=iree.runtime.HalElementType.BFLOAT_16,
    )
    return iree.runtime.DeviceArray(device, view)


def to_host(array, like):
    out = np.asarray(array.to_host())
    if like.dtype == torch.bfloat16:
        return torch.from_numpy(out.astype(np.float32))
    return torch.from_numpy(out).float()


def check(name):
    module, args, dynamic = getattr(torch_models, name)()
    generator = torch.Generator().manual_seed(0)
    axes = dynamic[0] if dynamic else [None] * len(args)
    args = [random_like(a, x, generator) for a, x in zip(args, axes)]
    with torch.no_grad():
        want = module(*args)
    code = iree.compiler.compile_str(
        (OUT / f"torch_{name}.mlir").read_text(),
        target_backends=["llvm-cpu"],
        extra_args=FLAGS,
    )
    config = iree.runtime.Config("local-sync")
    vm = iree.runtime.VmModule.copy_buffer(config.vm_instance, code)
    loaded = iree.runtime.load_vm_module(vm, config)
    got = loaded[name](*(to_device(a, config.device) for a in args))
    if not isinstance(want, tuple):
        want, got = (want,), (got,)
    for one, other in zip(want, got):
        other = to_host(other, one)
        size = one.float().abs().max().item()
        error = (one.float() - other).abs().max().item() / size
        limit = 2e-5 if one.dtype == torch.float32 else 2e-2
        print(f"{name}: error {error:.1e} of the largest value")
        if not error <= limit:
            raise SystemExit(f"{name}: above {limit}")


if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        check(name)
