#!/usr/bin/env python3
"""All that is claimed of gradients on a GPU, in one run of many processes.

    python bench/gpu/check_gradients.py --out FOLDER [--parts gpu cpu sanitize speed] [--workers 16]

| part | what |
|---|---|
| gpu | check_backward.py: 320 random problems of the default schedule, 80 with d-query=atomic, 80 deterministic, 10 problems 200 times over NaN; check_programs.py --backward: 120 random programs |
| cpu | check_backward.py --device cpu: 1008 random problems; --mutate: what the bound finds |
| sanitize | sanitize.py --gradients: memcheck and racecheck |
| speed | check_backward.py --speed beside FlashAttention-2, after all else, alone |

The output of each process goes to FOLDER, the sums to standard output and FOLDER/summary.json. Exits with 1 if anything failed. On an
H200 and 16 cores about six minutes.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def backward(count, seeds, *options):
    return [["check_backward.py", "--count", str(count), "--seed", str(seed), *options] for seed in seeds]


def programs(count, shards):
    return [["check_programs.py", "--backward", "--count", str(count), "--seed", "0", "--shard", f"{i}/{shards}"] for i in range(shards)]


#: Part -> kind -> commands. The longest first.
PARTS = {
    "sanitize": {
        "memcheck": [["sanitize.py", "--gradients", "--tools", "memcheck"]],
        "racecheck": [["sanitize.py", "--gradients", "--tools", "racecheck"]],
    },
    "gpu": {
        "repeats": backward(5, (91, 92), "--repeats", "200"),
        "programs": programs(120, 6),
        "default": backward(20, range(61, 77)),
        "atomic": backward(20, range(81, 85), "--schedule", "d-query=atomic", "--max-head-dim", "128"),
        "deterministic": backward(20, range(85, 89), "--schedule", "d-query=atomic", "--deterministic"),
    },
    "cpu": {
        "cpu": backward(42, range(201, 225), "--device", "cpu"),
        "mutations": backward(25, (101, 102), "--device", "cpu", "--mutate"),
    },
}
SPEED = ["check_backward.py", "--count", "0", "--speed"]


def run(command, log, timeout):
    start = time.time()
    with open(log, "w") as output:
        try:
            environment = {**os.environ, "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1"}
            code = subprocess.run([sys.executable, HERE / command[0], *command[1:]], stdout=output, stderr=subprocess.STDOUT,
                                  timeout=timeout, env=environment).returncode
        except subprocess.TimeoutExpired:
            code = -1
    return code, time.time() - start


def sums(text):
    """Passed, refused, failed: the last line of a check."""
    found = re.findall(r"^(\d+) passed, (\d+) refused, (\d+) failed", text, re.MULTILINE)
    return tuple(map(int, found[-1])) if found else None


def summarise(kind, results, folder):
    """One row: what its processes say, and how many of them did not end as they should."""
    total, bad = [0, 0, 0], 0
    for log, code, _ in results:
        text = (folder / log).read_text()
        counted = sums(text)
        bad += code not in (0, 1) or (code == 1 and counted is None) or (counted is None and "clean" not in text)
        total = [a + b for a, b in zip(total, counted or (0, 0, 0))]
        for line in text.splitlines():
            if line.startswith(("FAIL", "refused")) or "found in" in line or "clean" in line or "FAILED" in line:
                print(f"  {kind}: {line[:400]}")
    row = dict(kind=kind, passed=total[0], refused=total[1], failed=total[2], bad_processes=bad, seconds=max(s for *_, s in results))
    print("CHECK " + " ".join(f"{name} {value:.0f}" if name == "seconds" else f"{name} {value}" for name, value in row.items()), flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--parts", nargs="+", default=[*PARTS, "speed"], choices=[*PARTS, "speed"])
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=480, help="seconds of one process")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    pending = []
    with concurrent.futures.ThreadPoolExecutor(args.workers) as pool:
        for part in PARTS:
            for kind, commands in PARTS[part].items() if part in args.parts else ():
                jobs = []
                for i, command in enumerate(commands):
                    log = f"{kind}-{i}.log"
                    jobs.append((log, pool.submit(run, command, args.out / log, args.timeout)))
                pending.append((kind, jobs))
    rows = [summarise(kind, [(log, *job.result()) for log, job in jobs], args.out) for kind, jobs in pending]
    if "speed" in args.parts:
        code, _ = run([*SPEED, "--json", str(args.out / "speed.json")], args.out / "speed.log", args.timeout)
        print((args.out / "speed.log").read_text())
        rows.append(dict(kind="speed", bad_processes=int(code != 0), failed=0))
    (args.out / "summary.json").write_text(json.dumps(rows, indent=1))
    return 1 if any(row["failed"] or row["bad_processes"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
