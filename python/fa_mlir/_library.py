"""libfa_mlir.so, through ctypes. See include/fa-c/fa.h."""

import ctypes
import os
import pathlib
from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_size_t, c_uint64, c_void_p


class Error(RuntimeError):
    """What the compiler, the loader or the driver says."""


class ArgumentError(Error, ValueError):
    """What the caller gave is wrong."""


class Argument(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("sizes", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("bits", c_uint64),
        ("rank", c_int32),
        ("dtype", c_int32),
        ("is_scalar", c_int32),
        ("is_read_only", c_int32),
    ]


Allocate = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_int32, c_uint64, c_void_p)
Release = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)


class Allocator(Structure):
    _fields_ = [("allocate", Allocate), ("release", Release), ("context", c_void_p)]


# In the order of fa_dtype.
DTYPES = ("i1", "i8", "i16", "i32", "i64", "f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "f64")
DTYPE_CODES = {name: code for code, name in enumerate(DTYPES)}

# FA_ABI_VERSION of fa.h.
ABI_VERSION = 2

_PROTOTYPES = {
    "fa_version": (c_char_p, []),
    "fa_last_error": (c_char_p, []),
    "fa_string_free": (None, [c_void_p]),
    "fa_compile": (c_void_p, [c_char_p, c_size_t, c_char_p]),
    "fa_open": (c_void_p, [c_char_p]),
    "fa_artifact_destroy": (None, [c_void_p]),
    "fa_artifact_get": (c_void_p, [c_void_p, c_char_p, POINTER(c_size_t)]),
    "fa_artifact_ir": (c_void_p, [c_void_p, c_char_p]),
    "fa_load": (c_void_p, [c_void_p, c_char_p]),
    "fa_kernel_destroy": (None, [c_void_p]),
    "fa_kernel_num_arguments": (c_int32, [c_void_p]),
    "fa_kernel_num_results": (c_int32, [c_void_p]),
    "fa_kernel_argument": (c_char_p, [c_void_p, c_int32, POINTER(c_int32), POINTER(c_int32), POINTER(c_int32)]),
    "fa_kernel_result": (c_char_p, [c_void_p, c_int32, POINTER(c_int32), POINTER(c_int32)]),
    "fa_bind": (c_void_p, [c_void_p, POINTER(Argument), c_size_t]),
    "fa_binding_destroy": (None, [c_void_p]),
    # The pointers are the bytes of a struct.pack: no array object is made for a call.
    "fa_call": (c_int32, [c_void_p, c_char_p, c_int32, c_void_p, c_void_p, c_void_p]),
    "fa_last_launched": (c_char_p, []),
    "fa_device_count": (c_int32, []),
    "fa_device_capability": (c_int32, [c_int32]),
}


def _find():
    named = os.environ.get("FA_MLIR_LIBRARY")
    if named:
        return named
    here = pathlib.Path(__file__).resolve().parent
    # In a wheel beside this file; in a source tree in a build folder.
    candidates = [here / "libfa_mlir.so"]
    candidates += [here.parents[1] / "build" / preset / "lib" / "libfa_mlir.so" for preset in ("static", "release")]
    for candidate in candidates:
        if candidate.exists():
            return str(candidate)
    raise ImportError(
        "libfa_mlir.so not found; build it (scripts/build) or set FA_MLIR_LIBRARY. Looked at: "
        + ", ".join(map(str, candidates))
    )


def _check_version(library, path):
    has_version = hasattr(library, "fa_abi_version")
    if has_version and library.fa_abi_version() == ABI_VERSION and all(hasattr(library, name) for name in _PROTOTYPES):
        return
    kind = "of another version of FA than this package" if hasattr(library, "fa_version") else "no library of FA"
    raise ImportError(f"{path} is {kind}; build it from the same sources (scripts/build), or set FA_MLIR_LIBRARY")


def _open():
    path = _find()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"cannot load {path}: {error}") from None
    _check_version(library, path)
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _open()

# FA_BAD_ARGUMENT of fa.h.
_BAD_ARGUMENT = -2


def last_error():
    return lib.fa_last_error().decode(errors="replace")


def call_error(status):
    """The exception for what fa_call returned."""
    return (ArgumentError if status == _BAD_ARGUMENT else Error)(last_error())


def version():
    return lib.fa_version().decode()
