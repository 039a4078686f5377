"""Compiling MLIR and calling what it gives."""

import collections
import ctypes
import math
import os
import struct
import threading
import warnings

from . import _arrays
from ._library import DTYPE_CODES, DTYPES, Allocate, Allocator, Argument, Error, Release, last_error, lib

# Bindings (checked shapes) that a kernel keeps.
_MAX_BINDINGS = 256


def _find_ptxas():
    """The assembler of a wheel in this environment, which a compiler library cannot see; "" if there is none."""
    if os.environ.get("FA_PTXAS"):
        return ""
    try:
        import nvidia
    except ImportError:
        return ""
    for folder in nvidia.__path__:
        for package in sorted(os.listdir(folder), reverse=True):
            candidate = os.path.join(folder, package, "bin", "ptxas")
            if os.access(candidate, os.X_OK):
                return candidate
    return ""


def compile(mlir, target="sm_80", *, entry=None, schedule=None, ptxas=None, **options):
    """Compiles MLIR text to a `Kernel`.

    target: "sm_80" (or a newer processor), "auto" (the best for the first CUDA device, see `Kernel.choice`), "cpu", or
    "reference" (naive attention on the CPU). entry: the function to call, where there are several. ptxas: an assembler, or "none"
    for PTX only (the driver assembles when the kernel is loaded); by default it is searched. Other options are those
    of fa_compile in fa.h, with _ for -.
    """
    if target == "auto":
        from . import _targets

        options.update(entry=entry, schedule=schedule, ptxas=ptxas)
        return _targets.compile_for(mlir, _targets.DEFAULT, _targets.get_capability(0), **options)
    if isinstance(mlir, str):
        mlir = mlir.encode()
    if not isinstance(mlir, (bytes, bytearray)):
        raise TypeError("MLIR text is expected")
    if ptxas is None and target.startswith("sm_"):
        ptxas = _find_ptxas()
    given = {"target": target, "entry": entry, "schedule": schedule, "ptxas": ptxas, **options}
    lines = [f"{key.replace('_', '-')}={value}" for key, value in given.items() if value]
    if any("\n" in line for line in lines):
        raise ValueError("an option has a line break")
    artifact = lib.fa_compile(bytes(mlir), len(mlir), "\n".join(lines).encode())
    if not artifact:
        raise Error(last_error())
    return Kernel(artifact, entry)


def load(directory, entry=None):
    """What `fa-compile` wrote to a folder, as a `Kernel`."""
    artifact = lib.fa_open(os.fspath(directory).encode())
    if not artifact:
        raise Error(last_error())
    return Kernel(artifact, entry)


def last_launched():
    """Names of the GPU kernels that this thread's last call launched: a program may choose among kernels at run time."""
    return lib.fa_last_launched().decode().split()


class Binding:
    """Shapes that were checked; calling it costs little."""

    __slots__ = ("handle", "kernel", "pack", "_arguments")

    def __init__(self, kernel, arguments, pack):
        self.kernel = kernel
        self.pack = pack
        self.handle = lib.fa_bind(kernel.handle, arguments, len(arguments))
        if not self.handle:
            raise ValueError(last_error())

    def __del__(self):
        if getattr(self, "handle", None):
            lib.fa_binding_destroy(self.handle)
            self.handle = None


def make_binding(kernel, views):
    """`views`: a `View`, or (dtype name, number) for a scalar, per argument."""
    arguments = (Argument * len(views))()
    keep = []
    count = 0
    for argument, item in zip(arguments, views):
        if isinstance(item, _arrays.View):
            rank = len(item.shape)
            sizes, strides = (ctypes.c_int64 * rank)(*item.shape), (ctypes.c_int64 * rank)(*item.strides)
            keep += [sizes, strides]
            argument.data, argument.rank = item.pointer, rank
            argument.sizes, argument.strides = sizes, strides
            argument.dtype = DTYPE_CODES[item.dtype]
            count += 1
        else:
            dtype, value = item
            argument.is_scalar = 1
            argument.dtype = DTYPE_CODES[dtype]
            argument.bits = scalar_bits(dtype, value)
    return Binding(kernel, arguments, struct.Struct(f"{count}Q").pack)


def scalar_bits(dtype, value):
    if dtype in ("f32", "f64", "f16"):
        code = {"f32": "f", "f64": "d", "f16": "e"}[dtype]
        try:
            return int.from_bytes(struct.pack("<" + code, float(value)), "little")
        except OverflowError:
            raise ValueError(f"{value} does not fit {dtype}") from None
    if dtype == "bf16":
        bits = int.from_bytes(struct.pack("<f", float(value)), "little")
        return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 if math.isfinite(value) else bits >> 16
    if dtype == "i1":
        return int(bool(value))
    width = int(dtype[1:])
    if not -(1 << width - 1) <= value < 1 << width - 1:
        raise ValueError(f"{value} does not fit {dtype}")
    return value & (1 << 64) - 1


class Kernel:
    """A compiled function. Call it with its arguments in order: arrays and numbers.

    Arrays that the function writes are arguments too; what it returns are new arrays of the caller's library. On a GPU
    the call only launches, on torch's current stream.
    """

    def __init__(self, artifact, entry):
        self._artifact = artifact
        self.handle = lib.fa_load(artifact, entry.encode() if entry else None)
        if not self.handle:
            raise Error(last_error())
        self._parameters = [self._describe(lib.fa_kernel_argument, i, True) for i in range(lib.fa_kernel_num_arguments(self.handle))]
        self._results = [self._describe(lib.fa_kernel_result, i, False) for i in range(lib.fa_kernel_num_results(self.handle))]
        self._bindings = collections.OrderedDict()
        self._lock = threading.Lock()
        self.is_host = self.target in ("cpu", "reference")
        # Why this target.
        self.choice = f"{self.target} as asked for"
        for line in (self._part("diagnostics") or b"").decode().splitlines():
            if ": warning: " in line:
                warnings.warn(line, stacklevel=3)

    def __del__(self):
        if getattr(self, "handle", None):
            # Bindings point to the kernel and keep it alive; they are gone by now.
            lib.fa_kernel_destroy(self.handle)
        if getattr(self, "_artifact", None):
            lib.fa_artifact_destroy(self._artifact)

    def _describe(self, function, index, has_kind):
        dtype, rank, is_scalar = ctypes.c_int32(), ctypes.c_int32(), ctypes.c_int32()
        more = [ctypes.byref(is_scalar)] if has_kind else []
        name = function(self.handle, index, ctypes.byref(dtype), ctypes.byref(rank), *more)
        return name.decode(), DTYPES[dtype.value], rank.value, bool(is_scalar.value)

    def _part(self, name):
        length = ctypes.c_size_t()
        pointer = lib.fa_artifact_get(self._artifact, name.encode(), ctypes.byref(length))
        return ctypes.string_at(pointer, length.value) if pointer else None

    @property
    def target(self):
        return self._part("target").decode()

    @property
    def manifest(self):
        """How to launch (docs/manifest.md), as text."""
        return self._part("manifest").decode()

    @property
    def ptx(self):
        """PTX text; None on the CPU."""
        part = self._part("ptx")
        return part.decode() if part is not None else None

    @property
    def cubin(self):
        """Machine code; None if there was no assembler."""
        return self._part("cubin")

    @property
    def diagnostics(self):
        """What the compiler said."""
        return (self._part("diagnostics") or b"").decode()

    def ir(self, stage=""):
        """The program after a stage: source, raise, online, tile, machine, nvvm; "" is the end."""
        pointer = lib.fa_artifact_ir(self._artifact, stage.encode())
        if not pointer:
            raise Error(last_error())
        text = ctypes.string_at(pointer).decode()
        lib.fa_string_free(pointer)
        return text

    def __call__(self, *arguments):
        if len(arguments) != len(self._parameters):
            raise TypeError(f"{len(self._parameters)} arguments are needed, not {len(arguments)}")
        views = []
        for i, (argument, (name, dtype, _, is_scalar)) in enumerate(zip(arguments, self._parameters)):
            if is_scalar:
                if not isinstance(argument, (int, float)):
                    raise TypeError(f"argument {i} ('{name}'): a number is expected")
                views.append((dtype, argument))
                continue
            try:
                views.append(_arrays.view(argument))
            except (TypeError, ValueError) as error:
                raise type(error)(f"argument {i} ('{name}'): {error}") from None
        device = self.get_device(views)
        binding = self._get_binding(views)
        pointers = binding.pack(*[view.pointer for view in views if isinstance(view, _arrays.View)])
        return self._run(binding, pointers, device, arguments, views)

    def get_device(self, views):
        """The one device of the arrays, which must be the target's."""
        devices = {view.device for view in views if isinstance(view, _arrays.View)}
        if len(devices) > 1:
            raise ValueError("the arrays are on different devices")
        device = devices.pop() if devices else -1
        if self.is_host and device >= 0:
            raise ValueError("the kernel is compiled for the CPU; the arrays are on a GPU")
        if not self.is_host and device < 0:
            raise ValueError(f"the kernel is compiled for {self.target}; the arrays are in host memory")
        return device

    def _get_binding(self, views):
        key = tuple(item[1:4] if isinstance(item, _arrays.View) else item for item in views)
        with self._lock:
            binding = self._bindings.get(key)
            if binding is not None:
                self._bindings.move_to_end(key)
                return binding
        binding = make_binding(_Handle(self), views)
        with self._lock:
            self._bindings[key] = binding
            if len(self._bindings) > _MAX_BINDINGS:
                self._bindings.popitem(last=False)
        return binding

    def _run(self, binding, pointers, device, arguments, views):
        stream = _arrays.current_stream(device)
        if not self._results:
            if lib.fa_call(binding.handle, pointers, max(device, 0), stream, None, None):
                raise Error(last_error())
            return None
        return _Results(self, arguments, views).run(binding, pointers, device, stream)


class _Handle:
    """What a binding keeps of its kernel: not the kernel itself, which keeps the binding."""

    __slots__ = ("handle",)

    def __init__(self, kernel):
        self.handle = kernel.handle


class _Results:
    """Memory for the results of one call, in arrays of the caller's library."""

    def __init__(self, kernel, arguments, views):
        self.kernel = kernel
        self.arguments = arguments
        self.views = views
        self.example = next((a for a, v in zip(arguments, views) if isinstance(v, _arrays.View)), None)
        if self.example is None:
            raise TypeError("a function without array arguments has no library to make results in")
        self.memory = {}
        self.error = None

    def allocate(self, _context, result, size, _stream):
        try:
            buffer = _arrays.empty_like_library(self.example, (size,), "i8")
            pointer = _arrays.view(buffer).pointer
        except Exception as error:  # A callback must not raise.
            self.error = error
            return None
        if size:
            self.memory[pointer] = buffer
        return pointer

    def release(self, _context, pointer, _stream):
        self.memory.pop(pointer, None)

    def run(self, binding, pointers, device, stream):
        results = self.kernel._results
        values = (ctypes.c_int64 * sum(1 + 2 * rank for _, _, rank, _ in results))()
        callbacks = Allocate(self.allocate), Release(self.release)
        allocator = Allocator(*callbacks, None)
        status = lib.fa_call(binding.handle, pointers, max(device, 0), stream, ctypes.byref(allocator), values)
        if status:
            raise self.error or Error(last_error())
        made, at = [], 0
        for _, dtype, rank, _ in results:
            shape = tuple(values[at + 1 : at + 1 + rank])
            made.append(self.take(values[at], shape, dtype))
            at += 1 + 2 * rank
        return made[0] if len(made) == 1 else tuple(made)

    def take(self, pointer, shape, dtype):
        """The array at `pointer`: one that was allocated for it, or an argument."""
        if 0 in shape:
            return _arrays.empty_like_library(self.example, shape, dtype)
        buffer = self.memory.get(pointer)
        if buffer is None:
            return next(a for a, v in zip(self.arguments, self.views) if isinstance(v, _arrays.View) and v.pointer == pointer)
        example = _arrays.empty_like_library(self.example, (0,), dtype)
        return buffer.view(example.dtype).reshape(shape)
