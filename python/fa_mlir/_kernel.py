"""Compiling MLIR and calling what it gives."""

import collections
import ctypes
import os
import struct
import threading
import warnings

from . import _arrays, _scalars
from ._library import DTYPE_CODES, DTYPES, Allocate, Allocator, Argument, ArgumentError, Error, Release, call_error, last_error, lib

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


class _Default(str):
    """A target that nobody asked for."""


def _hint(target):
    """What to do where there is no GPU for a kernel; else ""."""
    if lib.fa_device_capability(0) >= 0:
        return ""
    return f"; no GPU: compiled for {target}; say target='cpu' to run here"


def compile(mlir, target=_Default("sm_80"), *, entry=None, schedule=None, ptxas=None, **options):
    """Compiles MLIR text to a `Kernel`.

    target: "sm_80" (or a newer processor), "auto" (the best for the first CUDA device, see `Kernel.choice`), "cpu", or
    "reference" (naive attention on the CPU). entry: the function to call, where there are several. ptxas: an assembler, or "none"
    for PTX only (the driver assembles when the kernel is loaded); by default it is searched. Other options are those
    of fa_compile in fa.h, with _ for -.
    """
    for name, text in (("target", target), ("entry", entry)):
        if not isinstance(text, str) and (name == "target" or text is not None):
            raise TypeError(f"{name} must be a name, not {type(text).__name__}")
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
    lines = [_format_option(name, value) for name, value in given.items() if value is not None and value != ""]
    artifact = lib.fa_compile(bytes(mlir), len(mlir), "\n".join(lines).encode())
    if not artifact:
        raise Error(last_error() + (_hint(target) if isinstance(target, _Default) else ""))
    return Kernel(artifact, entry)


def _format_option(name, value):
    """A line of the options of fa_compile."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, (str, int)):
        raise TypeError(f"{name} must be text or a number, not {type(value).__name__}")
    line = f"{name.replace('_', '-')}={int(value) if isinstance(value, bool) else value}"
    if "\n" in line or "\0" in line:
        raise ValueError(f"{name} has a line break or a zero byte")
    return line


def load(directory, entry=None):
    """What `fa-compile` wrote to a folder, as a `Kernel`."""
    if entry is not None and not isinstance(entry, str):
        raise TypeError(f"entry must be a name, not {type(entry).__name__}")
    artifact = lib.fa_open(os.fsencode(directory))
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
            raise ArgumentError(last_error())

    def __del__(self):
        if getattr(self, "handle", None):
            lib.fa_binding_destroy(self.handle)
            self.handle = None


def make_binding(kernel, views):
    """`views`: a `View`, or a `Scalar`, per argument."""
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
            argument.is_read_only = item.read_only
            count += 1
        else:
            argument.is_scalar = 1
            argument.dtype = DTYPE_CODES[item.dtype]
            argument.bits = item.bits
    return Binding(kernel, arguments, struct.Struct(f"{count}Q").pack)


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
        if not isinstance(stage, str):
            raise TypeError(f"stage must be a name, not {type(stage).__name__}")
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
            try:
                views.append(_scalars.to_scalar(dtype, argument) if is_scalar else _arrays.view(argument))
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
            raise ValueError(f"the kernel is compiled for {self.target}; the arrays are in host memory{_hint(self.target)}")
        return device

    def _get_binding(self, views):
        key = tuple(item[1:4] + item[6:] if isinstance(item, _arrays.View) else item for item in views)
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
            status = lib.fa_call(binding.handle, pointers, max(device, 0), stream, None, None)
            if status:
                raise call_error(status)
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
            raise self.error or call_error(status)
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
