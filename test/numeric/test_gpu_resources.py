#===- test_gpu_resources.py - default kernels keep everything in registers ---===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""What ptxas says of the kernels that the default schedules give: nothing may be spilled.

As a program, prints the whole table: test_gpu_resources.py [--head-dims 64 128] [--processors sm_80 sm_90] [--types bf16]
[--gradients]; of gradients the registers of every kernel.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import pytest

from gpu_kernels import FEATURES, GRADIENTS, ROLES, attention, gradients, gradients_without_groups
from test_gpu_compile import PTXAS, TOOL

HEAD_DIMS = (16, 32, 64, 96, 128, 160, 192, 256)
PROCESSORS = ("sm_80", "sm_89", "sm_90", "sm_100", "sm_120")
#: Each has been a spill of some schedule; the rest of the table is for the program.
TESTED = [(64, "bias"), (64, "mask"), (96, "bias"), (128, "full"), (128, "causal+lse"), (128, "softcap"), (128, "bias"),
          (256, "bias")]
#: By roles at head dimension 128, a few bytes outside of the loop over full tiles: score regions in the last tile, the producer of
#: sums in one order once per query head of a key head.
SPILL = {
    gradients_without_groups: ("score", "causal score"),
    gradients: ("score", "causal score", "one order", "causal in one order"),
}
SPILLS = 160
TESTED_GRADIENTS = [(64, "full"), (64, "causal"), (128, "full"), (128, "causal")]


def compile_to_ptx(text, folder, *options):
    source = folder / "attention.mlir"
    source.write_text(text)
    subprocess.run([TOOL, source, "-o", folder, "--ptxas", "none", *options], check=True)
    return folder / "kernel.ptx"


def resources(ptx, processor):
    """(registers, bytes spilled) of every kernel."""
    command = [PTXAS, "-v", f"-arch={processor}", ptx, "-o", "/dev/null"]
    log = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return [(int(used), int(stored) + int(loaded)) for stored, loaded, used in re.findall(
        r"(\d+) bytes spill stores, (\d+) bytes spill loads\s*\n.*?Used (\d+) registers", log)]


def spills(ptx):
    return {name: sum(spilled for _, spilled in resources(ptx, name)) for name in ("sm_80", "sm_90")}


@pytest.mark.skipif(not PTXAS, reason="there is no ptxas")
@pytest.mark.parametrize("head_dim, feature", TESTED)
def test_no_spills(head_dim, feature, tmp_path):
    ptx = compile_to_ptx(attention(head_dim, "bf16", *FEATURES[feature]), tmp_path)
    assert spills(ptx) == {"sm_80": 0, "sm_90": 0}


@pytest.mark.skipif(not PTXAS, reason="there is no ptxas")
@pytest.mark.parametrize("element", ["bf16", "f16"])
@pytest.mark.parametrize("head_dim, feature", TESTED_GRADIENTS)
def test_spills_of_gradients(head_dim, feature, element, tmp_path):
    """From head dimension 65 on tiles that spill a little are faster than smaller ones (--fa-choose-gpu-schedule)."""
    ptx = compile_to_ptx(gradients(head_dim, element, *GRADIENTS[feature]), tmp_path)
    assert spills(ptx)["sm_90"] <= (0 if head_dim <= 64 else 250)


def check_roles(text, folder, schedule="", most=0):
    """No more bytes of spills in the kernel with roles, nor may ptxas say that it makes wgmma wait."""
    ptx = compile_to_ptx(text, folder, "--target", "sm_90a", *(["--schedule", schedule] if schedule else []))
    log = subprocess.run([PTXAS, "-v", "-arch=sm_90a", ptx, "-o", "/dev/null"], capture_output=True, text=True, check=True).stderr
    [bytes] = re.findall(r"Function properties for \w+_tma\n.* (\d+) bytes spill stores, (\d+) bytes spill loads", log)
    assert all(int(number) <= most for number in bytes)
    assert not re.search(r"C75\d\d", log)


@pytest.mark.skipif(not PTXAS, reason="there is no ptxas")
@pytest.mark.parametrize("make, element", [(gradients_without_groups, "bf16"), (gradients_without_groups, "f16"), (gradients, "bf16")])
@pytest.mark.parametrize("feature", ["full", "causal"])
@pytest.mark.parametrize("head_dim", [64, 96, 128, 192, 256])
def test_no_spills_with_roles(head_dim, feature, element, make, tmp_path):
    check_roles(make(head_dim, element, *GRADIENTS[feature]), tmp_path)


@pytest.mark.skipif(not PTXAS, reason="there is no ptxas")
@pytest.mark.parametrize("element", ["bf16", "f16"])
@pytest.mark.parametrize("feature", ["full", "causal"])
@pytest.mark.parametrize("head_dim", [64, 96])
def test_no_spills_of_single_tiles(head_dim, feature, element, tmp_path):
    check_roles(gradients_without_groups(head_dim, element, *GRADIENTS[feature]), tmp_path, "gradient-persistent=0")


@pytest.mark.skipif(not PTXAS, reason="there is no ptxas")
@pytest.mark.parametrize("make", [gradients_without_groups, gradients])
@pytest.mark.parametrize("feature", [feature for feature in ROLES if feature not in ("full", "causal")])
def test_no_spills_with_features(feature, make, tmp_path):
    """Head dimension 128 is where 128 registers of 208 are sums."""
    check_roles(make(128, "bf16", *ROLES[feature]), tmp_path, most=SPILLS if feature in SPILL.get(make, ()) else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--head-dims", type=int, nargs="+", default=HEAD_DIMS)
    parser.add_argument("--processors", nargs="+", default=PROCESSORS)
    parser.add_argument("--types", nargs="+", default=["bf16"])
    parser.add_argument("--features", nargs="+")
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--schedule")
    args = parser.parse_args()
    make, features = (gradients, GRADIENTS) if args.gradients else (attention, FEATURES)
    options = ["--schedule", args.schedule] if args.schedule else []
    print("| | " + " | ".join(args.processors) + " |\n|" + "---|" * (1 + len(args.processors)))
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for head_dim in args.head_dims:
            for element in args.types:
                for feature in args.features or features:
                    text = make(head_dim, element, *features[feature])
                    ptx = compile_to_ptx(text, pathlib.Path(folder), *options)
                    cells = []
                    for processor in args.processors:
                        kernels = resources(ptx, processor)
                        cells.append("; ".join(f"{used}, **{bytes} bytes spilled**" if bytes else f"{used}" for used, bytes in kernels))
                        bad += sum(bytes > 0 for _, bytes in kernels)
                    print(f"| {head_dim} {element} {feature} | " + " | ".join(cells) + " |", flush=True)
    print(f"{bad} kernels with spills")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
