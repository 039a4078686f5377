#===- test_backward.py - gradients against float64 and finite differences ---===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#

import re

import numpy as np
import pytest

import configs
import reference
import runner
from backward import BackwardCase
from configs import random_config

PASSES = "fa-decompose"
TO_LINALG = ",fa-lower-tiles,fa-lower-tile-memory"
#: Tile programs, with the first of the seeds that they are tested on: others each, for more configurations.
SCHEDULES = {
    "owned": (1000, "fa-tile-backward{query-tile=16 key-tile=16}" + TO_LINALG),
    "recompute": (2000, "fa-tile-backward{query-tile=16 key-tile=16 d-query=recompute}" + TO_LINALG),
    "atomic": (3000, "fa-tile-backward{query-tile=8 key-tile=24 d-query=atomic}" + TO_LINALG),
    "odd": (4000, "fa-tile-backward{query-tile=24 key-tile=7 d-query=recompute}" + TO_LINALG),
}

#===------------------------------------------------------------------------===#
# Random configurations
#===------------------------------------------------------------------------===#


def problems_of(cases, passes, lower=runner.LOWER):
    """What is wrong, by configuration."""
    library = runner.compile_module("\n".join(c.mlir(f"backward_{seed}") for seed, c in cases.items()), passes, lower=lower)
    problems = {}
    for seed, case in cases.items():
        arrays = [a.storage() for a in case.arguments]
        runner.call(library, f"backward_{seed}", case.arguments, arrays)
        if found := case.check(arrays):
            problems[f"{case.config}"] = found
    return problems


def check_random(cases, passes, lower=runner.LOWER):
    problems = problems_of(cases, passes, lower)
    assert not problems


@pytest.mark.parametrize("first", range(0, 96, 8))
def test_random(first):
    check_random({seed: BackwardCase(random_config(seed)) for seed in range(first, first + 8)}, PASSES)


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("block", range(3))
def test_tiles(name, block):
    first, passes = SCHEDULES[name]
    first += 8 * block
    check_random({seed: BackwardCase(random_config(seed)) for seed in range(first, first + 8)}, passes)


# Rows behind the last one of a window; keys that batches of different lengths share.
@pytest.mark.parametrize("seed", [10051, 10132])
def test_lengths(seed):
    check_random({seed: BackwardCase(random_config(seed))}, SCHEDULES["recompute"][1])


# Through vectors and buffers on the stack, as fa-run and fa_mlir do.
@pytest.mark.parametrize("first", range(5000, 5016, 8))
def test_cpu_target(first):
    check_random({seed: BackwardCase(random_config(seed)) for seed in range(first, first + 8)},
                 "fa-pipeline{target=cpu}", lower="")


# Where tiles are empty, full or partial: long rows of small tiles.
@pytest.mark.parametrize("name", SCHEDULES)
def test_positions(name):
    only = ("causal", "window", "alignment", "key_lengths", "query_lengths", "packed", "offset", "base", "empty")
    sizes = dict(b=2, h=1, g=1, m=100, n=100, d=4, e=4)
    without = [f for f in configs.FEATURES if f not in only]
    first, passes = SCHEDULES[name]
    check_random({seed: BackwardCase(random_config(seed, without, sizes, ("f32", )))
                  for seed in range(first, first + 12)}, passes)


#===------------------------------------------------------------------------===#
# Finite differences in f64
#===------------------------------------------------------------------------===#

#: These only matter in other element types, or take the derivative away.
NOT_IN_F64 = {"f64", "mixed_types", "softmax_f64", "nan_tail", "dynamic", "large_scores"}
FEATURES = [f for f in configs.FEATURES if f not in NOT_IN_F64]
SIZES = dict(b=2, h=2, g=2, m=9, n=11, d=8, e=8)


def config_with(feature):
    """The first f64 configuration that has the feature."""
    for seed in range(1000):
        config = random_config(seed, without=("large_scores", "mixed_types", "nan_tail"), sizes=SIZES, elements=("f64", ))
        present = " ".join(config.features)
        attributes = config.attributes
        found = {
            "captures": bool(config._captures()),
            "whole_captures": any(c.order is None for c in config._captures()),
            "layouts": any(a.order and list(a.order) != sorted(a.order, key="bhgmnde".index) for a in config.arguments),
            "scale": config.scale is not None or config.argument("scale"),
            "alignment": attributes.get("bottom_right") and (attributes.get("causal") or config.argument("alibi_slopes")),
            "empty": np.any(np.isneginf(reference.compute(config, np.float64, None)[-1])) and config.argument("lse"),
        }.get(feature, feature in present)
        if found and config.argument("query").value.size and config.argument("key").value.size:
            return config
    raise AssertionError(f"no configuration with {feature}")


def loss(library, case, out, lse):
    """sum(out * d_out) + sum(lse * d_lse) of the compiled forward pass."""
    config = case.config
    arrays = [a.storage() for a in config.arguments]
    runner.call(library, "attention", config.arguments, arrays)
    total = 0.0
    for argument, d in ((out, case.d_out), (lse, case.d_lse)):
        if argument is None or d is None:
            continue
        got = arrays[config.arguments.index(argument)]
        weights = np.transpose(d.value, [d.order.index(x) for x in argument.order])
        # Rows of no sequence are not written, and empty rows have an lse that moves with nothing.
        weights = np.where(np.isfinite(got), weights, 0)
        total += np.sum(np.where(np.isfinite(got), got, 0) * weights)
    return total


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("passes", [PASSES, "fa-fuse-softmax,fa-tile{query-tile=4 key-tile=4}," +
                                    "fa-tile-backward{query-tile=4 key-tile=4 d-query=recompute}" + TO_LINALG],
                         ids=["naive", "tiles"])
def test_finite_differences(feature, passes):
    config = config_with(feature)
    for a in config.arguments:
        if a.is_output:
            a.element = "f64"
            a.value = np.zeros(a.value.shape)
    case = BackwardCase(config)
    library = runner.compile_module(config.mlir() + case.mlir(), passes)
    arrays = [a.storage() for a in case.arguments]
    runner.call(library, "backward", case.arguments, arrays)
    random = np.random.default_rng(7)
    for output, of in zip(case.outputs, case.differentiated):
        gradient = reference.from_storage(arrays[case.arguments.index(output)], output.element)
        if output.order is not None:
            gradient = np.transpose(gradient, [output.order.index(x) for x in of.order])
        direction = reference.rounded(random.standard_normal(of.value.shape), "bf16")
        start, step = of.value, {"f64": 2.0**-17, "f32": 2.0**-10}[of.element]
        values = []
        for sign in (1, -1):
            of.value = start + sign * step * direction
            moved = reference.rounded(of.value, of.element)
            assert of.element == "f64" or np.max(np.abs(moved - of.value), initial=0) <= 1e-6
            of.value = moved
            values.append(loss(library, case, config.argument("out"), config.argument("lse")))
        of.value = start
        difference = (values[0] - values[1]) / (2 * step)
        tolerance = {"f64": 1e-7, "f32": 1e-3}[of.element]
        expected = np.sum(gradient * direction)
        scale = 1 + np.sum(np.abs(gradient * direction))
        assert abs(difference - expected) <= tolerance * scale, f"{config}: {output.name}"


#===------------------------------------------------------------------------===#
# The table of derivatives
#===------------------------------------------------------------------------===#

#: Bodies of score regions of a score %s and a capture %c, both f64: %r of both. %u is in (0.1, 0.9), %v in (1.1, 2.9).
OPS = {
    "arith.addf": "%r = arith.addf %s, %c : f64",
    "arith.subf": "%r = arith.subf %c, %s : f64",
    "arith.mulf": "%r = arith.mulf %s, %c : f64",
    "arith.divf": "%r = arith.divf %s, %v : f64",
    "arith.remf": "%y = arith.mulf %s, %three : f64\n %r = arith.remf %y, %v : f64",
    "arith.negf": "%y = arith.negf %c : f64\n %r = arith.mulf %y, %s : f64",
    "arith.maximumf": "%r = arith.maximumf %s, %c : f64",
    "arith.maxnumf": "%r = arith.maxnumf %s, %c : f64",
    "arith.minimumf": "%r = arith.minimumf %s, %c : f64",
    "arith.minnumf": "%r = arith.minnumf %s, %c : f64",
    "arith.extf": "%y = arith.truncf %c : f64 to f32\n %z = arith.extf %y : f32 to f64\n %r = arith.mulf %z, %s : f64",
    "arith.truncf": "%y = arith.truncf %c : f64 to f32\n %z = arith.extf %y : f32 to f64\n %r = arith.addf %z, %s : f64",
    "arith.select": "%i = arith.cmpf olt, %s, %c : f64\n %r = arith.select %i, %v, %s : f64",
    "arith.cmpf": "%i = arith.cmpf ogt, %s, %c : f64\n %r = arith.select %i, %c, %u : f64",
    "math.isfinite": "%i = math.isfinite %s : f64\n %r = arith.select %i, %v, %zero : f64",
    "math.isnan": "%i = math.isnan %s : f64\n %r = arith.select %i, %zero, %v : f64",
    "math.copysign": "%y = arith.mulf %s, %c : f64\n %r = math.copysign %y, %c : f64",
    "math.fma": "%r = math.fma %s, %c, %v : f64",
    "math.powf": "%r = math.powf %v, %u : f64",
    "math.fpowi": "%n = arith.constant 3 : i32\n %r = math.fpowi %s, %n : f64, i32",
    "math.atan2": "%r = math.atan2 %s, %c : f64",
}
for name in "exp exp2 expm1 sin cos tan atan sinh cosh tanh asinh erf erfc absf cbrt".split():
    OPS[f"math.{name}"] = f"%y = math.{name} %s : f64\n %r = arith.mulf %y, %v : f64"
for name in "asin acos atanh".split():
    OPS[f"math.{name}"] = f"%y = math.{name} %u : f64\n %r = arith.mulf %y, %v : f64"
for name in "acosh log log2 log10 log1p sqrt rsqrt".split():
    OPS[f"math.{name}"] = f"%y = math.{name} %v : f64\n %r = arith.mulf %y, %s : f64"

REGION = """
    %zero = arith.constant 0.0 : f64
    %half = arith.constant 0.5 : f64
    %small = arith.constant 0.4 : f64
    %two = arith.constant 2.0 : f64
    %three = arith.constant 3.0 : f64
    %ts = math.tanh %s : f64
    %tc = math.tanh %c : f64
    %p = arith.mulf %ts, %small : f64
    %u = arith.addf %p, %half : f64
    %o = arith.mulf %tc, %small : f64
    %both = arith.subf %o, %p : f64
    %v = arith.addf %both, %two : f64
"""
M, N, HEAD = 5, 6, 3
MAPS = {x: f"affine_map<(b, h, g, m, n, d, e) -> ({x})>" for x in ("m, d", "n, d", "n, e", "m, e", "m", "m, n")}


def table_module(name, body):
    q, k, v, c, o, l = (f"memref<{s}xf64>" for s in (f"{M}x{HEAD}", f"{N}x{HEAD}", f"{N}x{HEAD}", f"{M}x{N}", f"{M}x{HEAD}", f"{M}"))
    score = f"score {{\n^bb0(%s: f64, %c: f64):\n{REGION}\n{body}\nfa.yield %r : f64\n}}"
    mq, mk, mv, mo, ml, mc = (MAPS[x] for x in ("m, d", "n, d", "n, e", "m, e", "m", "m, n"))
    return f"""
    func.func @forward_{name}(%query: {q}, %key: {k}, %value: {v}, %x: {c}, %out: {o}, %lse: {l}) {{
      fa.attention {{indexing_maps = [{mq}, {mk}, {mv}, {mc}, {mo}, {ml}]}}
        ins(%query, %key, %value : {q}, {k}, {v}) captures(%x : {c}) outs(%out, %lse : {o}, {l}) {score}
      return
    }}
    func.func @backward_{name}(%query: {q}, %key: {k}, %value: {v}, %x: {c}, %out: {o}, %lse: {l}, %do: {o}, %dl: {l},
                        %dq: {q}, %dk: {k}, %dv: {v}, %dc: {c}) {{
      fa.attention_backward {{capture_gradients = array<i64: 0>,
          indexing_maps = [{mq}, {mk}, {mv}, {mc}, {mo}, {ml}, {mo}, {ml}, {mq}, {mk}, {mv}, {mc}]}}
        ins(%query, %key, %value, %out, %lse, %do : {q}, {k}, {v}, {o}, {l}, {o}) d_lse(%dl : {l}) captures(%x : {c})
        outs(%dq, %dk, %dv, %dc : {q}, {k}, {v}, {c}) {score}
      return
    }}
    """


def invoke(library, name, arrays):
    arguments = [configs.Argument("", "f64", a) for a in arrays]
    runner.call(library, name, arguments, arrays)


@pytest.fixture(scope="module")
def table_library():
    modules = [table_module(name.replace(".", "_"), body) for name, body in OPS.items()]
    return runner.compile_module("\n".join(modules), PASSES)


@pytest.mark.parametrize("name", OPS)
def test_derivative(name, table_library):
    call = lambda which, arrays: invoke(table_library, f"{which}_{name.replace('.', '_')}", arrays)
    random = np.random.default_rng(3)
    make = lambda *shape: random.standard_normal(shape)
    inputs = [make(M, HEAD), make(N, HEAD), make(N, HEAD), make(M, N)]
    out, lse, d_out, d_lse = np.zeros((M, HEAD)), np.zeros(M), make(M, HEAD), make(M)
    call("forward", [*inputs, out, lse])
    gradients = [np.zeros_like(a) for a in inputs]
    call("backward", [*inputs, out, lse, d_out, d_lse, *gradients])
    # A truncation to f32 is a staircase for small steps.
    step, tolerance = (2.0**-18, 2e-7) if "extf" not in OPS[name] else (2.0**-6, 2e-3)
    for i, gradient in enumerate(gradients):
        direction = make(*inputs[i].shape)
        values = []
        for sign in (1, -1):
            moved = list(inputs)
            moved[i] = inputs[i] + sign * step * direction
            o, l = np.zeros_like(out), np.zeros_like(lse)
            call("forward", [*moved, o, l])
            values.append(np.sum(o * d_out) + np.sum(l * d_lse))
        difference = (values[0] - values[1]) / (2 * step)
        scale = 1 + np.sum(np.abs(gradient * direction))
        assert abs(difference - np.sum(gradient * direction)) <= tolerance * scale, "q k v capture".split()[i]


def test_table_is_covered():
    source = (runner.ROOT / "lib/Transforms/ReverseMode.cpp").read_text()
    table = set(re.findall(r'\{"((?:arith|math)\.\w+)"', source))
    assert table and table == set(OPS)


#===------------------------------------------------------------------------===#
# Derived functions
#===------------------------------------------------------------------------===#

DERIVE = """
#q = affine_map<(b, h, g, m, n, d, e) -> (m, d)>
#k = affine_map<(b, h, g, m, n, d, e) -> (n, d)>
#v = affine_map<(b, h, g, m, n, d, e) -> (n, e)>
#o = affine_map<(b, h, g, m, n, d, e) -> (m, e)>
func.func @f(%q: tensor<5x4xf64>, %k: tensor<6x4xf64>, %v: tensor<6x3xf64>) -> tensor<5x3xf64> {
  %e = tensor.empty() : tensor<5x3xf64>
  %r = fa.attention {causal, softcap = 3.0 : f64, indexing_maps = [#q, #k, #v, #o]}
    ins(%q, %k, %v : tensor<5x4xf64>, tensor<6x4xf64>, tensor<6x3xf64>) outs(%e : tensor<5x3xf64>) -> tensor<5x3xf64>
  return %r : tensor<5x3xf64>
}
"""


def test_derived_functions():
    """The twins of a function compute its gradient, with arguments as their attributes say."""
    lower = runner.LOWER.replace(runner.BUFFERIZE,
                                 runner.BUFFERIZE + ",buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true}")
    text = runner.opt(DERIVE, "fa-derive-backward")
    signature = re.search(r"func\.func @f_backward\((.*?)\) ->", text, re.DOTALL).group(1)
    roles = re.findall(r"fa\.(argument|result|cotangent) = \"?(\w+)", signature)
    library = runner.compile_module(DERIVE, "fa-derive-backward,fa-decompose", lower=lower)
    random = np.random.default_rng(5)
    inputs = [random.standard_normal(s) for s in ((5, 4), (6, 4), (6, 3))]
    results = [np.zeros((5, 3)), np.zeros(5)]
    invoke(library, "f_forward", [*inputs, *results])
    d_out = random.standard_normal((5, 3))
    arguments = [{"argument": inputs, "result": results}[kind][int(i)] if kind != "cotangent" else d_out for kind, i in roles]
    gradients = [np.zeros_like(a) for a in inputs]
    invoke(library, "f_backward", [*arguments, *gradients])
    for i, gradient in enumerate(gradients):
        direction = random.standard_normal(inputs[i].shape)
        values = []
        for sign in (1, -1):
            moved = list(inputs)
            moved[i] = inputs[i] + sign * 2.0**-18 * direction
            out = np.zeros((5, 3))
            invoke(library, "f", [*moved, out])
            values.append(np.sum(out * d_out))
        assert (values[0] - values[1]) * 2.0**17 == pytest.approx(np.sum(gradient * direction), rel=1e-6, abs=1e-7)
