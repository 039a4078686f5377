#!/usr/bin/env python3
"""Cycles of attention kernels by Nsight Compute, which the clock of a chip at its power limit does not shift.

    python bench/gpu/cycles.py --set d128 --only fa cuDNN
    python bench/gpu/cycles.py --cell "b4 h16 s4096 d128 causal" --json cycles.json

One launch per cell and candidate (all kernels of one call are added up), each in a process of its own under ncu, which must be on PATH.
"ideal" is what the tensor cores alone would take, at 4096 16-bit operations per multiprocessor and cycle.
"""

import argparse
import csv
import io
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "gpu")]

import cells as cells_module  # noqa: E402
import report  # noqa: E402

CYCLES = "sm__cycles_elapsed.max"
TENSOR = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"
ISSUED = "sm__inst_issued.avg.pct_of_peak_sustained_elapsed"
OPERATIONS = 4096
NCU = ["ncu", "--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none", "--csv"]


def parse_arguments():
    sets = cells_module.sets()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", default=[], choices=sorted(sets), help="cells that belong together; may be repeated")
    parser.add_argument("--cell", action="append", default=[], help=cells_module.parse.__doc__.replace("%", "%%"))
    parser.add_argument("--only", nargs="+", default=["fa", "cuDNN"], help="names of candidates")
    parser.add_argument("--json")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        options.cells = [cell for name in options.set for cell in sets[name]] + list(map(cells_module.parse, options.cell))
    except ValueError as error:
        parser.error(str(error))
    if not options.cells:
        parser.error("say --set or --cell")
    return options


def run_inside(options):
    """The process under ncu: one call between start and stop."""
    import peers
    import torch

    problem = peers.Problem(options.cells[0], "cuda")
    call = peers.prepare(peers.all_peers()[options.only[0]], problem)
    call()
    torch.cuda.synchronize()
    torch.cuda.profiler.start()
    call()
    torch.cuda.synchronize()
    torch.cuda.profiler.stop()


def read_metrics(text):
    """Of ncu's CSV, every kernel's metrics, in the order of their launches."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    kernels = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        kernel = kernels.setdefault(row["ID"], {"name": row["Kernel Name"].split("(")[0]})
        kernel[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    return list(kernels.values())


def measure(cell, candidate):
    """Metrics of one call, or the reason why there are none."""
    command = [*NCU, "--metrics", ",".join((CYCLES, TENSOR, ISSUED)), sys.executable, __file__, "--inside", "--cell", str(cell), "--only", candidate]
    process = subprocess.run(command, capture_output=True, text=True)
    kernels = read_metrics(process.stdout)
    if process.returncode or not kernels:
        words = (process.stderr or process.stdout).strip().splitlines()
        return {"absent": words[-1][:200] if words else "no kernel ran"}
    cycles = sum(kernel[CYCLES] for kernel in kernels)
    # Weighted by how long each kernel takes.
    share = {name: sum(k[name] * k[CYCLES] for k in kernels) / cycles for name in (TENSOR, ISSUED)}
    return {"cycles": cycles, "tensor_percent": share[TENSOR], "issued_percent": share[ISSUED], "kernels": [k["name"] for k in kernels]}


def main():
    options = parse_arguments()
    if options.inside:
        return run_inside(options)
    if not shutil.which("ncu"):
        sys.exit("cycles.py: Nsight Compute's ncu is not on PATH")
    import torch

    if not torch.cuda.is_available():
        sys.exit("cycles.py: there is no GPU")
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    rows = []
    for cell in options.cells:
        ideal = cell.flops() / (processors * OPERATIONS)
        row = {"cell": str(cell), "ideal": ideal, "candidates": {name: measure(cell, name) for name in options.only}}
        rows.append(row)
        words = []
        for name, m in row["candidates"].items():
            words.append(f"{name} {m['absent']}" if "absent" in m else f"{name} {m['cycles'] / 1e3:.0f}k ({ideal / m['cycles']:.2f} of ideal, issues {m['issued_percent']:.0f}%)")
        print(f"{cell}: ideal {ideal / 1e3:.0f}k  " + "  ".join(words), flush=True)
        if options.json:
            report.write_json(options.json, {"command": report.command(), "device": torch.cuda.get_device_name()}, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
