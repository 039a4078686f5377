#===- test_models_cpu.py - the exported models through fa-run ---------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Each file of test/models on the CPU target: raised, tiled, run and compared with the program as it was exported."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FA_RUN = pathlib.Path(os.environ.get("FA_BUILD", ROOT / "build/release")) / "bin/fa-run"
MODELS = sorted((ROOT / "test/models").glob("*.mlir"))
#: What every dimension is that is only known at run time.
DYNAMIC = "16"


def arguments(text):
    """--arg flags for the first public function: data like what the models see."""
    signature = re.search(r"func\.func (?:public )?@\w+\((.*)", text).group(1)
    flags = []
    for match in re.finditer(r"%\w+: (?:tensor<([^>]*)>|(\w+))", signature.split("->")[0]):
        shape, scalar = match.groups()
        if scalar:
            flags += ["--arg", "1"]
            continue
        shape = shape.replace("?", DYNAMIC)
        # Integers and booleans are masks and positions.
        data = " range=0..1" if re.search(r"x?i\d+$", shape) else ""
        flags += ["--arg", f"shape={shape}{data}"]
    return flags


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_model(path):
    process = subprocess.run([FA_RUN, path, "--check", *arguments(path.read_text())], capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr
    assert "ok" in process.stdout
