#===- test_gpu_resources.py - default kernels keep everything in registers ---===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""What ptxas says of the kernels that the default schedules give: nothing may be spilled.

As a program, prints the whole table: test_gpu_resources.py [--head-dims 64 128] [--processors sm_80 sm_90] [--types bf16]
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import pytest

from gpu_kernels import FEATURES, attention
from test_gpu_compile import PTXAS, TOOL

HEAD_DIMS = (16, 32, 64, 96, 128, 160, 192, 256)
PROCESSORS = ("sm_80", "sm_89", "sm_90", "sm_100", "sm_120")
#: Each has been a spill of some schedule; the rest of the table is for the program.
TESTED = [(64, "bias"), (64, "mask"), (96, "bias"), (128, "full"), (128, "causal+lse"), (128, "softcap"), (128, "bias"),
          (256, "bias")]


def compile_to_ptx(text, folder, *options):
    source = folder / "attention.mlir"
    source.write_text(text)
    subprocess.run([TOOL, source, "-o", folder, "--ptxas", "none", *options], check=True)
    return folder / "kernel.ptx"


def resources(ptx, processor):
    """(registers, bytes spilled) of the kernel."""
    command = [PTXAS, "-v", f"-arch={processor}", ptx, "-o", "/dev/null"]
    log = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    spilled = re.findall(r"(\d+) bytes spill (?:stores|loads)", log)
    return int(re.search(r"Used (\d+) registers", log)[1]), sum(map(int, spilled))


@pytest.mark.skipif(not PTXAS, reason="there is no ptxas")
@pytest.mark.parametrize("head_dim, feature", TESTED)
def test_no_spills(head_dim, feature, tmp_path):
    ptx = compile_to_ptx(attention(head_dim, "bf16", *FEATURES[feature]), tmp_path)
    assert {name: resources(ptx, name)[1] for name in ("sm_80", "sm_90")} == {"sm_80": 0, "sm_90": 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--head-dims", type=int, nargs="+", default=HEAD_DIMS)
    parser.add_argument("--processors", nargs="+", default=PROCESSORS)
    parser.add_argument("--types", nargs="+", default=["bf16"])
    parser.add_argument("--features", nargs="+", default=list(FEATURES))
    parser.add_argument("--schedule")
    args = parser.parse_args()
    options = ["--schedule", args.schedule] if args.schedule else []
    print("| | " + " | ".join(args.processors) + " |\n|" + "---|" * (1 + len(args.processors)))
    spills = 0
    with tempfile.TemporaryDirectory() as folder:
        for head_dim in args.head_dims:
            for element in args.types:
                for feature in args.features:
                    text = attention(head_dim, element, *FEATURES[feature])
                    ptx = compile_to_ptx(text, pathlib.Path(folder), *options)
                    cells = []
                    for processor in args.processors:
                        registers, spilled = resources(ptx, processor)
                        cells.append(f"{registers}" + (f", **{spilled} bytes spilled**" if spilled else ""))
                        spills += spilled > 0
                    print(f"| {head_dim} {element} {feature} | " + " | ".join(cells) + " |", flush=True)
    print(f"{spills} kernels with spills")
    return 1 if spills else 0


if __name__ == "__main__":
    sys.exit(main())
