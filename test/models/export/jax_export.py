"""JAX -> StableHLO -> linalg on tensors.

Two importers lower StableHLO, each to other linalg: the StableHLO project's
own pass (torch-mlir-opt has it) and IREE's input conversion (iree-opt). Name
the tools with TORCH_MLIR_OPT and IREE_OPT.

usage: jax_export.py [name ...]
"""

import functools
import os
import re
import subprocess
import sys

import flax
import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import export

import common

attend = jax.nn.dot_product_attention


def shaped(shape, dtype):
    return jax.ShapeDtypeStruct(shape, dtype)


def causal_f32():
    x = shaped((2, 16, 4, 8), jnp.float32)
    return functools.partial(attend, is_causal=True), (x, x, x)


def gqa_causal_bf16():
    q = shaped((2, 16, 4, 8), jnp.bfloat16)
    kv = shaped((2, 16, 2, 8), jnp.bfloat16)
    return functools.partial(attend, is_causal=True), (q, kv, kv)


def padding_f16():
    q = shaped((2, 12, 4, 16), jnp.float16)
    kv = shaped((2, 24, 4, 16), jnp.float16)

    def fn(q, k, v, lengths):
        return attend(q, k, v, key_value_seq_lengths=lengths)

    return fn, (q, kv, kv, shaped((2,), jnp.int32))


def window_bias_f32():
    x = shaped((1, 24, 2, 8), jnp.float32)
    bias = shaped((1, 2, 24, 24), jnp.float32)

    def fn(q, k, v, bias):
        return attend(q, k, v, bias=bias, is_causal=True, local_window_size=(7, 0))

    return fn, (x, x, x, bias)


def where_window_bf16():
    """By hand, as model code has it; jnp.where and jnp.repeat stay calls."""
    q = shaped((1, 20, 4, 8), jnp.bfloat16)
    kv = shaped((1, 20, 2, 8), jnp.bfloat16)

    def fn(q, k, v):
        k, v = (jnp.repeat(x, q.shape[2] // x.shape[2], axis=2) for x in (k, v))
        scores = jnp.einsum("bihd,bjhd->bhij", q, k).astype(jnp.float32) * 0.3
        scores = 20 * jnp.tanh(scores / 20)
        distance = jnp.arange(20)[:, None] - jnp.arange(20)[None]
        scores = jnp.where((distance >= 0) & (distance <= 7), scores, -jnp.inf)
        weights = jax.nn.softmax(scores, axis=-1).astype(q.dtype)
        return jnp.einsum("bhij,bjhd->bihd", weights, v)

    return fn, (q, kv, kv)


def gqa_causal_f32_dynamic():
    batch, seq = export.symbolic_shape("b, s")
    q = shaped((batch, seq, 4, 8), jnp.float32)
    kv = shaped((batch, seq, 2, 8), jnp.float32)
    return functools.partial(attend, is_causal=True), (q, kv, kv)


def flax_self_attention_f32():
    layer = nn.MultiHeadDotProductAttention(num_heads=4, qkv_features=32)
    x = shaped((2, 12, 32), jnp.float32)
    mask = shaped((2, 12), jnp.bool_)
    weights = jax.eval_shape(layer.init, jax.random.key(0), x)

    def fn(weights, x, keep):
        return layer.apply(weights, x, mask=nn.make_attention_mask(keep, keep))

    return fn, (weights, x, mask)


def scan_layers_f32():
    """Attention in a loop: the same layer over three sets of weights."""

    def layer(x, weights):
        q, k, v = (x @ w for w in weights)
        heads = lambda t: t.reshape(2, 16, 4, 8)
        y = attend(heads(q), heads(k), heads(v), is_causal=True)
        return x + y.reshape(x.shape), None

    def fn(x, wq, wk, wv):
        return jax.lax.scan(layer, x, (wq, wk, wv))[0]

    w = shaped((3, 32, 32), jnp.float32)
    return fn, (shaped((2, 16, 32), jnp.float32), w, w, w)


def classifier_bf16():
    """Pooling, a linear layer and a softmax: no attention."""

    def fn(x, w):
        return jax.nn.softmax(x.mean(axis=1) @ w, axis=-1)

    return fn, (shaped((2, 12, 32), jnp.bfloat16), shaped((32, 10), jnp.bfloat16))


def causal_softmax_f32():
    return causal_f32()


def causal_fused_f32():
    return causal_f32()


BROADCAST = re.compile(
    r"(dynamic_broadcast_in_dim .*?)( : \(tensor<((?:\d+x|\?x)*)\w+>, )"
)


def fixed_sizes(match):
    """Say of each `?` that it is broadcast from no 1: JAX writes a 1 as 1."""
    sizes = match[3].split("x")[:-1]
    known = ", ".join(str(i) for i, size in enumerate(sizes) if size == "?")
    if not known:
        return match[0]
    note = f"known_nonexpanding_dimensions = array<i64: {known}>"
    return f"{match[1]} {{{note}}}{match[2]}"


STABLEHLO, IREE = "stablehlo-legalize-to-linalg", "iree-stablehlo-to-iree-input"
#: jaxlib's own passes, as who has nothing but JAX uses them: no inlining.
JAXLIB = "jaxlib's stablehlo-legalize-to-linalg"
MODELS = {
    causal_f32: IREE,
    causal_softmax_f32: IREE,
    causal_fused_f32: IREE,
    gqa_causal_bf16: STABLEHLO,
    padding_f16: IREE,
    window_bias_f32: STABLEHLO,
    where_window_bf16: JAXLIB,
    gqa_causal_f32_dynamic: STABLEHLO,
    flax_self_attention_f32: IREE,
    scan_layers_f32: IREE,
    classifier_bf16: IREE,
}


# Passes of IREE that run after its input conversion. The first makes
# linalg.softmax of a decomposed one, the others fold unit dimensions and fuse
# elementwise ops, here the division by the row sum into the second matmul.
EXTRA = {
    causal_softmax_f32: ["func.func(iree-global-opt-raise-special-ops)"],
    causal_fused_f32: [
        "iree-dispatch-creation-fold-unit-extent-dims",
        "linalg-fuse-elementwise-ops",
        "cse",
    ],
}

# Neither importer lowers the ops that read a dynamic size and reshape to one.
# Both have exact counterparts in the tensor dialect.
SIZE = re.compile(
    r"%(\w+) = stablehlo.get_dimension_size (%\w+), dim = (\d+) : \((.*)\) -> .*"
)
CORE = r"""%at_\1 = arith.constant \3 : index
    %index_\1 = tensor.dim \2, %at_\1 : \4
    %i32_\1 = arith.index_cast %index_\1 : index to i32
    %\1 = tensor.from_elements %i32_\1 : tensor<i32>"""
RESHAPE = re.compile(r"stablehlo.dynamic_reshape (%\w+), (%\w+) :")


def lower_by_jaxlib(text):
    import jaxlib.mlir.dialects.stablehlo as stablehlo
    from jax._src.interpreters.mlir import make_ir_context
    from jaxlib.mlir import ir
    from jaxlib.mlir.passmanager import PassManager

    with make_ir_context():
        stablehlo.register_stablehlo_passes()
        module = ir.Module.parse(text)
        passes = PassManager.parse(f"builtin.module({STABLEHLO})")
        passes.run(module.operation)
        return str(module)


def lower(text, importer, extra):
    if importer == JAXLIB:
        return lower_by_jaxlib(text)
    passes = ["inline", "symbol-dce"]
    if importer == IREE:
        tool = os.environ.get("IREE_OPT", "iree-opt")
        passes += [
            "func.func(iree-stablehlo-legalize-control-flow)",
            "iree-stablehlo-to-stablehlo-preprocessing",
        ]
    else:
        tool = os.environ.get("TORCH_MLIR_OPT", "torch-mlir-opt")
    passes += [importer, "canonicalize", *extra]
    done = subprocess.run(
        [tool, f"--pass-pipeline=builtin.module({','.join(passes)})"],
        input=text,
        text=True,
        capture_output=True,
    )
    if done.returncode:
        raise SystemExit(done.stderr[:2000])
    text = SIZE.sub(CORE, done.stdout)
    return RESHAPE.sub(r"tensor.reshape \1(\2) :", text)


def make(fn):
    name = fn.__name__
    model, args = fn()
    # The CPU has no float16 dot_general; the platform changes nothing else.
    program = export.export(jax.jit(model), platforms=["cuda"])(*args)
    text = program.mlir_module()
    # No importer lowers a dot_general that names its algorithm. The one that
    # JAX names for 16-bit inputs says what the f32 result type already says.
    text = re.sub(r", algorithm = <[^>]*>", "", text)
    # Nor the checks that dynamic arguments agree in their sizes.
    text = re.sub(r"(?m)^.*custom_call @shape_assertion.*\n", "", text)
    text = BROADCAST.sub(fixed_sizes, text)
    text = text.replace("@main", f"@{name}")
    common.write(
        f"jax_{name}",
        lower(text, MODELS[fn], EXTRA.get(fn, [])),
        [
            f"jax {jax.__version__}, flax {flax.__version__}, --{MODELS[fn]}",
            f"made by: export/jax_export.py {name}",
        ],
        # Folds the sizes back to tensor.dim where shapes are dynamic.
        ["--canonicalize", "--cse"] if "dynamic" in name else [],
    )


if __name__ == "__main__":
    for fn in MODELS:
        if fn.__name__ in sys.argv[1:] or not sys.argv[1:]:
            make(fn)
