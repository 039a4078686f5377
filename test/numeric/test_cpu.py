#===- test_cpu.py - random attentions on the CPU target ---------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Every feature of fa.attention through `--fa-pipeline=target=cpu`, against numpy in float64.

FA_CPU_SEEDS=100:400 tests other configurations, FA_CPU_SCHEDULES="fa1;fa2" other schedules.
"""

import os

import configs
import pytest
import runner

FIRST, LAST = map(int, os.environ.get("FA_CPU_SEEDS", "0:48").split(":"))
SCHEDULES = os.environ.get("FA_CPU_SCHEDULES", "fa2;fa1;query-tile=32 key-tile=48").split(";")
#: Configurations in one module: compiling is most of the time.
CHUNK = 8


def check_seeds(seeds, schedule):
    chosen = [configs.random_config(seed) for seed in seeds]
    text = "\n".join(c.mlir(name=f"attention_{c.seed}") for c in chosen)
    library = runner.compile_module(text, f"fa-pipeline{{target=cpu schedule='{schedule}'}}", lower="")
    wrong = []
    for config in chosen:
        arrays = [argument.storage() for argument in config.arguments]
        runner.call(library, f"attention_{config.seed}", config.arguments, arrays)
        wrong += [f"seed {config.seed} {config.features}: {p}" for p in config.check(arrays)]
    return wrong


@pytest.mark.parametrize("first", range(FIRST, LAST, CHUNK))
def test_random(first):
    schedule = SCHEDULES[first // CHUNK % len(SCHEDULES)]
    wrong = check_seeds(range(first, min(first + CHUNK, LAST)), schedule)
    assert not wrong, f"schedule {schedule}:\n" + "\n".join(wrong)
