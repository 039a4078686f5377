#===- test_schedules.py - every stage against float64 on random attention ---===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Online recurrence and tile programs, in several schedules, on random configurations of every feature."""

import pytest

from configs import FEATURES, random_config
import runner

TO_LINALG = "fa-lower-tiles,fa-lower-tile-memory"
STAGES = {
    "online": "fa-fuse-softmax,fa-decompose",
    "fa2": "fa-fuse-softmax,fa-tile{preset=fa2 query-tile=16 key-tile=16}," + TO_LINALG,
    "fa2-wide": "fa-fuse-softmax,fa-tile{preset=fa2 query-tile=8 key-tile=48 partial-sums=4}," + TO_LINALG,
    "fa2-odd": "fa-fuse-softmax,fa-tile{query-tile=24 key-tile=7}," + TO_LINALG,
    "fa1": "fa-fuse-softmax,fa-tile{preset=fa1 query-tile=16 key-tile=16}," + TO_LINALG,
    "fa1-odd": "fa-fuse-softmax,fa-tile{order=kv_outer query-tile=9 key-tile=20}," + TO_LINALG,
}
SEEDS = 20


def check(configs, passes, form="memref"):
    library = runner.compile_module("".join(c.mlir(form, f"attention_{c.seed}") for c in configs), passes)
    problems = []
    for config in configs:
        arrays = [a.storage() for a in config.arguments]
        runner.call(library, f"attention_{config.seed}", config.arguments, arrays, returns=form == "tensor")
        problems += [f"{config}: {p}" for p in config.check(arrays)]
    assert not problems, "\n".join(problems)


# Other seeds for other schedules: more configurations for the same time.
@pytest.mark.parametrize("number,name", list(enumerate(STAGES)), ids=list(STAGES))
def test_random(number, name):
    first = 1000 * (number + 1)
    configs = [random_config(seed) for seed in range(first, first + SEEDS)]
    if name == "online":
        # A sink for every packed sequence is refused there.
        configs = [c for c in configs if not (c.packed and c.argument("sinks") and "b" in c.argument("sinks").order)]
    check(configs, STAGES[name])


# From tensors, as models come: bufferized first, so that the program reads and writes the caller's memory, or last.
@pytest.mark.parametrize("first", [runner.BUFFERIZE + ",", ""], ids=["memrefs", "tensors"])
def test_tensors(first):
    check([random_config(seed) for seed in range(SEEDS)], first + STAGES["fa2"], "tensor")


def test_head_dims():
    sizes = dict(m=40, n=80, d=256, e=256)
    check([random_config(seed, sizes=sizes) for seed in range(8000, 8000 + SEEDS)], STAGES["fa2"])


def only(*features):
    """Everything but these is left out."""
    return [f for f in FEATURES if f not in features]


# Where tiles are empty, full or partial: long rows of small tiles.
@pytest.mark.parametrize("name", ["fa2", "fa2-odd", "fa1", "fa1-odd"])
def test_positions(name):
    features = only("causal", "window", "alignment", "key_lengths", "query_lengths", "packed", "offset", "base", "empty")
    sizes = dict(b=2, h=1, g=1, m=150, n=150, d=4, e=4)
    check([random_config(seed, features, sizes, ("f32", )) for seed in range(2 * SEEDS)], STAGES[name])
