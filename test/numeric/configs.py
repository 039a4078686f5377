#===- configs.py - random fa.attention modules, checked ---------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Random `fa.attention` configurations, their MLIR and what they must compute.

    config = random_config(seed)
    text = config.mlir()                  # func @attention on memrefs
    arrays = [a.storage() for a in config.arguments]
    ...                                   # run it: outputs are written in place
    problems = config.check(arrays)       # [] when the error rule holds

The reference is reference.py's, in float64. The bound: err <= 2 * err of the naive computation in the same types + 2 ulp.

`random_config(seed, without=...)` leaves features out; FEATURES names them.
Run as a program, prints one module: `configs.py SEED`.
"""

import dataclasses
import random
import sys

import numpy as np

from reference import MANTISSA, STORAGE, compute, epsilon, expand, from_storage, rounded, to_storage

LETTERS = "bhgmnde"
FEATURES = (
    "alibi", "alignment", "absent_dims", "base", "bias", "captures", "causal", "dynamic", "empty", "f64", "gqa",
    "head_dims", "keep", "key_lengths", "large_scores", "layouts", "lse", "mask", "mixed_types", "nan_tail", "offset",
    "packed", "query_lengths", "scale", "score", "sinks", "softcap", "softmax_f64", "whole_captures", "window")

#===------------------------------------------------------------------------===#
# Arguments
#===------------------------------------------------------------------------===#


@dataclasses.dataclass
class Argument:
    """One argument of the function. `order` are the domain's letters of its dimensions, None for lengths, offsets and
    whole captures."""

    name: str
    element: str
    value: np.ndarray  # float64 (exactly a value of `element`), int32 or bool
    order: str = None
    dynamic: tuple = ()  # per dimension
    is_output: bool = False
    is_scalar: bool = False  # f32, f64 or index, not a memref

    def type(self, form="memref"):
        if self.is_scalar:
            return self.element
        shape = "".join(
            ("?" if d else str(n)) + "x" for n, d in zip(self.value.shape, self.dynamic or [False] * self.value.ndim))
        return f"{form}<{shape}{self.element}>"

    def map(self):
        return f"affine_map<({', '.join(LETTERS)}) -> ({', '.join(self.order or '')})>"

    def storage(self):
        """A fresh numpy array as the function sees it (bf16: uint16), or a scalar."""
        if self.is_scalar:
            return self.value
        return to_storage(self.value, self.element).reshape(self.value.shape)


#===------------------------------------------------------------------------===#
# Regions: MLIR text and numpy, side by side
#===------------------------------------------------------------------------===#
# MLIR: a function of (score type, capture arguments) giving a body that ends in %r. Numpy: a function of the score,
# captures and positions b, h, q, k (arrays that broadcast against each other).


@dataclasses.dataclass
class RegionTemplate:
    name: str
    captures: tuple  # (element, allowed letters) or ("whole", element, rank)
    mlir: object
    numpy: object


def _index_to_float(name, axis, type):
    return f"""%{name}x = fa.index {axis}
      %{name}i = arith.index_cast %{name}x : index to i64
      %{name} = arith.sitofp %{name}i : i64 to {type}"""


SCORES = [
    RegionTemplate(
        "distance", (), lambda t, c, form: f"""{_index_to_float('fq', 'q', t)}
      {_index_to_float('fk', 'k', t)}
      %d = arith.subf %fq, %fk : {t}
      %w = arith.constant 0.03125 : {t}
      %dw = arith.mulf %d, %w : {t}
      %r = arith.addf %s, %dw : {t}""", lambda s, c, b, h, q, k: s + s.dtype.type(0.03125) * (q - k).astype(s.dtype)),
    RegionTemplate(
        "scaled", (("f32", "bhgmn"), ), lambda t, c, form: f"""{_widen(c[0], 'f32', t)}
      %r = arith.mulf %s, %wide : {t}""", lambda s, c, b, h, q, k: s * c[0].astype(s.dtype)),
    RegionTemplate(
        "head_bonus", (), lambda t, c, form: f"""{_index_to_float('fh', 'h', t)}
      {_index_to_float('fb', 'b', t)}
      %x = arith.addf %fh, %fb : {t}
      %w = arith.constant 0.125 : {t}
      %y = arith.mulf %x, %w : {t}
      %r = arith.addf %s, %y : {t}""", lambda s, c, b, h, q, k: s + s.dtype.type(0.125) * (h + b).astype(s.dtype)),
    RegionTemplate(
        "table", (("whole", "f32", (7, )), ), lambda t, c, form: f"""%q = fa.index q
      %k = fa.index k
      %sum = arith.addi %q, %k : index
      %seven = arith.constant 7 : index
      %at = arith.remsi %sum, %seven : index
      %e = {'memref.load' if form == 'memref' else 'tensor.extract'} {c[0]}[%at] : {form}<7xf32>
      {_widen('%e', 'f32', t)}
      %r = arith.addf %s, %wide : {t}""", lambda s, c, b, h, q, k: s + c[0][(q + k) % 7].astype(s.dtype)),
    RegionTemplate(
        "cube", (), lambda t, c, form: f"""%two = arith.mulf %s, %s : {t}
      %three = arith.mulf %two, %s : {t}
      %w = arith.constant 0.0625 : {t}
      %r = arith.mulf %three, %w : {t}""", lambda s, c, b, h, q, k: s * s * s * s.dtype.type(0.0625)),
]


def _widen(name, source, target):
    if source == target:
        return f"%z = arith.constant 0.0 : {target}\n      %wide = arith.addf {name}, %z : {target}"
    return f"%wide = arith.extf {name} : {source} to {target}"


def _positions(**conditions):
    """Mask regions over positions alone."""

    def template(name, text, condition):
        lines = "\n      ".join(["%q = fa.index q", "%k = fa.index k", *text.split("\n")])
        return RegionTemplate(name, (), lambda t, c, form: lines, lambda s, c, b, h, q, k: condition(b, h, q, k))

    return [template(name, *condition) for name, condition in conditions.items()]


KEEPS = [
    RegionTemplate(
        "every_third", (), lambda t, c, form: """%q = fa.index q
      %k = fa.index k
      %sum = arith.addi %q, %k : index
      %three = arith.constant 3 : index
      %rem = arith.remsi %sum, %three : index
      %zero = arith.constant 0 : index
      %r = arith.cmpi ne, %rem, %zero : index""", lambda s, c, b, h, q, k: (q + k) % 3 != 0),
    RegionTemplate(
        "documents", (("i32", "bm"), ("i32", "bn")),
        lambda t, c, form: f"""%r = arith.cmpi eq, {c[0]}, {c[1]} : i32""", lambda s, c, b, h, q, k: c[0] == c[1]),
    RegionTemplate(
        "by_head", (), lambda t, c, form: """%h = fa.index h
      %b = fa.index b
      %k = fa.index k
      %hb = arith.addi %h, %b : index
      %x = arith.addi %hb, %k : index
      %two = arith.constant 2 : index
      %rem = arith.remsi %x, %two : index
      %zero = arith.constant 0 : index
      %r = arith.cmpi eq, %rem, %zero : index""", lambda s, c, b, h, q, k: (h + b + k) % 2 == 0),
    *_positions(
        causal=("%r = arith.cmpi sge, %q, %k : index", lambda b, h, q, k: q >= k),
        strict=("%r = arith.cmpi ugt, %q, %k : index", lambda b, h, q, k: q > k),
        ahead=("%c = arith.constant 13 : index\n%e = arith.addi %q, %c : index\n%r = arith.cmpi slt, %k, %e : index",
               lambda b, h, q, k: k < q + 13),
        band=("%c = arith.constant 19 : index\n%d = arith.subi %q, %k : index\n%a = math.absi %d : index\n"
              "%r = arith.cmpi ult, %a, %c : index", lambda b, h, q, k: abs(q - k) < 19),
        past=("%c = arith.constant 21 : index\n%d = arith.subi %q, %k : index\n%r = arith.cmpi ult, %d, %c : index",
              lambda b, h, q, k: (0 <= q - k) & (q - k < 21)),
        blocks=("%c = arith.constant 17 : index\n%x = arith.divui %q, %c : index\n%y = arith.floordivsi %k, %c : index\n"
                "%r = arith.cmpi eq, %x, %y : index", lambda b, h, q, k: q // 17 == k // 17),
        other_blocks=("%c = arith.constant 33 : index\n%x = arith.divsi %q, %c : index\n%y = arith.divsi %k, %c : index\n"
                      "%r = arith.cmpi ne, %x, %y : index", lambda b, h, q, k: q // 33 != k // 33),
        prefix=("%c = arith.constant 29 : index\n%x = arith.cmpi slt, %k, %c : index\n%y = arith.cmpi sle, %k, %q : index\n"
                "%r = arith.ori %x, %y : i1", lambda b, h, q, k: (k < 29) | (k <= q)),
        tail=("%c = arith.constant 37 : index\n%r = arith.cmpi uge, %k, %c : index", lambda b, h, q, k: k >= 37),
        not_band=("%c = arith.constant 11 : i64\n%x = arith.index_cast %q : index to i64\n%y = arith.index_cast %k : index to i64\n"
                  "%d = arith.subi %y, %x : i64\n%m = arith.cmpi sgt, %d, %c : i64\n%t = arith.constant true\n"
                  "%r = arith.xori %m, %t : i1", lambda b, h, q, k: ~(k - q > 11)),
        narrow=("%c = arith.constant 3 : i32\n%x = arith.index_cast %q : index to i32\n%y = arith.index_cast %k : index to i32\n"
                "%d = arith.muli %y, %c : i32\n%e = arith.subi %x, %d : i32\n%z = arith.constant -40 : i32\n"
                "%r = arith.cmpi sge, %e, %z : i32", lambda b, h, q, k: q - 3 * k >= -40),
        first_rows=("%c = arith.constant 31 : index\n%x = arith.cmpi slt, %q, %c : index\n%y = arith.cmpi sle, %k, %q : index\n"
                    "%t = arith.constant true\n%r = arith.select %x, %t, %y : i1", lambda b, h, q, k: (q < 31) | (k <= q)),
        by_batch=("%b = fa.index b\n%h = fa.index h\n%c = arith.constant 9 : index\n%x = arith.muli %b, %c : index\n"
                  "%y = arith.addi %x, %h : index\n%z = arith.addi %y, %q : index\n%r = arith.cmpi ule, %k, %z : index",
                  lambda b, h, q, k: k <= 9 * b + h + q),
        opaque=("%c = arith.constant 5 : index\n%s = arith.addi %q, %k : index\n%m = arith.remui %s, %c : index\n"
                "%z = arith.constant 0 : index\n%n = arith.cmpi ne, %m, %z : index\n%y = arith.cmpi sle, %k, %q : index\n"
                "%r = arith.andi %n, %y : i1", lambda b, h, q, k: ((q + k) % 5 != 0) & (k <= q)),
        least=("%c = arith.constant 25 : index\n%m = arith.minsi %q, %c : index\n%x = arith.maxsi %k, %m : index\n"
               "%r = arith.cmpi eq, %x, %q : index", lambda b, h, q, k: np.maximum(k, np.minimum(q, 25)) == q),
    ),
    RegionTemplate(
        "limits", (("i32", "bh"), ), lambda t, c, form: f"""%k = fa.index k
      %q = fa.index q
      %fifteen = arith.constant 15 : index
      %l = arith.index_cast {c[0]} : i32 to index
      %m = arith.muli %l, %fifteen : index
      %n = arith.addi %q, %m : index
      %r = arith.cmpi slt, %k, %n : index""", lambda s, c, b, h, q, k: k < q + 15 * c[0]),
    RegionTemplate(
        "sparse_columns", (("whole", "i1", (11, )), ), lambda t, c, form: f"""%k = fa.index k
      %eleven = arith.constant 11 : index
      %at = arith.remsi %k, %eleven : index
      %r = {'memref.load' if form == 'memref' else 'tensor.extract'} {c[0]}[%at] : {form}<11xi1>""",
        lambda s, c, b, h, q, k: c[0][k % 11]),
]

#===------------------------------------------------------------------------===#
# Configurations
#===------------------------------------------------------------------------===#


@dataclasses.dataclass
class Config:
    seed: int
    extents: dict  # letter -> int; 1 for absent dimensions
    arguments: list  # of Argument, in the function's order
    attributes: dict  # causal, window_left, window_right, bottom_right, softcap, softmax_type
    scale: float = None  # a compile-time constant; an argument named scale is a run-time one
    score: RegionTemplate = None
    keep: RegionTemplate = None
    features: tuple = ()

    def argument(self, name):
        return next((a for a in self.arguments if a.name == name), None)

    @property
    def packed(self):
        return self.argument("query_offsets") is not None

    @property
    def compute_type(self):
        return self.attributes.get("softmax_type") or ("f64" if self.argument("query").element == "f64" else "f32")

    @property
    def outputs(self):
        return [a for a in self.arguments if a.is_output]

    @property
    def expected(self):
        """[out] or [out, lse] in float64, in the layout of the outputs. NaN where nothing is written."""
        if not hasattr(self, "_expected"):
            self._expected = compute(self, np.float64, None)
        return self._expected

    @property
    def naive(self):
        """The same in the op's own types."""
        if not hasattr(self, "_naive"):
            element = np.float64 if self.compute_type == "f64" else np.float32
            out, *lse = compute(self, element, self.argument("value").element)
            self._naive = [rounded(out, self.argument("out").element), *lse]
        return self._naive

    #===--------------------------------------------------------------------===#
    # MLIR
    #===--------------------------------------------------------------------===#

    def mlir(self, form="memref", name="attention"):
        """A module with one function. form: memref (outputs written) or tensor (outputs returned)."""
        arguments = ", ".join(f"%{a.name}: {a.type(form)}" for a in self.arguments)
        results = [a.type(form) for a in self.outputs] if form == "tensor" else []
        lines = [f"func.func @{name}({arguments})" + (f" -> ({', '.join(results)})" if results else "") + " {"]
        if self.scale is not None:
            lines.append(f"  %scale = arith.constant {self.scale!r} : f32")
        prefix = "%r:{} = ".format(len(results)) if results else ""
        lines.append(f"  {prefix}fa.attention {{{self._attributes()}}}")
        lines.append(f"    ins(%query, %key, %value : {self._types(form, 'query', 'key', 'value')})")
        lines += self._clauses(form)
        names = ", ".join("%" + a.name for a in self.outputs)
        lines.append(f"    outs({names} : {', '.join(a.type(form) for a in self.outputs)})")
        for keyword, region in (("score", self.score), ("keep", self.keep)):
            if region:
                lines.append(self._region(keyword, region, form))
        if results:
            lines.append(f"    -> {', '.join(results)}")
            values = ", ".join(f"%r#{i}" for i in range(len(results)))
            lines.append(f"  return {values} : {', '.join(results)}")
        else:
            lines.append("  return")
        return "\n".join(lines) + "\n}\n"

    def _types(self, form, *names):
        return ", ".join(self.argument(n).type(form) for n in names)

    def _captures(self):
        return [a for a in self.arguments if a.name.startswith("capture")]

    def _attributes(self):
        a = self.attributes
        names = ["query", "key", "value", "bias", "mask", "alibi_slopes", "sinks"]
        mapped = [self.argument(n) for n in names if self.argument(n)] + self._captures() + self.outputs
        parts = ["indexing_maps = [" + ", ".join(m.map() for m in mapped) + "]"]
        if a.get("causal"):
            parts.append("causal")
        for side in ("window_left", "window_right"):
            if a.get(side) is not None:
                parts.append(f"{side} = {a[side]} : i64")
        if a.get("bottom_right"):
            parts.append("alignment = #fa.alignment<bottom_right>")
        if a.get("softcap"):
            parts.append(f"softcap = {float(a['softcap'])!r} : f64")
        if a.get("softmax_type"):
            parts.append(f"softmax_type = {a['softmax_type']}")
        return ", ".join(parts)

    def _clauses(self, form):
        lines = []
        if self.scale is not None:
            lines.append("    scale(%scale : f32)")
        clauses = [("scale", "scale"), ("bias", "bias"), ("mask", "mask"), ("alibi", "alibi_slopes"), ("sinks", "sinks")]
        for keyword, name in clauses:
            if self.argument(name):
                lines.append(f"    {keyword}(%{name} : {self._types(form, name)})")
        if self._captures():
            names = [c.name for c in self._captures()]
            lines.append(f"    captures({', '.join('%' + n for n in names)} : {self._types(form, *names)})")
        for name in ("query_lengths", "key_lengths", "query_offsets", "key_offsets"):
            if self.argument(name):
                lines.append(f"    {name}(%{name} : {self._types(form, name)})")
        for name in ("query_base", "key_base", "batch_base", "head_base", "query_limit", "key_limit", "offset"):
            if self.argument(name):
                lines.append(f"    {name}(%{name})")
        return lines

    def _region(self, keyword, region, form):
        """Each region takes all captures; a template uses its own."""
        mine = [f"%c{i}" for i, a in enumerate(self._captures()) if a.name.startswith(f"capture_{keyword}")]
        types = [a.type(form) if a.order is None else a.element for a in self._captures()]
        arguments = [f"%c{i}: {t}" for i, t in enumerate(types)]
        if keyword == "score":
            arguments = [f"%s: {self.compute_type}"] + arguments
        head = f"    ^bb0({', '.join(arguments)}):\n" if arguments else ""
        result = self.compute_type if keyword == "score" else "i1"
        body = region.mlir(self.compute_type, mine, form)
        return f"    {keyword} {{\n  {head}      {body}\n      fa.yield %r : {result}\n    }}"

    #===--------------------------------------------------------------------===#
    # Checking
    #===--------------------------------------------------------------------===#

    def check(self, arrays):
        """Problems found in the outputs among `arrays` (one per argument, as storage)."""
        problems = []
        for i, argument in enumerate(self.outputs):
            got = from_storage(arrays[self.arguments.index(argument)], argument.element)
            problems += self._check_one(argument, got, self.expected[i], self.naive[i])
        return problems

    def bound(self, argument, expected, naive):
        written = np.isfinite(expected)
        both = written & np.isfinite(naive)
        error = np.max(np.abs(naive[both] - expected[both]), initial=0)
        largest = np.max(np.abs(expected)[written], initial=0)
        if self.compute_type == "f64" and argument.element == "f64":
            return max(2 * error, 1e-12 * max(largest, 1e-30)) if argument.name == "out" else 1e-12 * max(1, largest)
        if argument.name == "lse":
            return 2 * error + 1e-6 * max(1, largest)
        return 2 * error + 2 * epsilon(argument.element) * largest

    def _check_one(self, argument, got, expected, naive):
        written = ~np.isnan(expected)
        exact = written & ~np.isfinite(expected)
        if not np.array_equal(got[exact], expected[exact]):
            return [f"{argument.name}: wrong infinities"]
        finite = written & ~exact
        if not np.all(np.isfinite(got[finite])):
            return [f"{argument.name}: {np.sum(~np.isfinite(got[finite]))} values are not finite"]
        errors = np.full(got.shape, -1.0)
        errors[finite] = np.abs(got[finite] - expected[finite])
        error = np.max(errors, initial=0)
        bound = self.bound(argument, expected, naive)
        if error > bound:
            at = np.unravel_index(np.argmax(errors), got.shape)
            return [f"{argument.name}: error {error:.3g} > {bound:.3g} at {tuple(map(int, at))} ({argument.order})"]
        if argument.name == "out":
            empty = finite & (expected == 0) & self._empty_rows(argument)
            if np.any(got[empty] != 0):
                return ["out: an empty row is not exactly 0"]
        return []

    def _empty_rows(self, argument):
        if not hasattr(self, "_empty"):
            self._empty = compute(self, np.float64, None, want_empty=True)
        return self._empty

    def __str__(self):
        return f"seed {self.seed} {self.extents} {' '.join(self.features)}"


#===------------------------------------------------------------------------===#
# The generator
#===------------------------------------------------------------------------===#


def random_config(seed, without=(), sizes=None, elements=("f32", "f32", "bf16", "f16", "f64"), wanted=(), multiple=1, dims=None):
    """One configuration. `sizes`: the largest extents, a dict over "bhgmnde". `wanted`: features that it has. Head dimensions
    are multiples of `multiple`, or `dims`: of query and key, and of value."""
    return _Generator(seed, set(without), sizes or {}, elements, wanted, multiple, dims).build()


class _Generator:
    LARGEST = dict(b=3, h=2, g=3, m=70, n=70, d=40, e=40)

    def __init__(self, seed, without, sizes, elements, wanted, multiple, dims=None):
        unknown = without - set(FEATURES)
        if unknown:
            raise ValueError(f"unknown features {sorted(unknown)}")
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.seed = seed
        self.without = without
        self.wanted, self.multiple, self.dims = wanted, multiple, dims
        self.largest = {**self.LARGEST, **sizes}
        self.elements = [e for e in elements if e != "f64" or "f64" not in without]
        self.features = []
        self.arguments = []

    def has(self, feature, probability):
        """Draws always, so that leaving a feature out changes nothing else's draw order."""
        chosen = (self.random.random() < probability or feature in self.wanted) and feature not in self.without
        if chosen:
            self.features.append(feature)
        return chosen

    def build(self):
        self.packed = self.has("packed", 0.12)
        self.choose_types()
        self.choose_extents()
        self.choose_dims()
        self.add_tensors()
        attributes = self.choose_masks()
        scale = self.choose_scale()
        score = self.choose_region("score", SCORES, 0.25)
        keep = self.choose_region("keep", KEEPS, 0.2)
        if not self.packed:
            self.add_lengths()
        self.add_state(attributes)
        if self.packed:
            self.add_offsets()
        self.add_outputs()
        config = Config(self.seed, self.extents, self.arguments, attributes, scale, score, keep, ())
        if self.has("nan_tail", 0.5):
            self.poison(config)
        config.features = (self.element, *self.features)
        return config

    def choose_types(self):
        self.element = self.random.choice(self.elements)
        self.value_element = self.out_element = self.element
        if self.has("mixed_types", 0.1):
            self.value_element = self.random.choice(self.elements)
            self.out_element = self.random.choice(self.elements)
        self.softmax_type = "f64" if self.has("softmax_f64", 0.08) else None
        self.compute_type = "f64" if self.softmax_type or self.element == "f64" else "f32"

    def choose_extents(self):
        pick = lambda x, low: self.random.randint(low, max(low, self.largest[x]))
        self.extents = {x: pick(x, 1) for x in "bhgmnd"}
        self.extents["e"] = self.extents["d"]
        if not self.has("gqa", 0.4):
            self.extents["g"] = 1
        if self.has("head_dims", 0.3):
            self.extents["e"] = pick("e", 1)
        elif self.random.random() < 0.5:
            self.extents["d"] = self.extents["e"] = min(16 * self.random.randint(1, 2), self.largest["d"])
        for x in "de":
            self.extents[x] = -(-self.extents[x] // self.multiple) * self.multiple
        if self.dims:
            self.extents["d"], self.extents["e"] = self.dims
        if self.has("empty", 0.05):
            self.extents[self.random.choice("mn")] = 0
        if self.packed:
            self.sequences = self.random.randint(1, 4)
            self.extents["b"] = 1

    def choose_dims(self):
        """Which of b, h, g each of query, key and value has, and so the rows."""
        drop = self.has("absent_dims", 0.3)
        has = lambda: self.random.random() < (0.6 if drop else 1)
        batch = "" if self.packed else "b"
        q = "".join(x for x in batch + "hg" if has() and not (x == "g" and self.extents["g"] == 1 and not drop))
        k = "".join(x for x in batch + "h" if has())
        v = "".join(x for x in batch + "h" if has())
        self.query_dims, self.key_dims, self.value_dims = q + "md", k + "nd", v + "ne"
        self.rows = "".join(x for x in "bhg" if x in q + k + v) + "m"
        for x in "bhg":
            if x not in self.rows:
                self.extents[x] = 1

    def order(self, letters):
        letters = list(letters)
        if "layouts" not in self.without and self.random.random() < 0.4:
            self.random.shuffle(letters)
        return "".join(letters)

    def subset(self, letters, probability=0.5):
        return "".join(x for x in letters if self.random.random() < probability)

    def extent(self, letter):
        return self.sequences if letter == "b" and self.packed else self.extents[letter]

    def dynamic(self, letters):
        """Some dimensions are dynamic; head dims are not."""
        if not hasattr(self, "dynamic_letters"):
            some = self.subset("bhgmn") if self.has("dynamic", 0.6) else ""
            self.dynamic_letters = some
        return tuple(x in self.dynamic_letters for x in letters)

    def add(self, name, element, letters, value=None, spread=1.0, is_output=False):
        order = self.order(letters)
        shape = [self.extent(x) for x in order]
        if value is None:
            value = self.numpy.standard_normal(shape) * spread
        elif callable(value):
            value = value(shape)
        if element in MANTISSA:
            value = rounded(value, element).reshape(shape)
        self.arguments.append(Argument(name, element, value, order, self.dynamic(order), is_output))

    def add_tensors(self):
        spread = self.random.choice([4.0, 30.0]) if self.has("large_scores", 0.1) else 1.0
        self.add("query", self.element, self.query_dims, spread=spread)
        self.add("key", self.element, self.key_dims)
        self.add("value", self.value_element, self.value_dims)
        score_dims = ("b" if self.packed else "") + self.rows + "n"
        head_dims = score_dims.replace("m", "").replace("n", "")
        if self.has("bias", 0.25):
            self.add("bias", self.random.choice([self.element, "f32"]), self.subset(score_dims, 0.7))
        if self.has("mask", 0.2):
            self.add("mask", "i1", self.subset(score_dims, 0.7), lambda shape: self.numpy.random(shape) < 0.8)
        if self.has("alibi", 0.15):
            self.add("alibi_slopes", "f32", self.subset(head_dims, 0.7), lambda shape: self.numpy.random(shape) * 0.2)
        if self.has("sinks", 0.15):
            self.add("sinks", self.random.choice([self.element, "f32"]), self.subset(head_dims, 0.7))
        self.score_dims = score_dims

    def choose_masks(self):
        attributes = {"softmax_type": self.softmax_type}
        if self.has("causal", 0.3):
            attributes["causal"] = True
        if self.has("window", 0.25):
            if self.random.random() < 0.7:
                attributes["window_left"] = self.random.choice([0, 1, 3, 10, 33, 1000])
            if self.random.random() < 0.5:
                attributes["window_right"] = self.random.choice([0, 1, 3, 10, 33, 1000])
        if self.has("alignment", 0.5):
            attributes["bottom_right"] = True
        if self.has("softcap", 0.2):
            attributes["softcap"] = self.random.choice([2.0, 30.0])
        return attributes

    def choose_scale(self):
        if not self.has("scale", 0.4):
            return None
        value = self.random.choice([0.25, 0.5, 0.125, -0.25, 0.0])
        if self.random.random() < 0.5:
            return value
        self.scalar("scale", "f32", value)
        return None

    def scalar(self, name, element, value):
        value = np.array(value, dtype=STORAGE[element] if element in STORAGE else np.int64)
        self.arguments.append(Argument(name, element, value, is_scalar=True))

    def choose_region(self, keyword, templates, probability):
        template = self.random.choice(templates)
        wanted = self.has(keyword, probability)
        whole = any(c[0] == "whole" for c in template.captures)
        if not wanted or (template.captures and "captures" in self.without) or (whole
                                                                               and "whole_captures" in self.without):
            return None
        for i, capture in enumerate(template.captures):
            name = f"capture_{keyword}{i}"
            if capture[0] == "whole":
                _, element, shape = capture
                value = self.numpy.random(shape) < 0.7 if element == "i1" else self.numpy.standard_normal(shape)
                value = rounded(value, element) if element in MANTISSA else value
                self.arguments.append(Argument(name, element, value, None, (False, ) * len(shape)))
                continue
            element, allowed = capture
            letters = [x for x in allowed if x in self.score_dims]
            letters = self.subset(letters, 0.8) if element == "f32" else letters
            value = None if element == "f32" else lambda shape: self.numpy.integers(0, 2, shape).astype(np.int32)
            self.add(name, element, letters, value)
        self.features.append(f"{keyword}:{template.name}")
        return template

    def add_lengths(self):
        for name, letter in (("query_lengths", "m"), ("key_lengths", "n")):
            if self.has(name, 0.2):
                batch = self.extents["b"]
                lengths = self.numpy.integers(0, self.extents[letter] + 1, batch).astype(np.int32)
                self.arguments.append(Argument(name, "i32", lengths, None, (self.dynamic("b")[0], )))

    def add_state(self, attributes):
        lengths = any(a.name.endswith("lengths") for a in self.arguments)
        if self.has("base", 0.08) and not lengths:
            for name in ("query_base", "key_base", "batch_base", "head_base"):
                if self.random.random() < 0.6:
                    self.scalar(name, "index", self.random.randint(0, 20))
            start = {a.name: int(a.value) for a in self.arguments if a.name.endswith("_base")}
            for name, letter in (("query_limit", "m"), ("key_limit", "n")):
                if self.random.random() < 0.4 and not self.packed:
                    base = start.get(name.replace("limit", "base"), 0)
                    self.scalar(name, "index", base + self.random.randint(0, self.extents[letter] + 5))
        if self.has("offset", 0.06):
            attributes.pop("bottom_right", None)
            self.scalar("offset", "index", self.random.randint(-15, 30))

    def add_offsets(self):
        for name, letter in (("query_offsets", "m"), ("key_offsets", "n")):
            cuts = self.numpy.integers(0, self.extents[letter] + 1, self.sequences + 1)
            self.arguments.append(
                Argument(name, "i32", np.sort(cuts).astype(np.int32), None, (self.dynamic("b")[0], )))

    def add_outputs(self):
        nothing = lambda shape: np.full(shape, 7.0)
        self.add("out", self.out_element, self.rows + "e", nothing, is_output=True)
        if self.has("lse", 0.5):
            self.add("lse", self.compute_type, self.rows, nothing, is_output=True)

    def poison(self, config):
        """NaN wherever a length excludes a position for every row."""
        for name, letter, excluded in (("query", "m", "query"), ("key", "n", "key"), ("value", "n", "key")):
            argument = config.argument(name)
            if self.packed:
                offsets = config.argument(f"{excluded}_offsets").value
                outside = np.ones(self.extents[letter], bool)
                outside[offsets[0]:offsets[-1]] = False
                outside = outside.reshape([-1 if x == letter else 1 for x in argument.order])
            else:
                lengths = config.argument(f"{excluded}_lengths")
                if lengths is None:
                    continue
                position = np.arange(self.extents[letter])
                if "b" in argument.order:
                    outside = Argument("", "i1", position[None, :] >= lengths.value[:, None], "b" + letter)
                else:
                    outside = Argument("", "i1", position >= np.max(lengths.value), letter)
                outside = expand(outside, argument.order)
            argument.value = np.where(outside, np.nan, argument.value)


if __name__ == "__main__":
    print(random_config(int(sys.argv[1])).mlir(*sys.argv[2:]))
