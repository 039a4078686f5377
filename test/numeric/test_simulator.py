#===- test_simulator.py - random attentions, as machine programs of sm_90a --===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Masks, regions and lengths (NaN past them) on warp-specialised kernels, in the simulator, against the naive program.

FA_SIMULATOR_SEEDS=100:200 tests other configurations.
"""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import runner
from configs import random_config

FIRST, LAST = map(int, os.environ.get("FA_SIMULATOR_SEEDS", "0:24").split(":"))
#: What the fast path leaves to mma.sync, or the simulator does not run.
WITHOUT = ("f64", "softmax_f64", "mixed_types", "layouts", "whole_captures", "packed", "empty", "absent_dims")
SIZES = dict(b=2, h=2, g=2, m=150, n=230, d=64, e=64)
SCHEDULES = (
    "",
    "nc2",
    "nc3",
    "sm6",
    "consumers=2 key-tile=64 stages=2 dynamic=false",
    "consumers=3 key-tile=48 stages=3",
    "consumers=2 key-tile=64 stages=2 dynamic=false turns=true ahead=true query-slots=2",
    "consumers=3 key-tile=48 stages=2 turns=true",
    "overlap=false lazy=0",
)


def save(argument, path):
    array = argument.storage()
    np.save(path, array.view("V2") if argument.element == "bf16" else array)


def command(config, folder, schedule):
    (folder / "attention.mlir").write_text(config.mlir("memref"))
    words = [runner.fa_opt().parent / "fa-run", folder / "attention.mlir", "--target", "simulator", "--check"]
    words += ["--seed", str(config.seed), "--multiprocessors", str(1 + config.seed % 3)]
    words += ["--schedule", schedule] if schedule else []
    for i, argument in enumerate(config.arguments):
        if argument.is_scalar:
            words += ["--arg", str(argument.storage().item())]
            continue
        save(argument, folder / f"{i}.npy")
        words += ["--arg", f"@{folder / f'{i}.npy'}"]
    return words


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_random(seed, tmp_path):
    wanted = ("keep", ) if seed % 2 else ("key_lengths", )
    config = random_config(seed, WITHOUT, SIZES, ("bf16", "f16"), wanted, 8)
    words = command(config, pathlib.Path(tmp_path), SCHEDULES[seed // 2 % len(SCHEDULES)])
    process = subprocess.run(words, capture_output=True, text=True)
    if "the simulator runs kernels with roles only" in process.stderr:
        return  # mma.sync takes it
    assert process.returncode == 0, f"{config}\n{process.stdout}\n{process.stderr}"
