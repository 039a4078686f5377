"""attention as operators of torch: fa_mlir::attention with gradients, for autograd, torch.compile and fake tensors."""

import ctypes
import functools
from typing import List, Optional, Tuple

import torch
from torch import Tensor
from torch.autograd import forward_ad

from . import _attention
from ._library import Allocate, Allocator, ArgumentError, Release

_PLAIN = torch.Tensor, torch.nn.Parameter
_in_transform = getattr(torch._C._functorch, "peek_interpreter_stack", lambda: None)


def needs_dispatch(q, k, v, extras):
    """Whether a call is more than a launch: it is recorded, traced, or on something that only looks like a tensor. `extras`: None
    where there are none."""
    if torch.compiler.is_compiling() or _in_transform() is not None or forward_ad._current_level >= 0:
        return True
    # Part of every call: no loop over what is usually three.
    if type(q) not in _PLAIN or type(k) not in _PLAIN or type(v) not in _PLAIN:
        if any(isinstance(array, Tensor) and type(array) not in _PLAIN for array in (q, k, v)):
            return True
        extras = (q, k, v, *(extras or ()))
    elif (q.requires_grad or k.requires_grad or v.requires_grad) and torch.is_grad_enabled():
        return True
    return extras is not None and any(map(_is_special, extras))


def _is_special(array):
    return isinstance(array, Tensor) and (type(array) not in _PLAIN or array.requires_grad and torch.is_grad_enabled())


def _has_tangent(array):
    return isinstance(array, Tensor) and forward_ad.unpack_dual(array).tangent is not None


@functools.lru_cache(maxsize=None)
def get_allocator(device):
    """Workspaces of one call on a GPU, from torch's allocator: it knows which stream they are used on."""

    def allocate(_context, _result, size, stream):
        try:
            return torch.cuda.caching_allocator_alloc(size, device, stream or 0)
        except Exception:  # A callback must not raise; the call fails.
            return None

    def release(_context, pointer, _stream):
        torch.cuda.caching_allocator_delete(pointer)

    return ctypes.byref(Allocator(Allocate(allocate), Release(release), None))


def attention(q, k, v, options, extras, deterministic):
    scale, causal, window, softcap, layout, return_lse, target = options
    _attention.check_library(torch, (q, k, v, *extras))
    for name, tensor in zip(("alibi_slopes", "mask", "query_lengths", "key_lengths"), (extras[2], extras[1], *extras[4:])):
        if tensor is not None and tensor.requires_grad and torch.is_grad_enabled():
            raise ArgumentError(f"{name} has no gradient: detach it")
    # Torch would drop the tangents of an operator that knows nothing of them.
    if forward_ad._current_level >= 0 and any(map(_has_tangent, (q, k, v, *extras))):
        raise NotImplementedError("fa_mlir.attention has no forward-mode derivatives; use reverse mode (torch.autograd.grad)")
    left, right = window or (None, None)
    # The operator's schema has one type for each argument.
    causal = {True: "bottom_right", False: ""}.get(causal, causal)
    deterministic = deterministic or torch.are_deterministic_algorithms_enabled()
    out, lse = _forward(q, k, v, *extras, scale, causal, left, right, softcap, layout, target, deterministic)
    return (out, lse) if return_lse else out


def _pack(scale, causal, left, right, softcap, layout, target):
    """The options as plans have them."""
    return scale, causal or False, (left, right), softcap, layout, True, target


@torch.library.custom_op("fa_mlir::attention", mutates_args=())
def _forward(
    q: Tensor, k: Tensor, v: Tensor, bias: Optional[Tensor], mask: Optional[Tensor], alibi_slopes: Optional[Tensor],
    sinks: Optional[Tensor], query_lengths: Optional[Tensor], key_lengths: Optional[Tensor], scale: Optional[float],
    causal: str, window_left: Optional[int], window_right: Optional[int], softcap: Optional[float], layout: str,
    target: Optional[str], deterministic: bool = False,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    # The forward pass is deterministic in any case.
    options = _pack(scale, causal, window_left, window_right, softcap, layout, target)
    extras = bias, mask, alibi_slopes, sinks, query_lengths, key_lengths
    return _attention.call_torch(torch, q, k, v, options, extras)


@_forward.register_fake
def _(q, k, v, bias, mask, alibi_slopes, sinks, query_lengths, key_lengths, scale, causal, window_left, window_right, softcap,
      layout, target, deterministic=False):  # fmt: skip
    batch, heads, queries = q.shape[0], q.shape[1], q.shape[2]
    if layout == "bshd":
        heads, queries = queries, heads
    number = torch.float64 if q.dtype == torch.float64 else torch.float32
    return q.new_empty((*q.shape[:3], v.shape[3])), q.new_empty((batch, heads, queries), dtype=number)


@torch.library.custom_op("fa_mlir::attention_backward", mutates_args=())
def _backward(
    d_out: Tensor, d_lse: Optional[Tensor], out: Tensor, lse: Tensor, q: Tensor, k: Tensor, v: Tensor,
    bias: Optional[Tensor], mask: Optional[Tensor], alibi_slopes: Optional[Tensor], sinks: Optional[Tensor],
    query_lengths: Optional[Tensor], key_lengths: Optional[Tensor], scale: Optional[float], causal: str,
    window_left: Optional[int], window_right: Optional[int], softcap: Optional[float], layout: str,
    target: Optional[str], deterministic: bool, with_bias: bool, with_sinks: bool,
) -> List[Tensor]:  # fmt: skip
    options = _pack(scale, causal, window_left, window_right, softcap, layout, target)
    extras = bias, mask, alibi_slopes, sinks, query_lengths, key_lengths
    return _attention.call_backward_torch(
        torch, (q, k, v), (out, lse, d_out, d_lse), options, extras, deterministic, with_bias, with_sinks
    )


@_backward.register_fake
def _(d_out, d_lse, out, lse, q, k, v, bias, mask, alibi_slopes, sinks, query_lengths, key_lengths, scale, causal, window_left,
      window_right, softcap, layout, target, deterministic, with_bias, with_sinks):  # fmt: skip
    like = [q, k, v] + ([bias] if with_bias else []) + ([sinks] if with_sinks else [])
    return [t.new_empty(t.shape) for t in like]


def _setup_context(ctx, inputs, output):
    """Kept for the backward pass: what the caller has anyway, out and lse."""
    tensors, ctx.options = inputs[:9], inputs[9:]
    ctx.save_for_backward(*output, *tensors)
    ctx.set_materialize_grads(False)


def _differentiate(ctx, d_out, d_lse):
    out, lse, *tensors = ctx.saved_tensors
    if d_out is None and d_lse is None:
        return (None,) * (9 + len(ctx.options))
    if d_out is None:
        d_out = torch.zeros_like(out)
    with_bias, with_sinks = ctx.needs_input_grad[3], ctx.needs_input_grad[6]
    gradients = _backward(d_out, d_lse, out, lse, *tensors, *ctx.options, with_bias, with_sinks)
    d_query, d_key, d_value, *others = gradients
    d_bias = others.pop(0) if with_bias else None
    d_sinks = others.pop(0) if with_sinks else None
    return (d_query, d_key, d_value, d_bias, None, None, d_sinks, None, None) + (None,) * len(ctx.options)


_forward.register_autograd(_differentiate, setup_context=_setup_context)


def _refuse(_ctx, *_):
    raise NotImplementedError("fa_mlir.attention has no second derivatives; ask for the first without create_graph, or detach it")


_backward.register_autograd(_refuse)
