#===- test_programs_cpu.py - programs without attention on the CPU ----------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""What models have around attention goes through `--target cpu` and the reference, and both agree with numpy."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

from programs import PROGRAMS

ROOT = pathlib.Path(__file__).resolve().parents[2]
FA_RUN = pathlib.Path(os.environ.get("FA_BUILD", ROOT / "build/release")) / "bin/fa-run"


def tolerance(expected):
    return {2: 4e-3, 4: 5e-6, 8: 1e-12}[expected.dtype.itemsize]


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name, tmp_path):
    text, arrays, results = PROGRAMS[name]
    flags = []
    for i, array in enumerate(arrays):
        np.save(tmp_path / f"{i}.npy", array)
        flags += ["--arg", str(array) if np.ndim(array) == 0 else f"@{tmp_path}/{i}.npy"]
    for target in ["cpu", "reference"]:
        saved = [tmp_path / f"{target}-{i}.npy" for i in range(len(results))]
        process = subprocess.run([FA_RUN, "-", "--entry", name, "--target", target, *flags,
                                  *(f"--save={path}" for path in saved)], input=text, capture_output=True, text=True)
        assert process.returncode == 0, process.stderr
        for path, expected in zip(saved, results):
            got, expected = np.load(path), np.asarray(expected)
            assert got.shape == expected.shape, path
            if expected.dtype.kind != "f":
                np.testing.assert_array_equal(got, expected, str(path))
                continue
            limit = tolerance(got)
            np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), limit, limit, err_msg=str(path))
