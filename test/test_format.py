"""Every C++ file is formatted by clang-format."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).parent.parent


def test_clang_format():
    files = subprocess.run(
        ["git", "ls-files", "*.cpp", "*.h", "*.c"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert files
    done = subprocess.run(
        ["clang-format", "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True
    )
    wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", done.stderr, re.MULTILINE)))
    assert not wrong, "run clang-format-22 -i on these"
    assert done.returncode == 0, done.stderr
