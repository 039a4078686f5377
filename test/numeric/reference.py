#===- reference.py - what an fa.attention must compute, in float64 ---------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""What the op computes on a configuration of configs.py, in numpy; element types as numpy has them.

Written from the description of the op (FAOps.td); shares nothing with the compiler. With f32 for `element` and a type for
`p_element` it is the naive computation, whose error bounds a kernel's.
"""

import numpy as np

#===------------------------------------------------------------------------===#
# Element types
#===------------------------------------------------------------------------===#

STORAGE = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i1": np.bool_, "i32": np.int32}
MANTISSA = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7}


def to_storage(values, element):
    """Rounds to the nearest value of `element`; bf16 as its bits. Contiguous, and of no dimension more (as ascontiguousarray makes
    of a number)."""
    if element != "bf16":
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.asarray(values).astype(STORAGE[element]), order="C")
    # Rounding to bf16 through f32 would round twice; doubles of ours that matter are f32 already.
    bits = np.asarray(values, dtype=np.float32, order="C").view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(np.asarray(values, dtype=np.float32)), np.uint16(0x7FC0), rounded)


def from_storage(array, element):
    if element == "bf16":
        return (np.asarray(array, order="C").astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64) if element in MANTISSA else array


def rounded(values, element):
    return from_storage(to_storage(values, element), element)


def epsilon(element):
    """One unit in the last place, relative."""
    return 2.0 ** -MANTISSA[element]


#===------------------------------------------------------------------------===#
# The reference
#===------------------------------------------------------------------------===#


def expand(argument, letters, value=None):
    """The argument with exactly these dimensions, in this order; 1 where it has none."""
    value = argument.value if value is None else value
    present = [letter for letter in letters if letter in argument.order]
    value = np.transpose(value, [argument.order.index(letter) for letter in present])
    return value.reshape([value.shape[present.index(x)] if x in present else 1 for x in letters])


def compute(config, element, p_element, want_empty=False):
    """[out, lse?] in the outputs' layouts. `p_element`: the type P is rounded to, None for the reference."""
    outputs = config.outputs
    shapes = {x: n for x, n in config.extents.items()}
    full = [np.full([shapes[x] for x in "bhgme"], np.nan), np.full([shapes[x] for x in "bhgm"], np.nan)]
    empty = np.zeros([shapes[x] for x in "bhgme"], bool)
    if not config.packed:
        out, lse = attention(config, element, p_element, None)
        full[0][...], full[1][...] = out, lse
        empty[...] = np.isneginf(lse_without_sink(config, element))[..., None]
    else:
        query_offsets = config.argument("query_offsets").value
        for sequence in range(len(query_offsets) - 1):
            rows = slice(query_offsets[sequence], query_offsets[sequence + 1])
            out, lse = attention(config, element, p_element, sequence)
            full[0][:, :, :, rows], full[1][:, :, :, rows] = out, lse
            empty[:, :, :, rows] = np.isneginf(lse_without_sink(config, element, sequence))[..., None]
    if want_empty:
        return to_order(empty, "bhgme", outputs[0].order)
    return [to_order(full[i], "bhgme"[:5 - i], a.order) for i, a in enumerate(outputs)]


def to_order(value, letters, order):
    dropped = tuple(i for i, x in enumerate(letters) if x not in order)
    value = np.squeeze(value, axis=dropped)
    kept = [x for x in letters if x in order]
    return np.ascontiguousarray(np.transpose(value, [kept.index(x) for x in order]))


def lse_without_sink(config, element, sequence=None):
    s = scores(config, element, sequence)
    return np.where(np.max(s, axis=-1, initial=-np.inf) == -np.inf, -np.inf, 0.0)


def operand(config, name, letters, sequence, rows=None):
    """An operand expanded to `letters`, cut to one sequence of a packed batch."""
    argument = config.argument(name)
    value = expand(argument, letters)
    if sequence is None:
        return value
    for axis, letter in enumerate(letters):
        start, stop = 0, value.shape[axis]
        if letter == "b" and "b" in argument.order:
            start, stop = sequence, sequence + 1
        elif letter in "mn" and letter in argument.order:
            offsets = config.argument("query_offsets" if letter == "m" else "key_offsets").value
            start, stop = 0, offsets[sequence + 1] - offsets[sequence]
            if name in ("query", "key", "value"):
                start, stop = offsets[sequence], offsets[sequence + 1]
        value = np.take(value, range(start, stop), axis=axis)
    return value


def positions(config, sequence):
    """Absolute b, h, q, k, lengths and the diagonal's offset, shaped to broadcast over bhgmn."""
    n = config.extents

    def base(name):
        argument = config.argument(name)
        return 0 if argument is None else int(argument.value)

    rows, keys = n["m"], n["n"]
    if sequence is not None:
        rows, keys = (int(np.diff(config.argument(o).value)[sequence]) for o in ("query_offsets", "key_offsets"))
    shape = lambda values, axis: np.asarray(values).reshape([-1 if i == axis else 1 for i in range(5)])
    b = shape(np.arange(n["b"]) if sequence is None else [sequence], 0) + base("batch_base")
    h = shape(np.arange(n["h"]), 1) * n["g"] + shape(np.arange(n["g"]), 2) + base("head_base")
    q = shape(np.arange(rows), 3) + base("query_base")
    k = shape(np.arange(keys), 4) + base("key_base")

    def length(limit, start, extent, lengths):
        end = base(limit) if config.argument(limit) else start + extent
        if config.argument(lengths):
            return shape(np.minimum(config.argument(lengths).value, end), 0)
        return shape([end], 0)

    q_end = length("query_limit", base("query_base"), rows, "query_lengths")
    k_end = length("key_limit", base("key_base"), keys, "key_lengths")
    if config.argument("offset"):
        off = base("offset")
    else:
        off = k_end - q_end if config.attributes.get("bottom_right") else 0
    return b, h, q, k, q_end, k_end, off


def scores(config, element, sequence=None, einsum=None):
    """Finished scores over bhgmn: -inf where hidden. `einsum`: how the dot products are summed, not by `contract`."""
    b, h, q, k, q_end, k_end, off = positions(config, sequence)
    a = config.attributes
    query = operand(config, "query", "bhgmd", sequence).astype(element)
    key = operand(config, "key", "bhnd", sequence).astype(element)
    with np.errstate(all="ignore"):
        if einsum:
            s = einsum("bhgmd,bhnd->bhgmn", *broadcast_heads(query, key))
        else:
            s = contract(query[..., :, None, :], key[:, :, None, None, :, :])
        if config.argument("scale"):
            s = s * element(config.argument("scale").value)
        elif config.scale is not None:
            s = s * element(config.scale)
        else:
            s = s * element(1 / np.sqrt(config.extents["d"]))
        if a.get("softcap"):
            cap = element(a["softcap"])
            s = cap * np.tanh(s / cap)
        if config.score:
            s = config.score.numpy(s, captures(config, "score", sequence), b, h, q, k)
        if config.argument("alibi_slopes"):
            slopes = operand(config, "alibi_slopes", "bhg", sequence).astype(element)[..., None, None]
            s = s - slopes * np.abs(q + off - k).astype(element)
        if config.argument("bias"):
            s = s + operand(config, "bias", "bhgmn", sequence).astype(element)
    keep = (q < q_end) & (k < k_end)
    if a.get("causal"):
        keep = keep & (k <= q + off)
    if a.get("window_left") is not None:
        keep = keep & (k >= q + off - a["window_left"])
    if a.get("window_right") is not None:
        keep = keep & (k <= q + off + a["window_right"])
    if config.argument("mask"):
        keep = keep & operand(config, "mask", "bhgmn", sequence)
    if config.keep:
        keep = keep & config.keep.numpy(None, captures(config, "keep", sequence), b, h, q, k)
    return np.where(keep, s, element(-np.inf))


def captures(config, keyword, sequence):
    result = []
    for argument in config.arguments:
        if argument.name.startswith(f"capture_{keyword}"):
            whole = argument.order is None
            result.append(argument.value if whole else operand(config, argument.name, "bhgmn", sequence))
    return result


def broadcast_heads(query, other):
    """Makes b and h agree, which einsum does not broadcast."""
    b, h = max(query.shape[0], other.shape[0]), max(query.shape[1], other.shape[1])
    if 0 in (query.shape[0], other.shape[0]):
        b = 0
    return (np.broadcast_to(query, (b, h) + query.shape[2:]), np.broadcast_to(other, (b, h) + other.shape[2:]))


def contract(x, y):
    """Sums x * y over the last dimension; in order, as a plain loop would, where rounding shows."""
    if x.dtype == np.float64:
        return np.sum(x * y, axis=-1)
    length = x.shape[-1]
    y = np.broadcast_to(y, y.shape[:-1] + (length, ))
    total = np.zeros(np.broadcast_shapes(x.shape[:-1], y.shape[:-1]), x.dtype)
    for i in range(length):
        total += x[..., i] * y[..., i]
    return total


def attention(config, element, p_element, sequence):
    """out over bhgme and lse over bhgm, of one sequence or of all batches."""
    s = scores(config, element, sequence)
    k_end = positions(config, sequence)[5]
    value = operand(config, "value", "bhne", sequence).astype(element)
    key = np.arange(value.shape[2]).reshape(1, 1, -1, 1)
    if config.argument("key_base"):
        key = key + int(config.argument("key_base").value)
    value = np.where(key < k_end.reshape(-1, 1, 1, 1), value, element(0))
    largest = np.max(s, axis=-1, initial=-np.inf, keepdims=True)
    sink = None
    if config.argument("sinks"):
        sink = operand(config, "sinks", "bhg", sequence).astype(element)[..., None, None]
        largest = np.maximum(largest, sink)
    base = np.where(np.isneginf(largest), element(0), largest)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        p = np.exp(s - base)
        total = contract(p, np.ones(1, element))[..., None]
        if sink is not None:
            total = total + np.exp(sink - base)
        lse = (base + np.log(total))[..., 0]
        p = np.where(total == 0, element(0), p / total)
    if p_element not in (None, "f64"):
        p = rounded(p, p_element).astype(element)
    out = contract(p[..., :, None, :], np.swapaxes(value, 2, 3)[:, :, None, None])
    return out, lse
