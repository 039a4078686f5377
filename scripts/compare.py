"""Compare two .npy files of one element type: compare.py A B LIMIT. Exit code 1 above LIMIT of the largest value."""

import sys

import ml_dtypes
import numpy as np


def load(path):
    array = np.load(path)
    # numpy has no name for bf16 and reads two bytes of anything.
    return (array.view(ml_dtypes.bfloat16) if array.dtype.kind == "V" else array).astype(np.float64)


def main():
    one, other = load(sys.argv[1]), load(sys.argv[2])
    difference = np.abs(one - other).max() / np.abs(one).max()
    print(f"largest difference: {difference:.1e} of the largest value, allowed {sys.argv[3]}")
    sys.exit(not difference <= float(sys.argv[3]))


if __name__ == "__main__":
    main()
