"""What the assembler makes of the main loops of sm_90a kernels: the instructions that the algorithm needs, and few others.

The tensor cores and the exponentials are the floor of a kernel's time; all else in the loop has to hide behind them.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys

import fa_mlir
import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "numeric"))

from gpu_kernels import gradients, gradients_without_groups  # noqa: E402

#: Schedule, head dimension, keys of a tile, causal, most instructions of the loop (3% above what they were when written).
LOOPS = [
    ("nc2", 128, 128, False, 506),
    ("nc3", 128, 80, False, 375),
    ("sm6", 128, 128, False, 506),
    ("sm6", 128, 128, True, 506),
    ("consumers=3 key-tile=128 stages=2", 64, 128, False, 459),
    ("consumers=2 key-tile=80 stages=2", 256, 80, False, 496),
]


def find_nvdisasm():
    nvidia = pytest.importorskip("nvidia", reason="no nvdisasm: the wheel nvidia-cuda-nvdisasm is not installed")
    for folder in nvidia.__path__:
        for package in sorted(os.listdir(folder)):
            tool = os.path.join(folder, package, "bin", "nvdisasm")
            if os.access(tool, os.X_OK):
                return tool
    pytest.skip("no nvdisasm: the wheel nvidia-cuda-nvdisasm is not installed")


def disassemble(cubin, path, section=".text.attention_kernel_tma:"):
    """Instructions of the warp-specialised kernel, and where its labels are."""
    path.write_bytes(cubin)
    text = subprocess.run([find_nvdisasm(), "-c", str(path)], capture_output=True, text=True, check=True).stdout
    kernel = re.split(r"\.section\s", text.split(section)[1])[0]
    code, labels = [], {}
    for line in kernel.splitlines():
        if label := re.match(r"(\.L_x_\d+):", line):
            labels[label[1]] = len(code)
        elif instruction := re.match(r"\s*(?:/\*\w+\*/)?\s*((?:@!?U?P\d+\s+)?[A-Z][A-Z0-9_.]*[^;]*);", line):
            code.append(instruction[1])
    return code, labels


def count(code):
    names = (re.sub(r"^@!?U?P\d+\s+", "", line).split()[0] for line in code)
    return collections.Counter(name if name.startswith("MUFU") else name.split(".")[0] for name in names)


def find_loops(code, labels):
    """Those that multiply, shortest first."""
    loops = []
    for at, line in enumerate(code):
        branch = re.search(r"BRA.*`\((\.L_x_\d+)\)", line)
        if branch and labels.get(branch[1], at + 1) <= at:
            body = code[labels[branch[1]] : at + 1]
            if count(body)["HGMMA"]:
                loops.append(body)
    return sorted(loops, key=len)


def find_main_loop(code, labels):
    """Of the loops that multiply and exponentiate the shortest: it has no masks."""
    return next(body for body in find_loops(code, labels) if count(body)["MUFU.EX2"] > 2)


def count_behind(body, name, last):
    """Instructions `name` behind the last `last`."""
    at = max(i for i, line in enumerate(body) if last in line)
    return count(body[at:])[name]


@pytest.mark.parametrize("schedule, head_dim, keys, causal, most", LOOPS)
def test_main_loop(schedule, head_dim, keys, causal, most, tmp_path):
    array = np.zeros((1, 1, 2, head_dim), dtype=np.float16)
    text = fa_mlir.attention_text(array, array, array, causal=causal)
    kernel = fa_mlir.compile(text, "sm_90a", schedule=schedule)
    assert "(C75" not in kernel.diagnostics
    code, labels = disassemble(kernel.cubin, tmp_path / "cubin")
    # Spilled registers; diagnostics speak of the fallback too.
    assert not {"STL", "LDL"} & set(count(code))
    body = find_main_loop(code, labels)
    loop = count(body)
    rows = 2  # of a thread
    needed = {
        "HGMMA": (head_dim + keys) // 16,
        "MUFU.EX2": keys // 2 + rows,
        "FFMA": keys // 2 + rows,
        # What the maxima grow by is compared before it is multiplied, where rescaling is lazy.
        "FADD": keys // 2 + (rows if schedule != "nc2" else 0),
        "F2FP": keys // 4,
        "SHFL": 2 * rows,
        "SYNCS": 4,
        # Consumers in turns.
        "BAR": 2 if schedule in ("nc2", "sm6") and not causal else 0,
    }
    assert {name: loop[name] for name in needed} == needed
    # The rescaling that is mostly skipped, and products of the maxima.
    assert loop["FMUL"] <= head_dim // 2 + 3 * rows
    assert loop["FMNMX"] <= keys // 2 + 4 * rows
    assert sum(loop.values()) <= most
    # Conversions and sums go between exponentials, and those of one row between the maxima of the other: what is left behind
    # the last one is a tail that nothing hides.
    assert count_behind(body, "F2FP", "MUFU.EX2") <= keys // 16
    if not causal:
        assert count_behind(body, "MUFU.EX2", "FMNMX") < keys // 2
    # In turns, exponentials do not wait for the product that is in flight beside them.
    if needed["BAR"]:
        assert count_behind(body, "MUFU.EX2", "WARPGROUP.DEPBAR") < needed["MUFU.EX2"] - keys // 8


#: Head dimension, attributes, whether the sums of dP start from -delta, most instructions of the loops of the two key warpgroups and
#: of d_query's, 3% above what they were when written.
GRADIENT_LOOPS = [(64, ("causal",), True, 284, 77), (128, (), True, 316, 116), (128, ("causal",), False, 325, 116)]


@pytest.mark.parametrize("head_dim, features, folds, most, most_of_query", GRADIENT_LOOPS)
def test_main_loops_of_gradients(head_dim, features, folds, most, most_of_query, tmp_path):
    kernel = fa_mlir.compile(gradients_without_groups(head_dim, "bf16", *features), "sm_90a", schedule="gradients=roles")
    assert "(C75" not in kernel.diagnostics
    code, labels = disassemble(kernel.cubin, tmp_path / "cubin", ".text.attention_kernel_1_tma:")
    body = find_main_loop(code, labels)
    loop = count(body)
    # Of a thread: 64 x 64 scores of a warpgroup's 128 threads.
    scores = 64 * 64 // 128
    needed = {
        # S and dP; d_key and d_value.
        "HGMMA": 2 * head_dim // 16 + 2 * 64 // 16,
        "MUFU.EX2": scores,
        "FFMA": scores,
        # P, dP - delta; they are multiplied in pairs.
        "F2FP": scores,
        "HMUL2": scores // 2,
        "FADD": 0 if folds else scores,
        # A pair of numbers of lse and of delta for 8 queries.
        "LDS": 16,
        "STSM": 4,
        "SYNCS": 6,
    }
    assert {name: loop[name] for name in needed} == needed
    assert sum(loop.values()) <= most
    assert not {"STL", "LDL"} & set(loop)
    # dS K, 64 columns at a time.
    query = count(next(body for body in find_loops(code, labels) if count(body)["REDG"]))
    assert query["HGMMA"] == 2 * 64 // 16 * (head_dim // 64)
    assert query["REDG"] == 64 * head_dim // 128 // 4
    assert not {"STL", "LDL"} & set(query)
    assert sum(query.values()) <= most_of_query


def test_too_many_registers():
    """The kernel would wait for them forever."""
    with pytest.raises(fa_mlir.Error, match="rule 1: the roles want"):
        fa_mlir.compile(gradients(128, "bf16", "causal"), "sm_90a", schedule="gradients=roles gradient-key-registers=232", ptxas="none")
