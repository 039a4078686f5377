#!/usr/bin/env python3
"""Check and time fa_mlir.attention beside every other attention that is installed, in one run, on random data.

    python bench/gpu/bench.py                                          # H*D = 2048, B*S = 16384, all head dimensions
    python bench/gpu/bench.py --set named --json out.json --plot out.png
    python bench/gpu/bench.py --cell "b2 h32/8 s8192 d128 causal" --cell "b128 h16 s128 d64" --rounds 9
    python bench/gpu/bench.py --set d128 --only fa cuDNN --host-time

Every candidate's results are compared with float64 on a sample of rows (twice the error of the naive computation in the same
type is allowed, as in reference.py); one that is wrong is reported and not timed, and if it is ours the exit code is 1. Then all run in
rounds, in an order drawn anew each round, each with its own warm-up; the figure is the median over the rounds of each round's
median. FLOPs: 2*B*H*Sq*Sk*(D+E), half for square causal problems, what is visible for windows; see cells.py.
"""

import argparse
import os
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "gpu")]

import cells as cells_module  # noqa: E402
import report  # noqa: E402
from clock import DeviceClock, HostClock, host_time, measure  # noqa: E402


def parse_arguments(arguments=None):
    sets = cells_module.sets()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", default=[], choices=sorted(sets), help="cells that belong together; may be repeated")
    parser.add_argument("--cell", action="append", default=[], help=cells_module.parse.__doc__.replace("%", "%%"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", help="names of candidates")
    parser.add_argument("--skip", nargs="+", default=[], help="names of candidates")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-check", action="store_true", help="time only")
    parser.add_argument("--check-only", action="store_true")
    parser.add_argument("--host-time", action="store_true", help="also the host's time per call, on a small problem")
    parser.add_argument("--memory", action="store_true", help="also the most memory that a call takes, beside its inputs")
    parser.add_argument("--json")
    parser.add_argument("--plot", help="an image file; needs matplotlib")
    parser.add_argument("--list", action="store_true", help="print the cells and end")
    options = parser.parse_args(arguments)
    try:
        options.cells = [cell for name in options.set for cell in sets[name]] + list(map(cells_module.parse, options.cell))
    except ValueError as error:
        parser.error(str(error))
    options.cells = options.cells or sets["table"]
    return options


def reason_of(error):
    text = str(error).strip()
    return text.splitlines()[0][:200] if text else type(error).__name__


def choose_peers(options):
    import peers

    known = peers.all_peers()
    unknown = [name for name in (options.only or []) + options.skip if name not in known]
    if unknown:
        raise SystemExit(f"no candidate '{unknown[0]}'; there are {', '.join(known)}")
    return {name: peer for name, peer in known.items() if (not options.only or name in options.only) and name not in options.skip}


def repeats_for(cell, device):
    """Calls per round: some 20 ms of a fast GPU."""
    return max(3, min(200, int(0.02 / (cell.flops() / 400e12)))) if device == "cuda" else 3


def prepare_all(problem, candidates, options):
    """name -> (call, clock) of those that can and are right; name -> reason of the others."""
    import check_sample
    import peers
    import torch

    clock = DeviceClock(torch) if options.device == "cuda" else HostClock()
    ready, absent = {}, {}
    truth = None
    for name, candidate in candidates.items():
        try:
            call = peers.prepare(candidate, problem)
            own_clock = HostClock(call.wait) if hasattr(call, "wait") else clock
            out = call()
            own_clock.synchronize()
            out = call.read() if hasattr(call, "read") else out
        except Exception as error:  # not installed, cannot, out of memory ...: not this candidate
            absent[name] = reason_of(error)
            continue
        if not options.no_check:
            truth = truth or check_sample.Truth(problem)
            wrong = truth.violations(out)
            if wrong:
                absent[name] = "WRONG: " + "; ".join(wrong)
                continue
        ready[name] = call, own_clock
    return ready, absent


def run_cell(cell, candidates, options, rng, ours, baseline):
    import peers

    problem = peers.Problem(cell, options.device, options.seed)
    ready, absent = prepare_all(problem, candidates, options)
    times = {}
    if ready and not options.check_only:
        times = measure(ready, options.rounds, repeats_for(cell, options.device), rng)
    row = report.make_row(cell, times, baseline, ours, absent)
    if ours in ready:
        row["kernel"] = describe_kernel(ready[ours][0])
    print(report.format_row(row, ours) if times else f"{cell}: checked {', '.join(ready)}", flush=True)
    if options.memory and options.device == "cuda":
        row["memory_mib"] = {name: peak_memory(call) for name, (call, _) in ready.items()}
        print("  peak memory, MiB: " + "  ".join(f"{name} {value:.1f}" for name, value in row["memory_mib"].items()), flush=True)
    for name, reason in absent.items():
        if reason.startswith("WRONG"):
            print(f"  {name}: {reason}", flush=True)
    return row


def peak_memory(call):
    """MiB of torch's allocator, outputs included."""
    import torch

    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call()
    torch.cuda.synchronize()
    return (torch.cuda.max_memory_allocated() - before) / 2**20


def describe_kernel(call):
    """What our last launch was."""
    import fa_mlir

    call()
    return " ".join(fa_mlir.last_launched())


def describe_run(options):
    import torch

    import fa_mlir

    info = {"command": report.command(), "torch": torch.__version__, "rounds": options.rounds}
    if options.device == "cuda":
        info.update(
            device=torch.cuda.get_device_name(), cuda=torch.version.cuda, cudnn=torch.backends.cudnn.version(),
            fa=fa_mlir.__version__, fa_target=os.environ.get("FA_TARGET", "auto"),
        )  # fmt: skip
    return info


def measure_host_time(candidates, options):
    """name -> microseconds per call of a problem that the device does at once."""
    import peers
    import torch

    problem = peers.Problem(cells_module.parse("b1 h4 s128 d128 causal"), options.device)
    result = {}
    synchronize = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    for name, candidate in candidates.items():
        try:
            call = peers.prepare(candidate, problem)
            if hasattr(call, "wait"):
                continue
            call()
            result[name] = host_time(call, synchronize)
        except Exception:  # as in prepare_all
            continue
    print("host, us per call: " + "  ".join(f"{name} {value:.1f}" for name, value in result.items()), flush=True)
    return result


def main():
    options = parse_arguments()
    if options.list:
        print("\n".join(map(str, options.cells)))
        return 0
    import peers

    rng = random.Random(options.seed)
    candidates = choose_peers(options)
    info = describe_run(options)
    rows, reported = [], set()
    if options.host_time:
        info["host_us"] = measure_host_time(candidates, options)
    for cell in options.cells:
        row = run_cell(cell, candidates, options, rng, peers.OURS, peers.BASELINE)
        for name, reason in row["absent"].items():
            if name not in reported and not reason.startswith("WRONG"):
                reported.add(name)
                print(f"  {name}: absent ({reason})", flush=True)
        rows.append(row)
        if options.json:  # after every cell: a run that is cut short has its results
            report.write_json(options.json, info, rows)
    print("\n" + report.format_table(rows, peers.OURS))
    if options.plot and not report.plot(options.plot, rows, peers.OURS, info.get("device", "CPU")):
        print("no plot: it needs matplotlib, and problems at more than one length")
    bad = [name for row in rows for name, reason in row["absent"].items() if name.startswith(peers.OURS) and reason.startswith("WRONG")]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
