#===- test_simulator_gradients.py - random gradients by roles, simulated ----===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Gradients of random attentions by the kernels with roles of sm_90a, with those that prepare and finish, in the simulator.

FA_SIMULATOR_SEEDS=100:200 tests other configurations.
"""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import runner
from backward import BackwardCase
from configs import random_config
from test_simulator import WITHOUT, save

FIRST, LAST = map(int, os.environ.get("FA_SIMULATOR_SEEDS", "0:12").split(":"))
SCHEDULES = ("", "gradient-packed-scores=0", "gradient-fold-delta=1 gradient-rows-ahead=2 gradient-score-steps=8",
             "gradient-key-steps=2 gradient-score-stages=1", "gradient-stages=2")
WIDE_SCHEDULES = ("", "gradient-packed-scores=0 gradient-weight-stages=1", "gradient-fold-delta=1 gradient-rows-ahead=2 gradient-score-steps=4",
                  "gradient-score-steps=0 gradient-late-scores=2", "gradient-stages=2 gradient-rows-ahead=0 gradient-delta-ahead=0")
PAIRED_SCHEDULES = ("", "gradient-late-scores=0 gradient-score-stages=1", "gradient-score-steps=2 gradient-weight-stages=1",
                    "gradient-score-steps=0 gradient-late-scores=2 gradient-packed-scores=0", "gradient-stages=2 gradient-score-stages=3")
#: Seeds with an even number have one of these in any case.
WANTED = ("softcap", "alibi", "causal", "score", "window", "keep")
#: What TMA cannot address is left out, and gradients of anything but query, key and value.
LEFT_OUT = (*WITHOUT, "head_dims")

#: Scores that are more than products.
NOT_PLAIN = ("alibi", "bias", "captures", "keep", "key_lengths", "mask", "query_lengths", "scale", "score", "sinks", "softcap")


class RolesCase(BackwardCase):

    def _shuffled(self, letters):
        return "".join(letters)

    def _dynamic(self, order):
        return tuple(True if x in "mn" else d for x, d in zip(order, super()._dynamic(order)))

    def _add_outputs(self, elements):
        super()._add_outputs(elements)
        self.differentiated, self.captures, self.outputs = self.differentiated[:3], [], self.outputs[:3]
        for of, output in zip(self.differentiated, self.outputs):
            output.element = of.element


def case_of(seed, keys=200):
    dim = (128, 64, 96, 64, 64)[seed % 5]
    sizes = dict(b=2, h=2, g=2, m=140, n=keys, d=dim, e=dim)
    wanted = () if seed % 2 else (WANTED[seed // 2 % len(WANTED)], )
    # What has queries and keys is for mma.sync.
    without = (*LEFT_OUT, "bias", "mask") if seed % 4 else LEFT_OUT
    config = random_config(seed, without, sizes, ("bf16", "f16"), wanted, dim)
    # Workspaces of static size do not hold whole tiles.
    for a in config.arguments:
        a.dynamic = tuple(x in "mn" or d for x, d in zip(a.order or "", a.dynamic)) or a.dynamic
    return RolesCase(config)


def static_case_of(seed):
    """As many keys as the type says, more than one tile of them: blocks' numbers are constants, also where they count down."""
    dims = ((64, 64), (128, 128), (192, 128), (192, 192))[seed % 4]
    sizes = dict(b=2, h=2, g=2, m=140, n=(330, 200)[seed // 2 % 2])
    wanted = (("causal", ), ("window", ), ("causal", "gqa"))[seed % 3]
    without = (*LEFT_OUT, *(NOT_PLAIN if dims[0] > 128 else ("bias", "mask")))
    config = random_config(seed, without, sizes, ("bf16", "f16"), wanted, dims=dims)
    for a in config.arguments:
        a.dynamic = tuple(x == "m" or (d and x != "n") for x, d in zip(a.order or "", a.dynamic)) or a.dynamic
    case = RolesCase(config)
    for a in case.arguments:
        a.dynamic = tuple(x == "m" or (d and x != "n") for x, d in zip(a.order or "", a.dynamic)) or a.dynamic
    return case


def wide_case_of(seed, keys=140):
    """By output: scores are plain."""
    dims = ((192, 192), (256, 256), (192, 128))[seed % 3]
    sizes = dict(b=2, h=2, g=2, m=140, n=keys)
    wanted = ((), ("causal", "gqa"), ("window", ))[seed // 3 % 3]
    config = random_config(seed, (*LEFT_OUT, *NOT_PLAIN), sizes, ("bf16", "f16"), wanted, dims=dims)
    for a in config.arguments:
        a.dynamic = tuple(x in "mn" or d for x, d in zip(a.order or "", a.dynamic)) or a.dynamic
    return RolesCase(config)


def paired_case_of(seed, keys=None):
    """Two blocks add up d_query together: odd and even numbers of key tiles, masks that hide one block's keys or all."""
    sizes = dict(b=1 + seed % 2, h=2 if keys else 1, g=2, m=(140, 65, 330)[seed % 3], n=keys or (130, 300, 64, 190, 390)[seed % 5])
    wanted = ((), ("causal", ), ("window", ), ("causal", ))[seed % 4]
    without = (*LEFT_OUT, *NOT_PLAIN, "absent_dims")
    config = random_config(seed, without, sizes, ("bf16", "f16"), wanted, dims=(192, 128))
    for a in config.arguments:
        a.dynamic = tuple(x in "mn" or d for x, d in zip(a.order or "", a.dynamic)) or a.dynamic
    return RolesCase(config)


def command(case, folder, schedule, seed=0, extra="", multiprocessors=2):
    (folder / "backward.mlir").write_text(case.mlir(extra=extra))
    words = [runner.fa_opt().parent / "fa-run", folder / "backward.mlir", "--target", "simulator"]
    words += ["--seed", str(case.config.seed + seed), "--schedule", f"gradients=roles {schedule}"]
    words += ["--multiprocessors", str(multiprocessors)]
    for i, argument in enumerate(case.arguments):
        if argument.is_scalar:
            words += ["--arg", str(argument.storage().item())]
            continue
        save(argument, folder / f"{i}.npy")
        words += ["--arg", f"@{folder / f'{i}.npy'}"]
    for output in case.outputs:
        words += ["--save", str(folder / f"{output.name}.npy")]
    return words


def load(path, element):
    array = np.load(path)
    return array.view(np.uint16) if element == "bf16" else array


def gradients_of(case, folder, *options):
    # A row that sees one key: all of dS is 0, but for the order of sums (docs/backward.md, "Errors").
    if not any(np.any(gradient) for gradient in case.expected[:2]):
        pytest.skip("nothing but rounding errors")
    process = subprocess.run(command(case, folder, *options), capture_output=True, text=True)
    if "the simulator runs kernels with roles only" in process.stderr:
        pytest.skip("mma.sync takes it")
    assert process.returncode == 0, f"{case.config}\n{process.stdout}\n{process.stderr}"
    arrays = [a.storage() for a in case.arguments]
    for output in case.outputs:
        arrays[case.arguments.index(output)] = load(folder / f"{output.name}.npy", output.element)
    assert not case.check(arrays), f"{case.config}"
    return [arrays[case.arguments.index(output)] for output in case.outputs]


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_random(seed, tmp_path):
    gradients_of(case_of(seed), pathlib.Path(tmp_path), SCHEDULES[seed // 3 % len(SCHEDULES)])


@pytest.mark.parametrize("seed", range(FIRST, FIRST + (LAST - FIRST) // 2))
def test_static(seed, tmp_path):
    gradients_of(static_case_of(seed), pathlib.Path(tmp_path), "")


@pytest.mark.parametrize("seed", range(FIRST, FIRST + (LAST - FIRST) // 4 * 3))
def test_wide(seed, tmp_path):
    schedule = f"gradient-cluster=1 {WIDE_SCHEDULES[seed // 2 % len(WIDE_SCHEDULES)]}"
    gradients_of(wide_case_of(seed), pathlib.Path(tmp_path), schedule)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + (LAST - FIRST) // 2))
def test_paired(seed, tmp_path):
    schedule = f"gradient-cluster=2 {PAIRED_SCHEDULES[seed // 2 % len(PAIRED_SCHEDULES)]}"
    gradients_of(paired_case_of(seed), pathlib.Path(tmp_path), schedule)


# Blocks that take several tiles, of several heads, and what they leave to the next tile: cursors, slots that outputs are in, numbers for the other
# block of a pair. With one multiprocessor there is one block, or one pair.
PERSISTENT = ((case_of, 600, 128, SCHEDULES, ""), (wide_case_of, 350, 64, WIDE_SCHEDULES, "gradient-cluster=1"),
              (paired_case_of, 700, 128, PAIRED_SCHEDULES, "gradient-cluster=2"))
PERSISTENT_SEEDS = range(FIRST + 3000, FIRST + 3000 + (LAST - FIRST) // 2)


def multiprocessors_of(seed):
    return (1, 2, 4)[seed % 3]


@pytest.mark.parametrize("seed", PERSISTENT_SEEDS)
@pytest.mark.parametrize("of, keys, of_tile, schedules, words", PERSISTENT)
def test_persistent(of, keys, of_tile, schedules, words, seed, tmp_path):
    words = f"gradient-persistent=1 {words} {schedules[seed // 2 % len(schedules)]}"
    gradients_of(of(seed, keys), pathlib.Path(tmp_path), words, 0, "", multiprocessors_of(seed))


@pytest.mark.parametrize("of, keys, of_tile, schedules, words", PERSISTENT)
def test_persistent_blocks_take_several_tiles(of, keys, of_tile, schedules, words):
    """Most of the cases above have more tiles than blocks, or pairs of blocks."""

    def takes_several(seed):
        extents = of(seed, keys).config.extents
        blocks = max(multiprocessors_of(seed) // 2, 1) if of is paired_case_of else multiprocessors_of(seed)
        return extents["b"] * extents["h"] * -(-extents["n"] // of_tile) > blocks

    assert 3 * sum(map(takes_several, PERSISTENT_SEEDS)) >= 2 * len(PERSISTENT_SEEDS)


@pytest.mark.parametrize("seed", range(FIRST + 4000, FIRST + 4000 + (LAST - FIRST) // 3))
@pytest.mark.parametrize("of", (case_of, wide_case_of, paired_case_of))
def test_not_persistent(of, seed, tmp_path):
    gradients_of(of(seed), pathlib.Path(tmp_path), "gradient-persistent=0 gradient-one-launch=0")


# Blocks that prepare and finish in the same launch.
ONE_LAUNCH = ("", " gradient-finish-lead=0", " gradient-finish-tiles=1 gradient-prepare-blocks=3 gradient-finish-lead=2")


@pytest.mark.parametrize("seed", range(FIRST + 2000, FIRST + 2000 + (LAST - FIRST) // 2))
@pytest.mark.parametrize("of", (case_of, wide_case_of))
def test_one_launch(of, seed, tmp_path):
    deterministic = ", deterministic" if of is case_of and seed % 3 == 0 else ""
    words = "gradient-one-launch=1" + ONE_LAUNCH[seed // 2 % 3]
    gradients_of(of(seed), pathlib.Path(tmp_path), words, 0, deterministic)


# Blocks come in another order, and whoever is next in a block, too; the simulator reports additions out of turn.
@pytest.mark.parametrize("seed", range(FIRST + 1000, FIRST + 1000 + (LAST - FIRST) // 2))
def test_deterministic(seed, tmp_path):
    case = case_of(seed, keys=700)
    first, second = (gradients_of(case, pathlib.Path(tmp_path), SCHEDULES[seed % len(SCHEDULES)], by, ", deterministic")
                     for by in (0, 1))
    assert all(np.array_equal(x, y) for x, y in zip(first, second))


def lengths_case_of(seed):
    """Keys end early in some batches, and a mask or window is there: blocks that see nothing, before those that do and behind them."""
    dim = (64, 96, 128)[seed % 3]
    wanted = ("key_lengths", ("causal", "window")[seed // 3 % 2])
    sizes = dict(b=3, h=1, g=3, m=(330, 65)[seed % 2], n=700, d=dim, e=dim)
    config = random_config(seed, (*LEFT_OUT, "bias", "mask", "score", "keep", "base", "offset"), sizes, ("bf16", "f16"), wanted, dim)
    for a in config.arguments:
        a.dynamic = tuple(x in "mn" or d for x, d in zip(a.order or "", a.dynamic)) or a.dynamic
    return RolesCase(config)


# Nobody waits for what never comes.
@pytest.mark.parametrize("seed", range(FIRST + 5000, FIRST + 5000 + (LAST - FIRST) // 2))
def test_deterministic_with_lengths(seed, tmp_path):
    gradients_of(lengths_case_of(seed), pathlib.Path(tmp_path), "", 0, ", deterministic", multiprocessors_of(seed))
