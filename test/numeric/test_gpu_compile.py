#===- test_gpu_compile.py - every feature becomes a kernel that assembles ---===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Random attention of every feature through fa-compile and ptxas. Nothing runs: what it computes, a GPU must say."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from configs import FEATURES, random_config
import runner

TOOL = runner.fa_opt().with_name("fa-compile")
PTXAS = shutil.which("ptxas", path=os.pathsep.join([str(runner.ROOT / "build/venv/bin"), os.environ["PATH"]]))
#: What tensor cores do not compute.
NOT_ON_GPU = ("f64", "softmax_f64")
SEEDS = 25
#: Functions that nobody links in; `vprintf` and the like would be such, too.
EXTERNAL = re.compile(r"__nv_\w+|\.extern\s+\.func[^;]*;")


def compile_for_gpu(text, folder, *options):
    """PTX of a module, assembled for the GPU, or what went wrong."""
    source = folder / "attention.mlir"
    source.write_text(text)
    command = [TOOL, source, "-o", folder, "--ptxas", PTXAS or "none", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return None, f"exit code {done.returncode}: {done.stderr[:600]}"
    ptx = (folder / "kernel.ptx").read_text()
    found = EXTERNAL.search(ptx)
    return ptx, f"calls {found[0]}" if found else None


def check(configs, folder, *options):
    problems = []
    for config in configs:
        _, problem = compile_for_gpu(config.mlir(), folder, *options)
        if problem:
            problems.append(f"{config}: {problem}")
    assert not problems, "\n".join(problems)


def config(seed, without=NOT_ON_GPU, sizes=None):
    return random_config(seed, without, sizes, ("bf16", "f16"))


@pytest.mark.parametrize("first", range(0, 4 * SEEDS, SEEDS))
def test_random(first, tmp_path):
    check([config(seed) for seed in range(first, first + SEEDS)], tmp_path)


# The tile sizes depend on the head dimensions.
def test_head_dims(tmp_path):
    sizes = dict(m=300, n=300, d=256, e=256)
    check([config(seed, sizes=sizes) for seed in range(1000, 1000 + SEEDS)], tmp_path)


def test_decode(tmp_path):
    check([config(seed, sizes=dict(m=1, n=500, g=8)) for seed in range(2000, 2010)], tmp_path)


@pytest.mark.parametrize("schedule", ["stages=2 query-tile=64 key-tile=32", "early-keys=true", "min-blocks=3"])
def test_schedules(schedule, tmp_path):
    check([config(seed) for seed in range(3000, 3008)], tmp_path, "--schedule", schedule)
