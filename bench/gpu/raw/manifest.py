"""The smallest interpreter of a manifest's host program (docs/manifest.md), on cuda-python and torch."""

import ctypes
import json
import pathlib

import torch
from cuda.bindings import driver


def check(result):
    if int(result[0]) != 0:
        raise RuntimeError(str(result[0]))
    return result[1] if len(result) == 2 else result[1:]


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: int(a / b),
    "udiv": lambda a, b: a // b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: -(-a // b),
    "urem": lambda a, b: a % b,
    "min": min,
    "max": max,
    "lt": lambda a, b: int(a < b),
    "gt": lambda a, b: int(a > b),
    "eq": lambda a, b: int(a == b),
}


class Program:
    """The first function of a compiled folder, for buffers only."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        self.function = manifest["functions"][0]
        ptx = (folder / manifest["ptx"]).read_bytes() + b"\0"
        self.module = check(driver.cuModuleLoadData(ptx))
        self.kernels = {}

    def kernel(self, name, shared):
        if name not in self.kernels:
            kernel = check(driver.cuModuleGetFunction(self.module, name.encode()))
            attribute = driver.CUfunction_attribute
            check(driver.cuFuncSetAttribute(kernel, attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared))
            registers = check(driver.cuFuncGetAttribute(attribute.CU_FUNC_ATTRIBUTE_NUM_REGS, kernel))
            local = check(driver.cuFuncGetAttribute(attribute.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel))
            self.kernels[name] = kernel, f"{registers} registers, {local} bytes of local memory, {shared} shared"
        return self.kernels[name][0]

    def bind(self, *tensors):
        """Launches with everything worked out beforehand: a function without arguments."""
        slots = [0] * self.function["slots"]
        for argument, tensor in zip(self.function["arguments"], tensors, strict=True):
            rank = tensor.dim()
            slots[argument["slot"] : argument["slot"] + 1 + 2 * rank] = [
                tensor.data_ptr(),
                *tensor.shape,
                *tensor.stride(),
            ]
        launches = []
        for op in self.function["program"]:
            values = [slots[i] for i in op.get("in", [])]
            if op["op"] == "const":
                slots[op["to"]] = op["value"]
            elif op["op"] == "set":
                slots[op["to"]] = values[0]
            elif op["op"] == "select":
                slots[op["to"]] = values[1] if values[0] else values[2]
            elif op["op"] in BINARY:
                slots[op["to"]] = BINARY[op["op"]](*values)
            elif op["op"] == "launch":
                shared = slots[op["shared"]] if "shared" in op else 0
                grid, block = ([slots[i] for i in op[k]] for k in ("grid", "block"))
                parameters = (ctypes.c_int64 * len(op["parameters"]))(*(slots[i] for i in op["parameters"]))
                base = ctypes.addressof(parameters)
                pointers = (ctypes.c_void_p * len(parameters))(*(base + 8 * i for i in range(len(parameters))))
                launches.append((self.kernel(op["kernel"], shared), grid, block, shared, parameters, pointers))
            else:
                raise ValueError(f"op {op['op']} is not for this interpreter")

        def launch(keep=tensors):
            stream = torch.cuda.current_stream().cuda_stream
            for kernel, grid, block, shared, _, pointers in launches:
                check(driver.cuLaunchKernel(kernel, *grid, *block, shared, stream, ctypes.addressof(pointers), 0))

        return launch
