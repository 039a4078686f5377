"""Add up JUnit XML files and print the one line that ends scripts/test.

Usage: summary.py FAILED FILE...    FAILED: 1 if a test runner failed
"""

import sys
import xml.etree.ElementTree as ElementTree


def count(path):
    """Return (passed, failed, skipped) of one file."""
    total = failed = skipped = 0
    for case in ElementTree.parse(path).iter("testcase"):
        total += 1
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None:
            skipped += 1
    return total - failed - skipped, failed, skipped


def main():
    runner_failed = sys.argv[1] != "0"
    sums = [0, 0, 0]
    for path in sys.argv[2:]:
        try:
            counts = count(path)
        except (OSError, ElementTree.ParseError) as error:
            print(f"no results: {error}")
            counts = (0, 1, 0)
        sums = [x + y for x, y in zip(sums, counts)]
    if sums[0] == 0 or (runner_failed and sums[1] == 0):
        # A runner that broke down, or ran nothing, has not passed.
        sums[1] += 1
    print("{} passed, {} failed, {} skipped".format(*sums))
    sys.exit(sums[1] != 0)


if __name__ == "__main__":
    main()
