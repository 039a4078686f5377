#===- backward.py - gradients of random configurations, in float64 ----------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""`fa.attention_backward` of the configurations of configs.py, and what it must compute.

    case = BackwardCase(random_config(seed))
    text = case.mlir(name="backward")     # func @backward on memrefs
    arrays = [a.storage() for a in case.arguments]
    ...                                   # run it
    problems = case.check(arrays)         # [] when the error rule holds

The reference is written from the description of the op (FABackwardOps.td). out and lse are inputs of the op, so the
reference starts from the same rounded values of them. The bound is that of configs.py.
"""

import dataclasses
import math

import numpy as np

import reference
from configs import LETTERS, Argument
from reference import MANTISSA, expand, rounded

#: Random orders of sums that a result is compared with which the usual ones do not explain.
ORDERS = 8
#: Size of an imaginary step that is lost in no double: derivatives without cancellation.
STEP = 1e-100


class BackwardCase:
    """The backward op of one configuration, with random d_out and, sometimes, d_lse."""

    def __init__(self, config, elements=None):
        self.config = config
        self.random = np.random.default_rng(config.seed + 1)
        self.inputs = [a for a in config.arguments if not a.is_output]
        self._add_residuals()
        self._add_outputs(elements)
        self.arguments = [*self.inputs, *self.outputs]

    #===--------------------------------------------------------------------===#
    # Arguments
    #===--------------------------------------------------------------------===#

    def _shuffled(self, letters):
        letters = list(letters)
        if self.random.random() < 0.3:
            self.random.shuffle(letters)
        return "".join(letters)

    def _dynamic(self, order):
        """As the forward op's operands say."""
        known = {x: d for a in self.config.arguments if a.order for x, d in zip(a.order, a.dynamic)}
        return tuple(known.get(x, False) for x in order)

    def _argument(self, name, element, order, value, is_output=False):
        return Argument(name, element, value, order, self._dynamic(order), is_output)

    def _add_residuals(self):
        config = self.config
        out = config.argument("out")
        full_out, full_lse = forward(config)
        order = out.order
        values = rounded(reference.to_order(full_out, "bhgme", order), out.element)
        self.out = self._argument("out", out.element, order, np.nan_to_num(values))
        rows = "".join(x for x in "bhgm" if x in order)
        lse_order = self._shuffled(rows)
        lse = reference.to_order(full_lse, "bhgm", lse_order)
        self.lse = self._argument("lse", config.compute_type, lse_order, rounded(lse, config.compute_type))
        order = self._shuffled(rows + "e")
        shape = [config.extents[x] for x in order]
        self.d_out = self._argument("d_out", out.element, order,
                                    rounded(self.random.standard_normal(shape), out.element))
        self.residuals = [self.out, self.lse, self.d_out]
        self.d_lse = None
        if config.argument("lse"):
            order = self._shuffled(rows)
            shape = [config.extents[x] for x in order]
            self.d_lse = self._argument("d_lse", config.compute_type, order,
                                        rounded(self.random.standard_normal(shape), config.compute_type))
            self.residuals.append(self.d_lse)
        self.inputs += self.residuals
        if "nan_tail" in config.features:
            self._poison()

    def _poison(self):
        """NaN in every row past its query length."""
        lengths = self.config.argument("query_lengths")
        if lengths is None:
            return
        position = np.arange(self.config.extents["m"])
        for a in self.residuals:
            if "b" in a.order:
                outside = Argument("", "i1", position[None, :] >= lengths.value[:, None], "bm")
            else:
                outside = Argument("", "i1", position >= np.max(lengths.value), "m")
            a.value = np.where(expand(outside, a.order), np.nan, a.value)

    def _add_outputs(self, elements):
        config = self.config
        self.differentiated = [config.argument(n) for n in ("query", "key", "value")]
        for name in ("bias", "sinks"):
            if config.argument(name) and self.random.random() < 0.9:
                self.differentiated.append(config.argument(name))
        self.captures = []
        for i, capture in enumerate(config._captures()):
            if capture.name.startswith("capture_score") and capture.element in MANTISSA:
                self.captures.append(i)
                self.differentiated.append(capture)
        self.outputs = []
        for of in self.differentiated:
            element = of.element if self.random.random() < 0.7 else "f32"
            order = None if of.order is None else self._shuffled(of.order)
            shape = of.value.shape if order is None else [of.value.shape[of.order.index(x)] for x in order]
            value = np.full(shape, 7.0)
            if order is None:
                self.outputs.append(Argument("d_" + of.name, element, value, None, of.dynamic, True))
            else:
                dynamic = tuple(of.dynamic[of.order.index(x)] for x in order)
                self.outputs.append(Argument("d_" + of.name, element, value, order, dynamic, True))

    #===--------------------------------------------------------------------===#
    # MLIR
    #===--------------------------------------------------------------------===#

    def mlir(self, name="backward", extra=""):
        arguments = ", ".join(f"%{a.name}: {a.type()}" for a in self.arguments)
        lines = [f"func.func @{name}({arguments}) {{"]
        if self.config.scale is not None:
            lines.append(f"  %scale = arith.constant {self.config.scale!r} : f32")
        lines.append(f"  fa.attention_backward {{{self._attributes()}{extra}}}")
        first = [self.config.argument(n) for n in ("query", "key", "value")] + self.residuals[:3]
        lines.append(f"    ins({', '.join('%' + a.name for a in first)} : {', '.join(a.type() for a in first)})")
        if self.d_lse:
            lines.append(f"    d_lse(%d_lse : {self.d_lse.type()})")
        lines += self.config._clauses("memref")
        names = ", ".join("%" + a.name for a in self.outputs)
        lines.append(f"    outs({names} : {', '.join(a.type() for a in self.outputs)})")
        for keyword, region in (("score", self.config.score), ("keep", self.config.keep)):
            if region:
                lines.append(self.config._region(keyword, region, "memref"))
        return "\n".join(lines) + "\n  return\n}\n"

    def _attributes(self):
        """The forward op's, with the maps of this one."""
        forward_maps = [a.map() for a in self._mapped()]
        text = self.config._attributes()
        start = text.index("indexing_maps = [")
        end = text.index("]", start) + 1
        parts = [text[:start] + "indexing_maps = [" + ", ".join(forward_maps) + "]" + text[end:]]
        names = [a.name for a in self.differentiated]
        parts += [f"{n}_gradient" for n in ("bias", "sinks") if n in names]
        if self.captures:
            parts.append(f"capture_gradients = array<i64: {', '.join(map(str, self.captures))}>")
        return ", ".join(parts)

    def _mapped(self):
        names = ["query", "key", "value", "bias", "mask", "alibi_slopes", "sinks"]
        operands = [self.config.argument(n) for n in names if self.config.argument(n)]
        return operands + self.config._captures() + self.residuals + self.outputs

    #===--------------------------------------------------------------------===#
    # Checking
    #===--------------------------------------------------------------------===#

    @property
    def expected(self):
        """One float64 gradient per output, in its layout."""
        if not hasattr(self, "_expected"):
            self._expected = self._in_layout(gradients(self, np.float64, None))
        return self._expected

    @property
    def naive(self):
        """The same in the op's own types, computed in some ways."""
        if not hasattr(self, "_naive"):
            element = np.float64 if self.config.compute_type == "f64" else np.float32
            self._naive = []
            for variant in ((np.exp, np.einsum, in_order), (exp2_of, one_by_one, in_order), (exp2_of, one_by_one, backwards)):
                self._add_naive(element, variant)
        return self._naive

    def _add_naive(self, element, variant):
        values = self._in_layout(gradients(self, element, variant))
        self._naive.append([rounded(v, a.element).reshape(v.shape) for v, a in zip(values, self.outputs)])

    def _add_orders(self):
        """How wrong a sum is depends on its order, and one of few terms may be right by luck."""
        element = np.float64 if self.config.compute_type == "f64" else np.float32
        for seed in range(ORDERS):
            self._add_naive(element, ((np.exp, exp2_of)[seed % 2], *shuffled(seed)))

    def _in_layout(self, values):
        result = []
        for output, of in zip(self.outputs, self.differentiated):
            value = values[of.name]
            if output.order is not None:
                value = np.transpose(value, [of.order.index(x) for x in output.order])
            # (ascontiguousarray would give a number a dimension.)
            result.append(np.asarray(value, order="C"))
        return result

    def check(self, arrays):
        problems = self._check_all(arrays)
        if problems and len(self.naive) < ORDERS:
            self._add_orders()
            problems = self._check_all(arrays)
        return problems

    def _check_all(self, arrays):
        problems = []
        for i, argument in enumerate(self.outputs):
            got = reference.from_storage(arrays[self.arguments.index(argument)], argument.element)
            problems += self._check_one(argument, got, self.expected[i], [n[i] for n in self.naive])
        return problems

    def _check_one(self, argument, got, expected, naive):
        if not np.all(np.isfinite(got)):
            return [f"{argument.name}: {np.sum(~np.isfinite(got))} values are not finite"]
        errors = np.abs(got - expected)
        error = np.max(errors, initial=0)
        largest = np.max(np.abs(expected), initial=0)
        naive_error = max(np.max(np.abs(n - expected), initial=0) for n in naive)
        if self.config.compute_type == "f64" and argument.element == "f64":
            bound = max(2 * naive_error, 1e-12 * max(largest, 1e-30))
        else:
            bound = 2 * naive_error + 2 * reference.epsilon(argument.element) * largest
        if error > bound:
            at = np.unravel_index(np.argmax(errors), got.shape)
            return [f"{argument.name}: error {error:.3g} > {bound:.3g} at {tuple(map(int, at))} ({argument.order}), "
                    f"largest {largest:.3g}"]
        return []


#===------------------------------------------------------------------------===#
# The reference
#===------------------------------------------------------------------------===#


def forward(config):
    """out over bhgme and lse over bhgm in float64; NaN outside all sequences."""
    shape = config.extents
    out = np.full([shape[x] for x in "bhgme"], np.nan)
    lse = np.full([shape[x] for x in "bhgm"], np.nan)
    for sequence, rows in sequences(config):
        out[:, :, :, rows], lse[:, :, :, rows] = reference.attention(config, np.float64, None, sequence)
    return out, lse


def sequences(config):
    if not config.packed:
        return [(None, slice(None))]
    offsets = config.argument("query_offsets").value
    return [(i, slice(offsets[i], offsets[i + 1])) for i in range(len(offsets) - 1)]


def exp2_of(x):
    """exp as hardware has it."""
    return np.exp2(x * x.dtype.type(1 / math.log(2)))


def in_order(terms):
    return terms


def backwards(terms):
    return terms[..., ::-1]


def shuffled(seed):
    """Products and sums in a random order."""
    random = np.random.default_rng(seed)
    reorder = lambda terms: terms[..., random.permutation(terms.shape[-1])]
    return lambda spec, x, y: one_by_one(spec, x, y, random.permutation), reorder


def one_by_one(spec, x, y, permutation=range):
    """np.einsum of two arrays, one addition after another."""
    inputs, out = spec.split("->")
    left, right = inputs.split(",")
    summed = [c for c in left if c not in out]
    product = f"{''.join(c for c in left if c in out)},{''.join(c for c in right if c in out)}->{out}"
    cut = lambda a, letters, at: a[tuple(at[summed.index(c)] if c in summed else slice(None) for c in letters)]
    total = np.zeros([dict(zip(left + right, x.shape + y.shape))[c] for c in out], x.dtype)
    places = list(np.ndindex(*[x.shape[left.index(c)] for c in summed]))
    for i in permutation(len(places)):
        total += np.einsum(product, cut(x, left, places[i]), cut(y, right, places[i]))
    return total


def sum_over(value, letters, order, reorder=in_order):
    """Sums the dimensions that `order` has not, one addition after another, and transposes to it."""
    summed = [x for x in letters if x not in order]
    value = np.transpose(value, [letters.index(x) for x in [*order, *summed]])
    value = reorder(value.reshape(*value.shape[:len(order)], -1)) if value.size else value
    if not value.size:
        return np.zeros(value.shape[:len(order)], value.dtype)
    return np.cumsum(value, axis=-1, dtype=value.dtype)[..., -1]


def row_operand(case, argument, letters, sequence):
    """A residual, cut to the rows of a sequence."""
    value = expand(argument, letters)
    if sequence is None:
        return value
    offsets = case.config.argument("query_offsets").value
    return np.take(value, range(offsets[sequence], offsets[sequence + 1]), axis=letters.index("m"))


def region_derivatives(config, s, sequence):
    """d/ds of the score region, and per score capture d/dcapture or, of one taken whole, a list over its elements."""
    b, h, q, k, *_ = reference.positions(config, sequence)
    values = reference.captures(config, "score", sequence)
    evaluate = lambda x, c: config.score.numpy(x.astype(np.complex128), c, b, h, q, k)
    ds = np.imag(evaluate(s + STEP * 1j, values)) / STEP
    by_capture = {}
    names = [a.name for a in config.arguments if a.name.startswith("capture_score")]
    for i, name in enumerate(names):
        argument = config.argument(name)
        if argument.element not in MANTISSA:
            continue
        steps = [np.ones(values[i].shape)]
        if argument.order is None:
            steps = list(np.eye(values[i].size).reshape(values[i].size, *values[i].shape))
        slopes = []
        for step in steps:
            moved = list(values)
            moved[i] = values[i] + STEP * 1j * step
            slopes.append(np.imag(evaluate(s, moved)) / STEP)
        by_capture[name] = slopes if argument.order is None else slopes[0]
    return ds, by_capture


def gradients(case, element, variant):
    """Gradients by operand name, each in the operand's own layout. `variant`: None for the reference; else the
    exponential, the dot products and the order of sums of a computation that casts p and dx as the op does."""
    config = case.config
    totals = {a.name: np.zeros(a.value.shape, element) for a in case.differentiated}
    for sequence, rows in sequences(config):
        with np.errstate(all="ignore"):
            _add_gradients(case, element, variant, sequence, totals)
    return totals


def _place(config, argument, sequence, holds_all):
    """Where a sequence lies in an operand of its own layout."""
    if sequence is None or argument.order is None:
        return ...
    place = []
    for x in argument.order:
        if x == "b":
            place.append(slice(sequence, sequence + 1))
        elif x in "mn":
            offsets = config.argument("query_offsets" if x == "m" else "key_offsets").value
            start, stop = offsets[sequence], offsets[sequence + 1]
            place.append(slice(start, stop) if holds_all else slice(0, stop - start))
        else:
            place.append(slice(None))
    return tuple(place)


def _add_gradients(case, element, variant, sequence, totals):
    config = case.config
    exp, einsum, reorder = variant or (np.exp, np.einsum, in_order)
    b, h, q, k, q_end, k_end, _ = reference.positions(config, sequence)
    inside_q, inside_k = (q < q_end)[..., 0], (k < k_end)[..., 0, :]
    finished = reference.scores(config, element, sequence, einsum)
    full = list(np.broadcast_shapes(finished.shape, tuple(config.extents[x] if x in "bhg" else 1 for x in LETTERS[:5])))

    def operand(name, letters, inside):
        value = reference.operand(config, name, letters, sequence).astype(element)
        shape = [full["bhgmn".index(x)] if x in "bhgmn" else value.shape[i] for i, x in enumerate(letters)]
        value = np.broadcast_to(value, shape)
        mask = np.broadcast_to(inside.reshape(inside.shape + (1, ) * (len(shape) - inside.ndim)), shape)
        return np.where(mask, value, element(0))

    query = operand("query", "bhgmd", inside_q)
    key = operand("key", "bhnd", inside_k[:, :, 0])
    value = operand("value", "bhne", inside_k[:, :, 0])
    rows = lambda a, letters: np.broadcast_to(
        row_operand(case, a, letters, sequence).astype(element), [*full[:4], *([config.extents["e"]] * (len(letters) - 4))])
    lse = rows(case.lse, "bhgm")
    live = np.broadcast_to(inside_q, lse.shape) & ~np.isneginf(lse)
    out, d_out = rows(case.out, "bhgme"), rows(case.d_out, "bhgme")
    d_out = np.where(np.broadcast_to(inside_q, lse.shape)[..., None], d_out, element(0))
    # A sum of its own, not one of dp's products: where one key is all that a row sees, the two are equal but for rounding.
    delta = sum_over(np.where(live[..., None], out, 0) * d_out, "bhgme", "bhgm", reorder)
    if case.d_lse:
        delta = delta - rows(case.d_lse, "bhgm")
    delta = np.where(live, delta, element(0))

    keep = ~np.isneginf(finished) & live[..., None]
    p = np.where(keep, exp(finished - lse[..., None]), element(0))
    dp = einsum("bhgme,bhne->bhgmn", d_out, value)
    ds = np.where(keep, p * (dp - delta[..., None]), element(0)).astype(element)

    scale = config.scale if config.scale is not None else 1 / math.sqrt(config.extents["d"])
    if config.argument("scale"):
        scale = float(config.argument("scale").value)
    s = einsum("bhgmd,bhnd->bhgmn", query, key) * element(scale)
    cap_slope = element(1)
    if config.attributes.get("softcap"):
        cap = element(config.attributes["softcap"])
        t = np.tanh(s / cap)
        s, cap_slope = cap * t, 1 - t * t
    dx, by_capture = ds, {}
    if config.score:
        slope, by_capture = region_derivatives(config, s, sequence)
        dx = (ds * slope).astype(element)
    dx = (dx * cap_slope).astype(element)
    if variant:
        p = rounded(p, case.d_out.element).reshape(p.shape).astype(element)
        dx = rounded(dx, config.argument("key").element).reshape(dx.shape).astype(element)

    def add(name, gradient, letters, holds_all=False):
        if name not in totals:
            return
        argument = config.argument(name)
        totals[name][_place(config, argument, sequence, holds_all)] += sum_over(gradient, letters, argument.order,
                                                                                  reorder)

    add("query", element(scale) * einsum("bhgmn,bhnd->bhgmd", dx, key), "bhgmd", True)
    add("key", element(scale) * einsum("bhgmn,bhgmd->bhnd", dx, query), "bhnd", True)
    add("value", einsum("bhgmn,bhgme->bhne", p, d_out), "bhne", True)
    add("bias", ds, "bhgmn")
    if "sinks" in totals:
        sink = reference.operand(config, "sinks", "bhg", sequence).astype(element)[..., None]
        add("sinks", np.where(live, -exp(sink - lse) * delta, element(0)), "bhgm")
    for name, slope in by_capture.items():
        if isinstance(slope, list):
            parts = [sum_over((ds * x).astype(element), "bhgmn", "", reorder) for x in slope]
            totals[name] += np.asarray(parts, element).reshape(totals[name].shape)
        else:
            add(name, (ds * slope).astype(element), "bhgmn")
