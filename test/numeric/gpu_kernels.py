#===- gpu_kernels.py - the kernels that figures are given for ---------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""MLIR of one attention per head dimension and feature, as fa_mlir.attention writes it."""

import re

FEATURES = {
    "full": (),
    "full+lse": ("lse", ),
    "causal": ("causal", ),
    "causal+lse": ("causal", "lse"),
    "window": ("causal", "window_left = 100 : i64"),
    "softcap": ("causal", "softcap = 30.0 : f64"),
    "alibi": ("causal", "alibi"),
    "bias": ("bias", ),
    "mask": ("mask", ),
}
#: What kernels with roles have masks, factors and positions of: attributes, operands without rows, and a region.
ROLES = {
    "full": (),
    "causal": ("causal", ),
    "window": ("causal", "window_left = 100 : i64"),
    "lengths": ("query_lengths", "key_lengths"),
    "causal lengths": ("causal", "query_lengths", "key_lengths"),
    "key lengths": ("key_lengths", ),
    "causal key lengths": ("causal", "key_lengths"),
    "scale": ("scale", ),
    "causal alibi": ("causal", "alibi"),
    "mask of keys": ("mask of keys", ),
    "causal mask of keys": ("causal", "mask of keys"),
    "bias of keys": ("bias of keys", ),
    "softcap": ("softcap = 30.0 : f64", ),
    "causal softcap": ("causal", "softcap = 30.0 : f64"),
    "score": ("score", ),
    "causal score": ("causal", "score"),
    "one order": ("deterministic", ),
    "causal in one order": ("causal", "deterministic"),
}
GRADIENTS = {
    **{name: features for name, features in FEATURES.items() if "lse" not in features},
    "bias with gradient": ("bias", "bias_gradient"),
    "bias of rows with gradient": ("bias of rows", "bias_gradient"),
}


def memref(element, rank, head_dim=None):
    shape = ["?"] * (rank - 1) + [str(head_dim or "?")]
    return f"memref<{'x'.join(shape)}x{element}, strided<[{', '.join(['?'] * (rank - 1) + ['1'])}]>>"


def attention(head_dim, element, *features):
    """An attention as fa_mlir.attention writes it: strided, grouped heads, sizes at run time."""
    outputs = [("out", *_rows_of_values(head_dim, element))]
    outputs += [("lse", *ROWS)] if "lse" in features else []
    return _program("attention", _inputs(head_dim, element), features, [], outputs)


def gradients_without_groups(head_dim, element, *features):
    """As fa_mlir's autograd asks for them where there are as many query heads as key heads."""
    text = gradients(head_dim, element, *features)
    return re.sub(r"(memref<\?x\?x)\?(x\?x(\d+x\w+|f32),)", r"\g<1>1\2", text)


def gradients(head_dim, element, *features):
    """The gradients of an attention as fa_mlir's autograd asks for them; of a bias, too, with "bias_gradient"."""
    like_out = _rows_of_values(head_dim, element)
    results = [("out", *like_out), ("lse", *ROWS), ("d_out", *like_out)]
    outputs = [("d_" + name, *rest) for name, *rest in _inputs(head_dim, element)]
    if "bias_gradient" in features:
        outputs += [("d_bias", *_operands(element)[name][1:]) for name in features if name in ("bias", "bias of rows")]
    return _program("attention_backward", _inputs(head_dim, element), features, results, outputs)


ROWS = memref("f32", 4), "b, h, g, m"


def _rows_of_values(head_dim, element):
    return memref(element, 5, head_dim), "b, h, g, m, e"


def _inputs(head_dim, element):
    return [("query", memref(element, 5, head_dim), "b, h, g, m, d"), ("key", memref(element, 4, head_dim), "b, h, n, d"),
            ("value", memref(element, 4, head_dim), "b, h, n, e")]


def _operands(element):
    return {
        "bias": ("bias", memref(element, 5), "b, h, g, m, n"),
        "bias of rows": ("bias", memref("f32", 2), "b, m"),
        "bias of keys": ("bias", memref("f32", 2), "b, n"),
        "mask": ("mask", memref("i1", 3), "b, m, n"),
        "mask of keys": ("mask", memref("i1", 2), "b, n"),
        "alibi": ("alibi", memref("f32", 2), "h, g"),
        "scale": ("scale", "f32", None),
        "query_lengths": ("query_lengths", "memref<?xi32>", None),
        "key_lengths": ("key_lengths", "memref<?xi32>", None),
    }


#: What a score becomes.
SCORE = """
    score {
    ^bb0(%s: f32):
      %tenth = arith.constant 0.1 : f32
      %wave = math.tanh %s : f32
      %some = arith.mulf %wave, %tenth : f32
      %sum = arith.addf %s, %some : f32
      fa.yield %sum : f32
    }"""


def _program(op, inputs, features, results, outputs):
    operands = _operands(inputs[0][1].split(",")[0].rpartition("x")[2])
    optional = [operands[feature] for feature in features if feature in operands]
    every = inputs + optional + results + outputs
    attributes = [feature for feature in features if feature not in operands and feature not in ("lse", "score")]
    maps = ", ".join(f"affine_map<(b, h, g, m, n, d, e) -> ({dims})>" for _, _, dims in every if dims)
    listed = lambda group: f"{', '.join('%' + a for a, _, _ in group)} : {', '.join(t for _, t, _ in group)}"
    return "\n".join([
        f"func.func @attention({', '.join(f'%{name}: {type}' for name, type, _ in every)}) {{",
        f"  fa.{op} {{{', '.join([f'indexing_maps = [{maps}]', *attributes])}}} ins({listed(inputs + results)})",
        *(f"    {name}(%{name} : {type})" for name, type, _ in optional),
        f"    outs({listed(outputs)}){SCORE if 'score' in features else ''}",
        "  return",
        "}",
        "",
    ])
