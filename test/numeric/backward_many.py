#!/usr/bin/env python3
#===- backward_many.py - gradients of many random configurations -------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""More of what test_backward.py does: test/numeric/backward_many.py [--first 10000] [--count 1000] [--way cpu ...] [--jobs 16]

Ways: the schedules of test_backward.py, and cpu (the whole pipeline). The same seeds draw the same problems. Prints one
line a failure, then the counts; exits with 1 if anything failed.
"""

import argparse
import concurrent.futures
import sys

from backward import BackwardCase
from configs import random_config
from test_backward import SCHEDULES, problems_of

WAYS = {name: (passes, {}) for name, (_, passes) in SCHEDULES.items()}
WAYS["cpu"] = ("fa-pipeline{target=cpu}", {"lower": ""})


def check(way, seeds):
    """Problems by configuration, as text."""
    passes, more = WAYS[way]
    try:
        problems = problems_of({seed: BackwardCase(random_config(seed)) for seed in seeds}, passes, **more)
    except Exception as error:  # one module's failure is that of its configurations
        return [f"FAIL {way}: seed {seed}: {type(error).__name__}: {str(error)[:500]}" for seed in seeds]
    return [f"FAIL {way}: {config}: {found}" for config, found in problems.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--way", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    failed = 0
    end = options.first + options.count
    # One way after the other: each gets its share of the configurations.
    ways, blocks = [], []
    for number, first in enumerate(range(options.first, end, 8)):
        ways.append(options.way[number % len(options.way)])
        blocks.append(range(first, min(first + 8, end)))
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for failures in pool.map(check, ways, blocks):
            failed += len(failures)
            for line in failures:
                print(line, flush=True)
    print(f"{options.count - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
