#===- gpu_kernels.py - the kernels that figures are given for ---------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""MLIR of one attention per head dimension and feature, as fa_mlir.attention writes it."""

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


def memref(element, rank, head_dim=None):
    shape = ["?"] * (rank - 1) + [str(head_dim or "?")]
    return f"memref<{'x'.join(shape)}x{element}, strided<[{', '.join(['?'] * (rank - 1) + ['1'])}]>>"


def attention(head_dim, element, *features):
    """An attention as fa_mlir.attention writes it: strided, grouped heads, sizes at run time."""
    arguments = [("query", memref(element, 5, head_dim), "b, h, g, m, d"), ("key", memref(element, 4, head_dim), "b, h, n, d"),
                 ("value", memref(element, 4, head_dim), "b, h, n, e")]
    operands = {
        "bias": ("bias", memref(element, 5), "b, h, g, m, n"),
        "mask": ("mask", memref("i1", 3), "b, m, n"),
        "alibi": ("alibi", memref("f32", 2), "h, g"),
    }
    optional = [operands[feature] for feature in features if feature in operands]
    outputs = [("out", memref(element, 5, head_dim), "b, h, g, m, e")]
    outputs += [("lse", memref("f32", 4), "b, h, g, m")] if "lse" in features else []
    every = arguments + optional + outputs
    attributes = [feature for feature in features if feature not in operands and feature != "lse"]
    maps = ", ".join(f"affine_map<(b, h, g, m, n, d, e) -> ({dims})>" for _, _, dims in every)
    listed = lambda group: f"{', '.join('%' + a for a, _, _ in group)} : {', '.join(t for _, t, _ in group)}"
    return "\n".join([
        f"func.func @attention({', '.join(f'%{name}: {type}' for name, type, _ in every)}) {{",
        f"  fa.attention {{{', '.join([f'indexing_maps = [{maps}]', *attributes])}}} ins({listed(arguments)})",
        *(f"    {name}(%{name} : {type})" for name, type, _ in optional),
        f"    outs({listed(outputs)})",
        "  return",
        "}",
        "",
    ])
