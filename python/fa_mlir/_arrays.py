"""What FA needs to know of an array, whichever library it is from.

torch and numpy are asked directly; other libraries through DLPack. Nothing is imported that the caller has not
imported.
"""

import ctypes
import sys
from typing import NamedTuple

from ._library import ArgumentError
from ._scalars import is_masked


class View(NamedTuple):
    """An array in memory, not owned. Strides are in elements; device -1 is the host."""

    pointer: int
    dtype: str
    shape: tuple
    strides: tuple
    device: int
    owner: object
    read_only: bool = False


_NUMPY_DTYPES = {
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
}
_DTYPE_SIZES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f8E4M3FN": 1, "f8E5M2": 1, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}

_torch_dtypes = {}


def is_torch(array):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def is_numpy(array):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(array, numpy.ndarray)


def torch_dtypes():
    """torch.dtype -> name."""
    if not _torch_dtypes:
        torch = sys.modules["torch"]
        _torch_dtypes.update(
            {
                torch.bool: "i1",
                torch.int8: "i8",
                torch.int16: "i16",
                torch.int32: "i32",
                torch.int64: "i64",
                torch.float16: "f16",
                torch.bfloat16: "bf16",
                torch.float32: "f32",
                torch.float64: "f64",
            }
        )
    return _torch_dtypes


def check_torch(tensor):
    """What a pointer and strides do not say of a tensor."""
    if tensor.requires_grad and sys.modules["torch"].is_grad_enabled():
        raise ArgumentError("the gradient would be lost: call it under torch.no_grad(), or on detached tensors")
    if tensor.is_neg():
        raise TypeError("a tensor whose numbers are still to be negated is not supported; call resolve_neg() first")


def _view_torch(tensor):
    check_torch(tensor)
    if tensor.layout != sys.modules["torch"].strided:
        raise TypeError(f"a dense tensor is needed, not layout {tensor.layout}")
    dtype = torch_dtypes().get(tensor.dtype)
    if dtype is None:
        raise TypeError(f"dtype {tensor.dtype} is not supported")
    device = tensor.device
    if device.type not in ("cuda", "cpu"):
        raise TypeError(f"tensors on {device.type} are not supported; use cuda or cpu")
    return View(
        tensor.data_ptr(),
        dtype,
        tuple(tensor.shape),
        tensor.stride(),
        -1 if device.type == "cpu" else device.index,
        tensor,
    )


def _view_numpy(array):
    if is_masked(array):
        raise TypeError("masked arrays are not supported: their mask would be ignored; use .data, and mask= of attention")
    dtype = _NUMPY_DTYPES.get(array.dtype.name)
    if dtype is None or not array.dtype.isnative:
        raise TypeError(f"dtype {array.dtype} is not supported")
    size = array.itemsize
    if any(stride % size for stride in array.strides):
        raise ValueError("strides must be multiples of the element size")
    strides = tuple(stride // size for stride in array.strides)
    return View(array.ctypes.data, dtype, array.shape, strides, -1, array, not array.flags.writeable)


# DLPack: https://dmlc.github.io/dlpack, capsules with a version and those from before.
class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    ]


_DL_READ_ONLY = 1
_DL_DTYPES = {(0, 8): "i8", (0, 16): "i16", (0, 32): "i32", (0, 64): "i64", (2, 16): "f16", (2, 32): "f32", (2, 64): "f64", (4, 16): "bf16", (6, 8): "i1"}
_DL_CPU, _DL_CUDA = 1, 2


def _row_major(shape):
    strides, stride = [], 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= size
    return tuple(reversed(strides))


def _make_capsule(array):
    try:
        try:
            return array.__dlpack__(max_version=(1, 0))
        except TypeError:
            # A library from before there were versions: it gives no array that is read-only.
            return array.__dlpack__()
    except BufferError as error:
        raise ValueError(f"the array cannot be used: {error}") from None


def _open_capsule(capsule):
    """The tensor of a capsule, and whether it is read-only."""
    get, is_valid = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_IsValid
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    is_valid.restype, is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
    if not is_valid(capsule, b"dltensor_versioned"):
        return _DLTensor.from_address(get(capsule, b"dltensor")), False
    managed = _DLManagedTensorVersioned.from_address(get(capsule, b"dltensor_versioned"))
    if managed.major != 1:
        raise TypeError(f"DLPack version {managed.major} is not supported")
    return managed.tensor, bool(managed.flags & _DL_READ_ONLY)


def _view_dlpack(array):
    capsule = _make_capsule(array)
    tensor, read_only = _open_capsule(capsule)
    dtype = _DL_DTYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if dtype is None:
        raise TypeError("the array's dtype is not supported")
    if tensor.device_type not in (_DL_CPU, _DL_CUDA):
        raise TypeError("the array is on a device that is not supported; use CUDA or the host")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else _row_major(shape)
    device = -1 if tensor.device_type == _DL_CPU else tensor.device_id
    # The capsule is not consumed: it owns the memory for as long as the view lives.
    return View((tensor.data or 0) + tensor.byte_offset, dtype, shape, strides, device, (array, capsule), read_only)


def view(array):
    """The view of an array; TypeError if it is none. A `View` is memory that the caller manages."""
    if isinstance(array, View):
        return array
    if is_torch(array):
        return _view_torch(array)
    if is_numpy(array):
        return _view_numpy(array)
    if hasattr(array, "__dlpack__"):
        return _view_dlpack(array)
    raise TypeError(f"an array (torch, numpy or DLPack) is expected, not {type(array).__name__}")


def current_stream(device):
    """The stream that torch works on, as a number; the default stream without torch, or with one that has no CUDA."""
    torch = sys.modules.get("torch")
    get = None if torch is None or device < 0 else getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return get(device) if get else 0


def empty_like_library(example, shape, dtype):
    """A new array of the library and the device of `example`."""
    if is_torch(example):
        torch = sys.modules["torch"]
        names = {name: key for key, name in torch_dtypes().items()}
        return torch.empty(shape, dtype=names[dtype], device=example.device)
    if is_numpy(example):
        import numpy

        if dtype == "bf16":
            import ml_dtypes

            return numpy.empty(shape, ml_dtypes.bfloat16)
        names = {name: key for key, name in _NUMPY_DTYPES.items()}
        return numpy.empty(shape, names[dtype])
    module = sys.modules.get(type(example).__module__.split(".")[0])
    if hasattr(module, "empty"):
        names = {name: key for key, name in _NUMPY_DTYPES.items()}
        return module.empty(shape, dtype=names[dtype])
    raise TypeError(f"results for arrays of {type(example).__module__} are not supported; use torch, numpy or cupy")


def size_of(dtype):
    return _DTYPE_SIZES[dtype]
