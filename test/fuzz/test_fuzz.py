"""The fuzzer's smoke form."""

import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import fuzz


def test_no_crash_of_ours():
    ran, ours, _ = fuzz.fuzz(seed=1, cases=2000)
    assert ran >= 2000
    assert not ours, ours[0][1] + "\n" + ours[0][2][:4000]
