"""fa_mlir.attention: attention on arrays.

A call becomes `fa.attention` on strided memrefs, in the dialect's fixed dimension order: layouts are strides, grouped
queries are a fifth dimension, and keys and values are never repeated or copied. One kernel is compiled per combination of dtypes,
head dimensions and features; sizes and strides are run-time values. What was checked once (a *plan*) is found again by the
shapes of a call, and costs a few microseconds.
"""

import collections
import math
import struct
import sys
import threading
from typing import NamedTuple, Optional

from . import _arrays, _kernel, _targets
from ._arrays import View
from ._library import Error, last_error, lib

HOST_TARGET = "cpu"
# None: the compiler's choice; "standard" for the O(N^2) baseline.
GPU_SCHEDULE = None

_MAX_PLANS = 4096
# Kernels count positions in 32 bits, with room for what is added to them.
_MAX_POSITIONS = 1 << 29
# So many values of `scale` get kernels of their own, where it is a constant; then it becomes an argument.
_MAX_SCALES = 8

_lock = threading.Lock()
_kernels = {}
_scales = {}
_plans = collections.OrderedDict()

_DIMENSIONS = "(b, h, g, m, n, d, e)"


class Operand(NamedTuple):
    """An array operand of the kernel: its role, element type, dimensions as letters, and which have a static size."""

    role: str
    dtype: str
    dims: str
    static: tuple  # per dimension a number or None
    unit: bool  # the last dimension has stride 1

    def memref(self):
        shape = "".join(f"{'?' if size is None else size}x" for size in self.static)
        if not self.dims:
            return f"memref<{self.dtype}>"
        strides = ["?"] * len(self.dims)
        if self.unit:
            strides[-1] = "1"
        return f"memref<{shape}{self.dtype}, strided<[{', '.join(strides)}]>>"

    def map(self):
        return f"affine_map<{_DIMENSIONS} -> ({', '.join(self.dims)})>"


class Spec(NamedTuple):
    """All that a kernel is compiled for."""

    target: str
    operands: tuple  # inputs in the op's order, then outputs
    number: str  # type of scale
    scale: object  # None: the default; a number; "argument"
    causal: bool
    alignment: Optional[str]
    window: tuple
    softcap: Optional[float]


#===----------------------------------------------------------------------===#
# The kernel's text
#===----------------------------------------------------------------------===#

# The op's syntax for optional operands.
_CLAUSES = {
    "bias": "bias",
    "mask": "mask",
    "alibi_slopes": "alibi",
    "sinks": "sinks",
    "query_lengths": "query_lengths",
    "key_lengths": "key_lengths",
}
_UNMAPPED = ("query_lengths", "key_lengths")


def build_text(spec):
    """The MLIR of a kernel: one function `attention` over memrefs."""
    by_role = {operand.role: operand for operand in spec.operands}
    arguments = [f"%{operand.role}: {operand.memref()}" for operand in spec.operands]
    lines, number = [], spec.number
    clauses = []
    if spec.scale == "argument":
        arguments.append(f"%scale: {number}")
    elif spec.scale is not None:
        lines.append(f"  %scale = arith.constant {_float_literal(spec.scale, number)} : {number}")
    if spec.scale is not None:
        clauses.append(f"scale(%scale : {number})")
    for role, clause in _CLAUSES.items():
        if role in by_role:
            clauses.append(f"{clause}(%{role} : {by_role[role].memref()})")
    maps = [operand.map() for operand in spec.operands if operand.role not in _UNMAPPED]
    outputs = [operand for operand in spec.operands if operand.role in ("out", "lse")]
    inputs = [by_role[role] for role in ("query", "key", "value")]
    attributes = [f"indexing_maps = [{', '.join(maps)}]"] + _attributes(spec)
    join = ", ".join
    lines += [
        f"  fa.attention {{{join(attributes)}}}",
        f"    ins({join('%' + o.role for o in inputs)} : {join(o.memref() for o in inputs)})",
        *(f"    {clause}" for clause in clauses),
        f"    outs({join('%' + o.role for o in outputs)} : {join(o.memref() for o in outputs)})",
        "  return",
    ]
    return "\n".join([f"func.func @attention({join(arguments)}) {{", *lines, "}", ""])


def _attributes(spec):
    attributes = []
    if spec.causal:
        attributes.append("causal")
    left, right = spec.window
    if left is not None:
        attributes.append(f"window_left = {left}")
    if right is not None:
        attributes.append(f"window_right = {right}")
    if spec.alignment:
        attributes.append(f"alignment = #fa.alignment<{spec.alignment}>")
    if spec.softcap is not None:
        attributes.append(f"softcap = {_float_literal(spec.softcap, 'f64')} : f64")
    return attributes


def _float_literal(value, dtype):
    """Exactly, as bits."""
    code, width = ("<d", 16) if dtype == "f64" else ("<f", 8)
    return f"0x{int.from_bytes(struct.pack(code, value), 'little'):0{width}X}"


#===----------------------------------------------------------------------===#
# Checking a call
#===----------------------------------------------------------------------===#


def _check_finite(name, value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, not {value}")
    return float(value)


def _parse_causal(causal):
    """(causal, alignment)"""
    if causal is False or causal is None:
        return False, "bottom_right"
    if causal is True:
        return True, "bottom_right"
    if causal in ("top_left", "bottom_right"):
        return True, causal
    raise ValueError(f"causal must be False, True, 'top_left' or 'bottom_right', not {causal!r}")


def _parse_window(window):
    if window is None:
        return None, None
    if not isinstance(window, (tuple, list)) or len(window) != 2:
        raise TypeError("window must be a pair (left, right), each a number or None")
    for side in window:
        if side is not None and (isinstance(side, bool) or not isinstance(side, int)):
            raise TypeError("window must be a pair (left, right), each a number or None")
        if side is not None and side < 0:
            raise ValueError(f"a window side must not be negative: {side}; None is unbounded")
    return tuple(window)


def _view(role, array):
    try:
        return _arrays.view(array)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{role}: {error}") from None


_FLOATS = ("f16", "bf16", "f32", "f64")


class _Call:
    """A call as views in the kernel's dimension order."""

    def __init__(self, query, key, value, layout):
        if layout not in ("bhsd", "bshd"):
            raise ValueError(f"layout must be 'bhsd' or 'bshd', not {layout!r}")
        self.layout = layout
        q, k, v = _view("query", query), _view("key", key), _view("value", value)
        for role, array in (("query", q), ("key", k), ("value", v)):
            if len(array.shape) != 4:
                raise ValueError(f"{role} must have 4 dimensions ({layout}), not {len(array.shape)}")
            if array.dtype not in _FLOATS:
                raise TypeError(f"{role} must be of f16, bf16, f32 or f64, not {array.dtype}")
            if array.dtype != q.dtype:
                raise TypeError(f"query is {q.dtype}, but {role} is {array.dtype}")
            if array.device != q.device:
                raise ValueError(f"query and {role} are on different devices")
        self.dtype, self.device = q.dtype, q.device
        self.number = "f64" if q.dtype == "f64" else "f32"
        order = (0, 1, 2, 3) if layout == "bhsd" else (0, 2, 1, 3)
        q, k, v = (_permute(array, order) for array in (q, k, v))
        self.batch, self.heads, self.queries, self.head_dim = q.shape
        _, self.kv_heads, self.keys, _ = k.shape
        self.value_dim = v.shape[3]
        self._check_shapes(q, k, v)
        self.group = self.heads // self.kv_heads if self.kv_heads else 1
        self.extents = dict(b=self.batch, h=self.kv_heads, g=self.group, m=self.queries, n=self.keys)
        self.operands, self.views = [], []
        self._add("query", "bhgmd", self._split_heads(q, 1), (None,) * 4 + (self.head_dim,))
        self._add("key", "bhnd", k, (None,) * 3 + (self.head_dim,))
        self._add("value", "bhne", v, (None,) * 3 + (self.value_dim,))

    def _check_shapes(self, q, k, v):
        if k.shape[0] != self.batch or v.shape[0] != self.batch:
            raise ValueError(f"batch sizes differ: query {self.batch}, key {k.shape[0]}, value {v.shape[0]}")
        if k.shape[1] != v.shape[1]:
            raise ValueError(f"key has {k.shape[1]} heads, value {v.shape[1]}")
        if k.shape[2] != v.shape[2]:
            raise ValueError(f"key has {k.shape[2]} positions, value {v.shape[2]}")
        if q.shape[3] != k.shape[3]:
            raise ValueError(f"the head dimension of query is {q.shape[3]}, of key {k.shape[3]}")
        if not self.head_dim or not self.value_dim:
            raise ValueError("a head dimension is 0")
        if max(self.queries, self.keys) > _MAX_POSITIONS:
            raise ValueError(f"{max(self.queries, self.keys)} positions are more than 2^29, which kernels can count to")
        if self.kv_heads == 0 and self.heads or self.kv_heads and self.heads % self.kv_heads:
            raise ValueError(f"{self.heads} query heads are not a multiple of {self.kv_heads} key/value heads")

    def _split_heads(self, view, at):
        """Heads as (h, g): the group is the fast one."""
        shape, strides = list(view.shape), list(view.strides)
        stride = strides[at]
        shape[at : at + 1] = [self.kv_heads, self.group]
        strides[at : at + 1] = [stride * self.group, stride]
        return view._replace(shape=tuple(shape), strides=tuple(strides))

    def _add(self, role, dims, view, static=None):
        static = static or (None,) * len(dims)
        unit = bool(dims) and (view.strides[-1] == 1 or view.shape[-1] == 1)
        if unit:
            view = view._replace(strides=view.strides[:-1] + (1,))
        if view.device != self.device:
            raise ValueError(f"query and {role} are on different devices")
        self.operands.append(Operand(role, view.dtype, dims, static, unit))
        self.views.append(view)

    def add_broadcast(self, role, array, dtypes):
        """A [B, H, Sq, Sk] array, or what broadcasts to it: dimensions of size 1 are left out."""
        view = _view(role, array)
        if view.dtype not in dtypes:
            raise TypeError(f"{role} must be of {' or '.join(dtypes)}, not {view.dtype}")
        full = (self.batch, self.heads, self.queries, self.keys)
        if len(view.shape) > 4:
            raise ValueError(f"{role} has {len(view.shape)} dimensions, at most 4 are allowed")
        start = 4 - len(view.shape)
        dims, shape, strides = "", [], []
        for letters, size, extent, stride in zip(("b", "hg", "m", "n")[start:], view.shape, full[start:], view.strides):
            if size != extent and size != 1:
                raise ValueError(f"{role} of shape {tuple(view.shape)} does not broadcast to {full}")
            if size == 1 and letters != "n":
                continue
            if size == 1 and extent != 1:
                continue
            dims += letters
            shape += [self.kv_heads, self.group] if letters == "hg" else [size]
            strides += [stride * self.group, stride] if letters == "hg" else [stride]
        self._add(role, dims, view._replace(shape=tuple(shape), strides=tuple(strides)))

    def add_per_head(self, role, array, with_batch):
        """[H], or also [B, H]."""
        view = _view(role, array)
        if view.dtype not in _FLOATS:
            raise TypeError(f"{role} must be of a float type, not {view.dtype}")
        allowed = [(self.heads,)] + ([(self.batch, self.heads)] if with_batch else [])
        if tuple(view.shape) not in allowed:
            raise ValueError(f"{role} must have shape {' or '.join(map(str, allowed))}, not {tuple(view.shape)}")
        dims = "hg" if len(view.shape) == 1 else "bhg"
        self._add(role, dims, self._split_heads(view, len(view.shape) - 1))

    def add_lengths(self, role, array):
        view = _view(role, array)
        if view.dtype != "i32":
            raise TypeError(f"{role} must be of i32, not {view.dtype}")
        if tuple(view.shape) != (self.batch,):
            raise ValueError(f"{role} must have shape {(self.batch,)}, not {tuple(view.shape)}")
        self._add(role, "b", view)

    def add_output(self, role, dtype, last):
        """A new array: contiguous in the caller's layout. Returns its shape."""
        heads, positions = self.heads, self.queries
        if role == "lse":
            shape, order, dims, static = (self.batch, heads, positions), (0, 1, 2), "bhgm", None
        else:
            swapped = self.layout == "bshd"
            shape = (self.batch, positions, heads, last) if swapped else (self.batch, heads, positions, last)
            order, dims, static = (0, 2, 1, 3) if swapped else (0, 1, 2, 3), "bhgme", (None,) * 4 + (last,)
        view = View(0, dtype, shape, _arrays._row_major(shape), self.device, None)
        self._add(role, dims, self._split_heads(_permute(view, order), 1), static)
        return shape


def _permute(view, order):
    return view._replace(shape=tuple(view.shape[i] for i in order), strides=tuple(view.strides[i] for i in order))


#===----------------------------------------------------------------------===#
# Plans
#===----------------------------------------------------------------------===#


class _Plan:
    """A checked call: what is left are pointers."""

    __slots__ = ("kernel", "binding", "handle", "pack", "device", "out_shape", "lse_shape", "number")


def _choose_scale(call, key, scale):
    """None, a constant for the kernel, or "argument"."""
    if scale is None:
        return None
    scale = _check_finite("scale", scale)
    code = "<d" if call.number == "f64" else "<f"
    try:
        rounded = struct.unpack(code, struct.pack(code, scale))[0]
    except OverflowError:
        raise ValueError(f"scale {scale} does not fit {call.number}") from None
    with _lock:
        seen = _scales.setdefault(key, set())
        if rounded in seen or len(seen) < _MAX_SCALES:
            seen.add(rounded)
            return rounded
    return "argument"


def _prepare(query, key, value, options, extras):
    """The checked call, and what its kernel is compiled for."""
    scale, causal, window, softcap, layout, return_lse, target = options
    call = _Call(query, key, value, layout)
    _add_extras(call, *extras)
    is_causal, alignment = _parse_causal(causal)
    window = _parse_window(window)
    if softcap is not None:
        softcap = _check_finite("softcap", softcap)
        if softcap <= 0:
            raise ValueError(f"softcap must be greater than 0, not {softcap}")
    call.out_shape = call.add_output("out", call.dtype, call.value_dim)
    call.lse_shape = call.add_output("lse", call.number, None) if return_lse else None
    # Without a mask or slope that depends on it, the alignment means nothing.
    uses_alignment = is_causal or window != (None, None) or extras[2] is not None
    spec = Spec(
        _check_target(target, call.device), tuple(call.operands), call.number, None, is_causal,
        alignment if uses_alignment else None, window, softcap,
    )  # fmt: skip
    return call, spec._replace(scale=_choose_scale(call, spec, scale))


def _add_extras(call, bias, mask, alibi_slopes, sinks, query_lengths, key_lengths):
    if bias is not None:
        call.add_broadcast("bias", bias, _FLOATS)
    if mask is not None:
        call.add_broadcast("mask", mask, ("i1",))
    if alibi_slopes is not None:
        call.add_per_head("alibi_slopes", alibi_slopes, with_batch=True)
    if sinks is not None:
        call.add_per_head("sinks", sinks, with_batch=False)
    if query_lengths is not None:
        call.add_lengths("query_lengths", query_lengths)
    if key_lengths is not None:
        call.add_lengths("key_lengths", key_lengths)


def _check_target(target, device):
    if target is not None and not isinstance(target, str):
        raise TypeError(f"target must be a name such as 'sm_80', not {type(target).__name__}")
    is_host = device < 0
    target = target or (HOST_TARGET if is_host else _targets.DEFAULT)
    if is_host != (target in ("cpu", "reference")):
        where = "in host memory" if is_host else "on a GPU"
        raise ValueError(f"target is {target!r}, but the arrays are {where}")
    return target


def _make_plan(query, key, value, options, extras):
    call, spec = _prepare(query, key, value, options, extras)
    plan = _Plan()
    plan.device, plan.number = call.device, call.number
    plan.out_shape, plan.lse_shape = call.out_shape, call.lse_shape
    plan.kernel = _get_kernel(spec, call.device)
    arguments = list(call.views)
    if spec.scale == "argument":
        arguments.append((call.number, float(options[0])))
    plan.binding = _kernel.make_binding(_kernel._Handle(plan.kernel), arguments)
    plan.handle, plan.pack = plan.binding.handle, plan.binding.pack
    return plan


def _get_kernel(spec, device):
    key = (spec, device if device < 0 else _targets.get_capability(device), GPU_SCHEDULE)
    with _lock:
        kernel = _kernels.get(key)
    if kernel is None:
        kernel = _compile(spec, key[1])
        with _lock:
            kernel = _kernels.setdefault(key, kernel)
    return kernel


def _compile(spec, capability):
    text = build_text(spec)
    if capability < 0:
        return _kernel.compile(text, spec.target, entry="attention")
    return _targets.compile_for(text, spec.target, capability, entry="attention", schedule=GPU_SCHEDULE)


def _get_options(options):
    """The options of `attention` in the order that plans have them."""
    known = dict(
        scale=None, causal=False, window=None, softcap=None, layout="bhsd", return_lse=False, target=None,
        bias=None, mask=None, alibi_slopes=None, sinks=None, query_lengths=None, key_lengths=None,
    )  # fmt: skip
    for name in options:
        if name not in known:
            raise TypeError(f"attention has no argument {name!r}")
    values = tuple({**known, **options}.values())
    return values[:7], values[7:]


def attention_text(q, k, v, **options):
    """The MLIR that `attention` compiles for these arguments."""
    return build_text(_prepare(q, k, v, *_get_options(options))[1])


def attention_kernel(q, k, v, **options):
    """The `Kernel` that `attention` calls for these arguments: its target and why (`choice`), its PTX, its IR."""
    return _make_plan(q, k, v, *_get_options(options)).kernel


def _describe(array):
    """What a plan depends on of an array."""
    if array is None:
        return None
    view = _arrays.view(array)
    return type(array), view.shape, view.strides, view.dtype, view.device


def _remember(key, plan):
    with _lock:
        _plans[key] = plan
        if len(_plans) > _MAX_PLANS:
            _plans.popitem(last=False)


def attention(
    q,
    k,
    v,
    *,
    scale=None,
    causal=False,
    window=None,
    softcap=None,
    bias=None,
    mask=None,
    alibi_slopes=None,
    sinks=None,
    query_lengths=None,
    key_lengths=None,
    layout="bhsd",
    return_lse=False,
    target=None,
):
    """softmax(scale * q k^T, masked) v.

    q: [B, H, Sq, D], k: [B, Hkv, Sk, D], v: [B, Hkv, Sk, E] (or with layout="bshd" [B, S, H, D]), of f16, bf16, f32 or f64;
    H is a multiple of Hkv. Arrays of torch (CUDA or CPU) or numpy, any strides; results are new arrays of the same library.

    scale: 1/sqrt(D) by default. softcap: s -> softcap * tanh(s / softcap). causal: False, True (= "bottom_right": the last
    query sees the last key), or "top_left" (torch's is_causal). window: (left, right), None is unbounded; aligned as
    causal. bias, mask (bool, True = keep): what broadcasts to [B, H, Sq, Sk]. alibi_slopes: [H] or [B, H]. sinks: [H], a logit
    that has no value. query_lengths, key_lengths: i32 [B], sizes of the sequences in the padded arrays.

    Returns out [B, H, Sq, E] (or bshd), and with return_lse also lse [B, H, Sq] (natural logarithm). Rows that see no
    key give out = 0 and lse = -inf.
    """
    options = scale, causal, window, softcap, layout, return_lse, target
    extras = bias, mask, alibi_slopes, sinks, query_lengths, key_lengths
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(q, torch.Tensor):
        return _attention_torch(torch, q, k, v, options, extras)
    return _attention_any(q, k, v, options, extras)


def _has_any(extras):
    # Not a comparison: arrays compare by element.
    for array in extras:
        if array is not None:
            return True
    return False


def _attention_torch(torch, q, k, v, options, extras):
    has_extras = _has_any(extras)
    try:
        key = (
            q.shape, q.stride(), k.shape, k.stride(), v.shape, v.stride(), q.dtype, k.dtype, v.dtype,
            q.device, k.device, v.device, options,
            tuple(map(_describe, extras)) if has_extras else None,
        )  # fmt: skip
        plan = _plans.get(key)
    except (AttributeError, TypeError):
        # Not all tensors, or an option of a wrong type: the checks say what is wrong.
        key = plan = None
    if plan is None:
        for array in (q, k, v) + extras:
            if array is not None and not isinstance(array, torch.Tensor):
                raise TypeError(f"query is a torch tensor, so all arrays must be, not {type(array).__name__}")
        plan = _make_plan(q, k, v, options, extras)
        if key is not None:
            _remember(key, plan)
    if q.requires_grad or k.requires_grad or v.requires_grad or q.is_neg() or k.is_neg() or v.is_neg():
        for tensor in (q, k, v):
            _arrays.check_torch(tensor)
    device = plan.device
    out = torch.empty(plan.out_shape, dtype=q.dtype, device=q.device)
    lse = None
    pointers = [q.data_ptr(), k.data_ptr(), v.data_ptr()]
    if has_extras:
        pointers += [array.data_ptr() for array in extras if array is not None]
    pointers.append(out.data_ptr())
    if plan.lse_shape is not None:
        lse = torch.empty(plan.lse_shape, dtype=torch.float64 if plan.number == "f64" else torch.float32, device=q.device)
        pointers.append(lse.data_ptr())
    stream = torch._C._cuda_getCurrentRawStream(device) if device >= 0 else None
    if lib.fa_call(plan.handle, plan.pack(*pointers), device if device > 0 else 0, stream, None, None):
        raise Error(last_error())
    return out if lse is None else (out, lse)


def _attention_any(q, k, v, options, extras):
    arrays = (q, k, v) + extras
    views = [None if array is None else _arrays.view(array) for array in arrays]
    key = tuple(view and view[1:5] for view in views) + (tuple(options),)
    try:
        plan = _plans.get(key)
    except TypeError:
        key = plan = None
    if plan is None:
        plan = _make_plan(q, k, v, options, extras)
        if key is not None:
            _remember(key, plan)
    out = _arrays.empty_like_library(q, plan.out_shape, views[0].dtype)
    results = [out]
    if plan.lse_shape is not None:
        results.append(_arrays.empty_like_library(q, plan.lse_shape, plan.number))
    pointers = [view.pointer for view in views if view is not None] + [_arrays.view(array).pointer for array in results]
    stream = _arrays.current_stream(plan.device)
    if lib.fa_call(plan.handle, plan.pack(*pointers), max(plan.device, 0), stream, None, None):
        raise Error(last_error())
    return out if len(results) == 1 else tuple(results)
