#!/usr/bin/env python3
#===- backward_many.py - gradients of many random configurations -------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""More of what test_backward.py does: test/numeric/backward_many.py [--first 10000] [--count 1000] [--way cpu ...]

Ways: the schedules of test_backward.py, and cpu (the whole pipeline). The same seeds draw the same problems. Prints one
line a failure, then the counts; exits with 1 if anything failed.
"""

import argparse
import sys

from backward import BackwardCase
from configs import random_config
from test_backward import SCHEDULES, problems_of

WAYS = {name: (passes, {}) for name, (_, passes) in SCHEDULES.items()}
WAYS["cpu"] = ("fa-pipeline{target=cpu}", {"lower": ""})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--way", nargs="+", default=list(WAYS), choices=list(WAYS))
    options = parser.parse_args()
    failed = 0
    end = options.first + options.count
    for number, first in enumerate(range(options.first, end, 8)):
        # One way after the other: each gets its share of the configurations.
        way = options.way[number % len(options.way)]
        passes, more = WAYS[way]
        seeds = range(first, min(first + 8, end))
        problems = problems_of({seed: BackwardCase(random_config(seed)) for seed in seeds}, passes, **more)
        for config, found in problems.items():
            print(f"FAIL {way}: {config}: {found}", flush=True)
        failed += len(problems)
    print(f"{options.count - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
