"""The candidates: fa_mlir and every other attention that is installed.

A candidate is a function (problem) -> call, where `call()` computes the output, or for a cell of the backward pass the
gradients. It raises `Unsupported` with the reason where it cannot do the problem, and any exception where it is not installed or fails.
"""

import functools
import math
import os
import pathlib
import subprocess
import tempfile

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "f64": torch.float64}


class Unsupported(Exception):
    pass


class Problem:
    """A cell with its tensors, [B, H, S, D]."""

    def __init__(self, cell, device, seed=0):
        self.cell = cell
        self.device = device
        generator = torch.Generator(device=device).manual_seed(seed)
        dtype = DTYPES[cell.dtype]

        def normal(heads, length, dim):
            tensor = torch.randn(cell.batch, heads, length, dim, generator=generator, device=device, dtype=dtype)
            return tensor.requires_grad_(cell.backward)

        self.query = normal(cell.heads, cell.query_length, cell.head_dim)
        self.key = normal(cell.kv_heads, cell.key_length, cell.head_dim)
        self.value = normal(cell.kv_heads, cell.key_length, cell.value_dim)
        self.d_out = None
        if cell.backward:
            self.d_out = normal(cell.heads, cell.query_length, cell.value_dim).detach()
        self.slopes = 2.0 ** (-8.0 * torch.arange(1, cell.heads + 1, device=device) / cell.heads)

    @property
    def inputs(self):
        return self.query, self.key, self.value

    def is_square(self):
        return self.cell.query_length == self.cell.key_length

    def backward_of(self, forward):
        """The gradients by autograd: the graph is built once."""
        out = forward()
        if not out.requires_grad:
            raise Unsupported("has no backward pass")
        return lambda: torch.autograd.grad(out, self.inputs, self.d_out, retain_graph=True)

    def of_cell(self, forward):
        return self.backward_of(forward) if self.cell.backward else forward


def refuse(cell, *features):
    """Raises if the cell has a feature that is not in `features`."""
    has = {
        "gqa": cell.heads != cell.kv_heads,
        "value_dim": cell.head_dim != cell.value_dim,
        "bottom_right": cell.causal == "bottom_right" and cell.query_length != cell.key_length,
        "rectangular": cell.query_length != cell.key_length,
        "window": bool(cell.window),
        "softcap": bool(cell.softcap),
        "alibi": cell.alibi,
        "region": cell.causal_by_region,
        "backward": cell.backward,
    }
    for feature, is_there in has.items():
        if is_there and feature not in features:
            raise Unsupported(f"no {feature}")


#===----------------------------------------------------------------------===#
# fa_mlir
#===----------------------------------------------------------------------===#


def fa(problem):
    import fa_mlir

    cell = problem.cell
    refuse(cell, "gqa", "value_dim", "bottom_right", "rectangular", "window", "softcap", "alibi", "region", "backward")
    options = dict(causal=cell.causal or False, window=cell.window, softcap=cell.softcap)
    if cell.alibi:
        options["alibi_slopes"] = problem.slopes.float()
    q, k, v = problem.inputs
    return problem.of_cell(lambda: fa_mlir.attention(q, k, v, **options))


# Causal as users write it: a mask region, which the compiler has to see through.
REGION = """
!t = memref<?x?x?x{d}x{dtype}>

func.func @attention(%q: !t, %k: !t, %v: !t, %out: !t) {{
  fa.attention {{indexing_maps = [affine_map<(b, h, g, m, n, d, e) -> (b, h, m, d)>,
                                 affine_map<(b, h, g, m, n, d, e) -> (b, h, n, d)>,
                                 affine_map<(b, h, g, m, n, d, e) -> (b, h, n, e)>,
                                 affine_map<(b, h, g, m, n, d, e) -> (b, h, m, e)>]}}
    ins(%q, %k, %v : !t, !t, !t) outs(%out : !t)
    keep {{
    ^bb0:
      %m = fa.index q
      %n = fa.index k
      %keep = arith.cmpi sge, %m, %n : index
      fa.yield %keep : i1
    }}
  return
}}
"""


def fa_region(problem):
    import fa_mlir

    cell = problem.cell
    if not (cell.causal_by_region and cell.causal == "top_left"):
        raise Unsupported("for cells with a mask region")
    refuse(cell, "region")
    if cell.head_dim != cell.value_dim:
        raise Unsupported("one head dimension")
    target = "cpu" if problem.device == "cpu" else "auto"
    kernel = fa_mlir.compile(REGION.format(d=cell.head_dim, dtype=cell.dtype), target)
    out = torch.empty_like(problem.query)

    def call():
        kernel(*problem.inputs, out)
        return out

    return call


def fa_files(problem):
    """What the tool fa-compile writes, loaded from its files."""
    import fa_mlir
    cell = problem.cell
    refuse(cell, "gqa", "value_dim", "bottom_right", "rectangular")
    tool = os.environ.get("FA_COMPILE")
    if not tool:
        raise Unsupported("the environment variable FA_COMPILE does not name the tool")
    if problem.device == "cpu":
        raise Unsupported("makes files for GPUs only")
    options = dict(causal=cell.causal or False)
    text = fa_mlir.attention_text(*problem.inputs, **options)
    target = fa_mlir.attention_kernel(*problem.inputs, **options).target
    folder = pathlib.Path(tempfile.mkdtemp())
    source = folder / "attention.mlir"
    source.write_text(text)
    subprocess.run([tool, source, "--target", target, "-o", folder / "out"], check=True)
    kernel = fa_mlir.load(folder / "out")
    group = cell.heads // cell.kv_heads
    out = problem.query.new_empty(cell.batch, cell.heads, cell.query_length, cell.value_dim)
    split = lambda t: t.unflatten(1, (cell.kv_heads, group))  # noqa: E731
    arguments = (split(problem.query), problem.key, problem.value, split(out))

    def call():
        kernel(*arguments)
        return out

    return call


#===----------------------------------------------------------------------===#
# PyTorch
#===----------------------------------------------------------------------===#


def sdpa(backend, problem):
    cell = problem.cell
    features = ["gqa", "value_dim", "rectangular", "region", "backward"]
    options = dict(is_causal=bool(cell.causal), enable_gqa=cell.heads != cell.kv_heads)
    if cell.causal == "bottom_right" and not problem.is_square():
        from torch.nn.attention.bias import causal_lower_right

        features.append("bottom_right")
        options.update(is_causal=False, attn_mask=causal_lower_right(cell.query_length, cell.key_length))
    refuse(cell, *features)

    def forward():
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(*problem.inputs, **options)

    return problem.of_cell(forward)


def _flex_mask(problem):
    """mask_mod of the cell, or None."""
    cell = problem.cell
    if not cell.causal and not cell.window:
        return None
    offset = 0 if cell.causal == "top_left" else cell.key_length - cell.query_length
    left, right = cell.window or (None, None)
    if cell.causal:
        right = 0 if right is None else min(right, 0)

    def mask(b, h, q, k):
        keep = k - q - offset <= right if right is not None else k >= 0
        return keep & (k - q - offset >= -left) if left is not None else keep

    return mask


def _flex_score(problem):
    """score_mod of the cell, or None."""
    cell, slopes = problem.cell, problem.slopes
    if not cell.softcap and not cell.alibi:
        return None
    cap = cell.softcap
    offset = 0 if cell.causal == "top_left" else cell.key_length - cell.query_length

    def score(s, b, h, q, k):
        if cap:
            s = cap * torch.tanh(s / cap)
        if cell.alibi:
            s = s - slopes[h] * (q + offset - k).abs()
        return s

    return score


def flex(problem):
    cell = problem.cell
    if problem.device == "cpu":
        raise Unsupported("compiled for GPUs only")
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    # Anew for every problem: torch gives up compiling a function that it has compiled for many shapes.
    torch._dynamo.reset()
    call = torch.compile(flex_attention, dynamic=False, fullgraph=True)
    mask, score = _flex_mask(problem), _flex_score(problem)
    blocks = None
    if mask:
        blocks = create_block_mask(mask, None, None, cell.query_length, cell.key_length, device=problem.device)
    options = dict(score_mod=score, block_mask=blocks, enable_gqa=cell.heads != cell.kv_heads)
    return problem.of_cell(lambda: call(*problem.inputs, **options))


#===----------------------------------------------------------------------===#
# FlashAttention's packages
#===----------------------------------------------------------------------===#


def _flash_package(problem, function, features):
    """[B, S, H, D], alignment bottom right."""
    cell = problem.cell
    refuse(cell, "gqa", "rectangular", "region", "backward", *features)
    if cell.causal == "top_left" and not problem.is_square():
        raise Unsupported("causal is bottom right")
    q, k, v = (t.transpose(1, 2).contiguous() for t in problem.inputs)
    options = dict(causal=bool(cell.causal))
    if cell.window:
        left, right = cell.window
        options["window_size"] = (-1 if left is None else left, -1 if right is None else right)
    if cell.softcap:
        options["softcap"] = cell.softcap

    def forward():
        out = function(q, k, v, **options)
        out = out[0] if isinstance(out, tuple) else out
        return out.transpose(1, 2)

    return problem.of_cell(forward)


def flash_attention_3(problem):
    from flash_attn_interface import flash_attn_func

    return _flash_package(problem, flash_attn_func, ("value_dim", "bottom_right", "window", "softcap"))


def flash_attention_4(problem):
    from flash_attn.cute import flash_attn_func

    return _flash_package(problem, flash_attn_func, ("value_dim", "bottom_right", "window"))


#===----------------------------------------------------------------------===#
# JAX
#===----------------------------------------------------------------------===#


def pallas(problem):
    """JAX's Mosaic GPU attention. Not on torch's stream: `call.wait` waits for it."""
    import jax
    from jax.experimental.pallas.ops.gpu import attention_mgpu

    cell = problem.cell
    refuse(cell, "gqa")
    # Its shared memory is f16 whatever the operands are.
    if cell.dtype != "f16":
        raise Unsupported("f16 only")
    q, k, v = (jax.dlpack.from_dlpack(t.transpose(1, 2).contiguous()) for t in problem.inputs)
    config = attention_mgpu.TuningConfig(block_q=64, block_kv=128 if cell.head_dim <= 128 else 64, max_concurrent_steps=2, causal=bool(cell.causal))
    scaled = jax.jit(lambda q, k, v: attention_mgpu.attention(q, k, v, config))
    q = (q / math.sqrt(cell.head_dim)).astype(q.dtype)
    latest = [scaled(q, k, v)]

    def call():
        latest[0] = scaled(q, k, v)
        return latest[0]

    call.wait = lambda: latest[0].block_until_ready()
    call.read = lambda: torch.from_dlpack(latest[0]).transpose(1, 2)
    return call


#===----------------------------------------------------------------------===#
# The list
#===----------------------------------------------------------------------===#

OURS = "fa"
BASELINE = "cuDNN"


def all_peers():
    """Name -> candidate, ours first."""
    return {
        OURS: fa,
        "fa region": fa_region,
        "fa files": fa_files,
        BASELINE: functools.partial(sdpa, SDPBackend.CUDNN_ATTENTION),
        "FlashAttention-2": functools.partial(sdpa, SDPBackend.FLASH_ATTENTION),
        "FlashAttention-3": flash_attention_3,
        "FlashAttention-4": flash_attention_4,
        "FlexAttention": flex,
        "Pallas": pallas,
        "standard": functools.partial(sdpa, SDPBackend.MATH),
    }


def prepare(candidate, problem):
    with torch.set_grad_enabled(problem.cell.backward):
        return candidate(problem)
