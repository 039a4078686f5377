"""The reference, --fa-decompose, against numpy float64: random configurations and hard scores."""

import pathlib

import numpy as np
import pytest

import configs
import reference
import runner

HERE = pathlib.Path(__file__).parent
BATCH = 50


def problems(made, passes):
    """Compiles all configurations at once, runs each; {name: what is wrong}."""
    text = "\n".join(config.mlir(name=f"attention_{i}") for i, config in enumerate(made))
    library = runner.compile_module(text, passes)
    found = {}
    for i, config in enumerate(made):
        arrays = [a.storage() for a in config.arguments]
        runner.call(library, f"attention_{i}", config.arguments, arrays)
        if wrong := config.check(arrays):
            found[f"seed {config.seed} {config.features}"] = wrong
    return found


@pytest.mark.parametrize("first", range(0, 300, BATCH))
def test_random(first):
    made = [configs.random_config(seed) for seed in range(first, first + BATCH)]
    assert not problems(made, "fa-decompose")


@pytest.mark.parametrize("sizes, kind, without", [
    ("1, 1, 1, 5, 0", "for", ()),
    ("1, 1, 2, 7, 0", "forall", ()),
    ("0, 0, 0, 0, 3", "for", ("lse", )),
], ids=["rows", "forall", "columns"])
def test_upstream_tiling(tmp_path, sizes, kind, without):
    """Positions stay absolute under the transform dialect's tiling: masks, alignment, lengths, heads."""
    loops = sum(size.strip() != "0" for size in sizes.split(",")) if kind == "for" else 1
    any_op = "!transform.any_op"
    script = tmp_path / "tile.mlir"
    script.write_text(f"""
module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%root: {any_op} {{transform.readonly}}) {{
    %ops = transform.structured.match ops{{["fa.attention"]}} in %root : ({any_op}) -> {any_op}
    %tiled, %loops:{loops} = transform.structured.tile_using_{kind} %ops tile_sizes [{sizes}]
      : ({any_op}) -> ({", ".join([any_op] * (loops + 1))})
    transform.yield
  }}
}}""")
    # Packed sequences and operands without elements are refused by tiling.
    made = [configs.random_config(seed, without=("packed", "empty", *without)) for seed in range(40)]
    passes = f"transform-preload-library{{transform-library-paths={script}}},transform-interpreter,fa-decompose"
    assert not problems(made, passes)


#: Scores of one row each, made by a bias. Everything but -inf is a score.
LOWEST = float(np.finfo(np.float32).min)
HARD_ROWS = {
    "lowest": [LOWEST] * 6,
    "lowest and one": [LOWEST] * 5 + [0.0],
    "most of lowest": [-0.7 * -LOWEST] * 3 + [-0.9 * -LOWEST] * 3,
    "minus 1e9": [-1e9] * 6,
    "minus 1e9 and one": [-1e9] * 5 + [3.0],
    "both ends": [-3e38, 3e38, 0.0, 3e38, -3e38, 1.0],
    "growing": [0.0, 50.0, 500.0, 5e3, 5e4, 5e5],
    "falling": [5e5, 5e4, 5e3, 500.0, 50.0, 0.0],
    "all hidden": [-np.inf] * 6,
    "all but one hidden": [-np.inf] * 5 + [-2.0],
    "hidden first": [-np.inf] * 3 + [LOWEST] * 3,
}


def attention_with_bias(bias, sinks=None):
    """The bias is all there is to the scores."""
    rows, keys = bias.shape
    generator = np.random.default_rng(1)
    argument = lambda name, value, order, **more: configs.Argument(name, "f32", np.asarray(value), order, **more)
    made = [
        argument("query", np.zeros((rows, 4)), "md"),
        argument("key", reference.rounded(generator.standard_normal((keys, 4)), "f32"), "nd"),
        argument("value", reference.rounded(generator.standard_normal((keys, 4)), "f32"), "ne"),
        argument("bias", reference.rounded(bias, "f32"), "mn"),
    ]
    if sinks is not None:
        made.append(argument("sinks", np.array(sinks), ""))
    made += [
        argument("out", np.full((rows, 4), 7.0), "me", is_output=True),
        argument("lse", np.full(rows, 7.0), "m", is_output=True)
    ]
    for a in made:
        a.dynamic = (False, ) * a.value.ndim
    extents = dict(b=1, h=1, g=1, m=rows, n=keys, d=4, e=4)
    return configs.Config(0, extents, made, {}, features=("hard rows", ))


@pytest.mark.parametrize("sink", [None, -1e9, 2.0])
def test_hard_scores(sink):
    made = {name: attention_with_bias(np.array([row]), sink) for name, row in HARD_ROWS.items()}
    assert not problems(list(made.values()), "fa-decompose")
    out, lse = made["all hidden"].expected
    assert np.all(out == 0) and lse[0] == (-np.inf if sink is None else sink)
