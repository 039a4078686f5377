"""fa_mlir.attention: attention on arrays.

A call becomes `fa.attention` on strided memrefs, in the dialect's fixed dimension order: layouts are strides, grouped
queries are a fifth dimension, and keys and values are never repeated or copied. One kernel is compiled per combination of dtypes,
head dimensions and features; sizes and strides are run-time values. What was checked once (a *plan*) is found again by the
shapes of a call, and costs a few microseconds.
"""

import collections
import re
import struct
import sys
import threading

from . import _arrays, _kernel, _scalars, _targets
from ._call import FLOATS, Call, view_as
from ._library import ArgumentError, call_error, lib
from ._options import normalise, split_causal
from ._text import CLAUSES, Spec, build_text, get_name

HOST_TARGET = "cpu"
# None: the compiler's choice; "standard" for the O(N^2) baseline.
GPU_SCHEDULE = None

_PROCESSOR = re.compile(r"sm_(\d{1,4})[af]?")

_MAX_PLANS = 4096
# So many values of `scale` get kernels of their own, where it is a constant; then it becomes an argument.
_MAX_SCALES = 8

_lock = threading.Lock()
_kernels = {}
_scales = {}
_plans = collections.OrderedDict()

_ROLES = ("query", "key", "value", *CLAUSES)


class _Plan:
    """A checked call: what is left are pointers."""

    __slots__ = ("kernel", "binding", "handle", "pack", "device", "out_shape", "lse_shape", "gradient_shapes", "number")


def _choose_scale(call, key, scale):
    """None, a constant for the kernel, or "argument"."""
    if scale is None:
        return None
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


def _prepare(query, key, value, options, extras, add_outputs=None, deterministic=False):
    """The checked call, and what its kernel is compiled for."""
    scale, causal, window, softcap, layout, return_lse, target = options
    call = Call(query, key, value, layout)
    _add_extras(call, *extras)
    is_causal, alignment = split_causal(causal)
    window = window or (None, None)
    least, most = (2.0**-1022, 1.7e308) if call.number == "f64" else (2.0**-126, 3.4e38)
    if softcap is not None and not least <= softcap <= most:
        raise ValueError(f"softcap must be greater than 0 and a normal number of {call.number}, not {softcap}")
    if add_outputs:
        add_outputs(call)
        call.fix_group_of_one()
    else:
        call.out_shape = call.add_output("out", call.dtype, call.value_dim)
        call.lse_shape = call.add_output("lse", call.number, None) if return_lse else None
    # Without a mask or slope that depends on it, the alignment means nothing.
    uses_alignment = is_causal or window != (None, None) or extras[2] is not None
    spec = Spec(
        _check_target(target, call.device), tuple(call.operands), call.number, None, is_causal,
        alignment if uses_alignment else None, window, softcap, deterministic,
    )  # fmt: skip
    return call, spec._replace(scale=_choose_scale(call, spec, scale))


def _add_extras(call, bias, mask, alibi_slopes, sinks, query_lengths, key_lengths):
    if bias is not None:
        call.add_broadcast("bias", bias, FLOATS)
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
    is_host = device < 0
    target = target or (HOST_TARGET if is_host else _targets.DEFAULT)
    if is_host != (target in ("cpu", "reference")):
        where = "in host memory" if is_host else "on a GPU"
        raise ValueError(f"target is {target!r}, but the arrays are {where}")
    if not is_host and target != "auto":
        processor = _PROCESSOR.fullmatch(target)
        if not processor or int(processor[1]) < 80:
            raise ArgumentError(f"unknown processor {target!r}; target is 'auto', or a processor from sm_80 on")
    return target


def _make_plan(query, key, value, options, extras):
    call, spec = _prepare(query, key, value, options, extras)
    plan = _bind_plan(call, spec, options[0])
    plan.out_shape, plan.lse_shape = call.out_shape, call.lse_shape
    return plan


def _bind_plan(call, spec, scale):
    plan = _Plan()
    plan.device, plan.number = call.device, call.number
    plan.kernel = _get_kernel(spec, call.device)
    arguments = list(call.views)
    if spec.scale == "argument":
        arguments.append(_scalars.to_scalar(call.number, scale))
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
        return _kernel.compile(text, spec.target, entry=get_name(spec))
    return _targets.compile_for(text, spec.target, capability, entry=get_name(spec), schedule=GPU_SCHEDULE)


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
    return normalise(*values[:7]), values[7:]


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
    deterministic=False,
):
    """softmax(scale * q k^T, masked) v.

    q: [B, H, Sq, D], k: [B, Hkv, Sk, D], v: [B, Hkv, Sk, E] (or with layout="bshd" [B, S, H, D]), of f16, bf16, f32 or f64;
    H is a multiple of Hkv. Arrays of torch (CUDA or CPU) or numpy, any strides; results are new arrays of the same library.

    scale: 1/sqrt(D) by default. softcap: s -> softcap * tanh(s / softcap). causal: False, True (= "bottom_right": the last
    query sees the last key), or "top_left" (torch's is_causal). window: (left, right), None is unbounded; aligned as
    causal. bias, mask (bool, True = keep): what broadcasts to [B, H, Sq, Sk]. alibi_slopes: [H] or [B, H]. sinks: [H], a logit
    that has no value. query_lengths, key_lengths: i32 [B], sizes of the sequences in the padded arrays,
    taken as 0 or the array's size where they lie outside of these.

    deterministic: gradients are the same bits in every run, whatever the schedule; also where
    torch.use_deterministic_algorithms() says so. out and lse always are.

    Returns out [B, H, Sq, E] (or bshd), and with return_lse also lse [B, H, Sq] (natural logarithm). Rows that see no
    key give out = 0 and lse = -inf.
    """
    options = normalise(scale, causal, window, softcap, layout, return_lse, target)
    extras = bias, mask, alibi_slopes, sinks, query_lengths, key_lengths
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(q, torch.Tensor):
        return _attention_torch(torch, q, k, v, options, extras, deterministic)
    return _attention_any(q, k, v, options, extras)


def _has_any(extras):
    # Not a comparison: arrays compare by element.
    for array in extras:
        if array is not None:
            return True
    return False


def _attention_torch(torch, q, k, v, options, extras, deterministic):
    """Straight to the kernel where that is all there is to do; else through torch's dispatcher, which records gradients and graphs."""
    ops = _torch_ops() if _ops is None else _ops
    if ops.needs_dispatch(q, k, v, extras if _has_any(extras) else None):
        return ops.attention(q, k, v, options, extras, deterministic)
    out, lse = call_torch(torch, q, k, v, options, extras)
    return out if lse is None else (out, lse)


_ops = None


def _torch_ops():
    """The module of torch's operators; it needs torch, so it is imported with the first tensor."""
    global _ops
    from . import _torch

    _ops = _torch
    return _torch


def check_library(torch, arrays):
    """The query is torch's: the others must be, too, or None."""
    for array in arrays:
        if array is not None and not isinstance(array, torch.Tensor):
            raise TypeError(f"query is a torch tensor, so all arrays must be, not {type(array).__name__}")


def call_torch(torch, q, k, v, options, extras):
    """out and lse (or None) of tensors in memory."""
    has_extras = _has_any(extras)
    try:
        key = (
            q.shape, q.stride(), k.shape, k.stride(), v.shape, v.stride(), q.dtype, k.dtype, v.dtype,
            q.device, k.device, v.device, options,
            tuple(map(_describe, extras)) if has_extras else None,
        )  # fmt: skip
        plan = _plans.get(key)
    except (AttributeError, TypeError):
        # Not all tensors: the checks say what is wrong.
        key = plan = None
    if plan is None:
        check_library(torch, (q, k, v) + extras)
        plan = _make_plan(q, k, v, options, extras)
        if key is not None:
            _remember(key, plan)
    if q.is_neg() or k.is_neg() or v.is_neg():
        for tensor in (q, k, v):
            _arrays.check_torch(tensor)
    out = q.new_empty(plan.out_shape)
    lse = None
    pointers = [q.data_ptr(), k.data_ptr(), v.data_ptr()]
    if has_extras:
        pointers += [array.data_ptr() for array in extras if array is not None]
    pointers.append(out.data_ptr())
    if plan.lse_shape is not None:
        lse = torch.empty(plan.lse_shape, dtype=torch.float64 if plan.number == "f64" else torch.float32, device=q.device)
        pointers.append(lse.data_ptr())
    _launch(torch, plan, pointers)
    return out, lse


def _launch(torch, plan, pointers, allocator=None):
    device = plan.device
    stream = torch._C._cuda_getCurrentRawStream(device) if device >= 0 else None
    status = lib.fa_call(plan.handle, plan.pack(*pointers), device if device > 0 else 0, stream, allocator, None)
    if status:
        raise call_error(status)


def call_backward_torch(torch, inputs, results, options, extras, deterministic, with_bias, with_sinks):
    """Gradients of query, key, value (, bias) (, sinks). `results`: out, lse, d_out, d_lse (or None)."""
    arrays = (*inputs, *extras, *results)
    key = ("backward", tuple(map(_describe, arrays)), options, deterministic, with_bias, with_sinks, GPU_SCHEDULE)
    plan = _plans.get(key)
    if plan is None:
        plan = _make_backward_plan(inputs, results, options, extras, deterministic, with_bias, with_sinks)
        _remember(key, plan)
    like = [*inputs, *([extras[0]] if with_bias else []), *([extras[3]] if with_sinks else [])]
    gradients = [torch.empty(shape, dtype=t.dtype, device=t.device) for shape, t in zip(plan.gradient_shapes, like)]
    pointers = [array.data_ptr() for array in (*arrays, *gradients) if array is not None]
    # A CPU's program has its own memory.
    _launch(torch, plan, pointers, _torch_ops().get_allocator(plan.device) if plan.device >= 0 else None)
    return gradients


def _make_backward_plan(inputs, results, options, extras, deterministic, with_bias, with_sinks):
    out, lse, d_out, d_lse = results

    def add_operands(call):
        call.add_values("out", out, call.value_dim, "e")
        call.add_rows("lse", lse)
        call.add_values("d_out", d_out, call.value_dim, "e")
        if d_lse is not None:
            call.add_rows("d_lse", d_lse)
        call.gradient_shapes = call.add_gradients(extras[0] if with_bias else None, extras[3] if with_sinks else None)

    call, spec = _prepare(*inputs, options, extras, add_operands, deterministic)
    plan = _bind_plan(call, spec, options[0])
    plan.gradient_shapes = call.gradient_shapes
    return plan


def _attention_any(q, k, v, options, extras):
    arrays = (q, k, v) + extras
    views = [None if array is None else view_as(role, array) for role, array in zip(_ROLES, arrays)]
    key = tuple(seen and seen[1:5] for seen in views) + (options,)
    plan = _plans.get(key)
    if plan is None:
        plan = _make_plan(q, k, v, options, extras)
        _remember(key, plan)
    out = _arrays.empty_like_library(q, plan.out_shape, views[0].dtype)
    results = [out]
    if plan.lse_shape is not None:
        results.append(_arrays.empty_like_library(q, plan.lse_shape, plan.number))
    pointers = [seen.pointer for seen in views if seen is not None] + [_arrays.view(array).pointer for array in results]
    stream = _arrays.current_stream(plan.device)
    status = lib.fa_call(plan.handle, plan.pack(*pointers), max(plan.device, 0), stream, None, None)
    if status:
        raise call_error(status)
    return out if len(results) == 1 else tuple(results)
