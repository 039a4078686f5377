"""Run an exported file with IREE on the CPU and compare with its framework.

Importers can be wrong: torch_mlir_export.py works around two such cases. A
wrong file would make a right raising look wrong.
"""

import iree.compiler
import iree.runtime
import ml_dtypes
import numpy as np

from common import OUT

FLAGS = ["--iree-llvmcpu-target-cpu=generic", "--iree-opt-level=O0"]
# For dynamic dimensions by name: not the sizes that the export saw.
SIZES = {"batch": 3, "seq": 20, "b": 3, "s": 20}


def random_like(shape, dtype, generator):
    if dtype in (np.bool_, np.int64):
        # A padding mask. A row that is all padding could give NaN.
        mask = generator.random(shape) > 0.4
        mask[..., 0], mask[..., 1] = True, False
        return mask.astype(dtype)
    return (generator.standard_normal(shape) * 0.5).astype(dtype)


def to_device(array, device):
    # numpy knows bfloat16 only as an extension, which IREE does not take.
    if array.dtype != ml_dtypes.bfloat16:
        return iree.runtime.asdevicearray(device, array)
    view = device.allocator.allocate_buffer_copy(
        memory_type=iree.runtime.MemoryType.DEVICE_LOCAL,
        allowed_usage=iree.runtime.BufferUsage.DEFAULT,
        device=device,
        buffer=np.ascontiguousarray(array).view(np.int16),
        element_type=iree.runtime.HalElementType.BFLOAT_16,
    )
    return iree.runtime.DeviceArray(device, view)


def check(file, entry, args, want):
    """Compare what `entry` of `file` gives for `args` with the list `want`."""
    code = iree.compiler.compile_str(
        (OUT / f"{file}.mlir").read_text(),
        target_backends=["llvm-cpu"],
        extra_args=FLAGS,
    )
    config = iree.runtime.Config("local-sync")
    vm = iree.runtime.VmModule.copy_buffer(config.vm_instance, code)
    loaded = iree.runtime.load_vm_module(vm, config)
    got = loaded[entry](*(to_device(arg, config.device) for arg in args))
    if not isinstance(got, (tuple, list)):
        got = (got,)
    for one, other in zip(want, got, strict=True):
        limit = 2e-5 if one.dtype == np.float32 else 3e-2
        one = np.asarray(one, np.float32)
        other = np.asarray(other.to_host(), np.float32)
        error = np.abs(one - other).max() / np.abs(one).max()
        print(f"{file}: error {error:.1e} of the largest value")
        if not error <= limit:
            raise SystemExit(f"{file}: above {limit}")
