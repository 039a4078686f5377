"""docs/backward.md: each command prints what stands below it."""

import os
import pathlib
import re
import shlex
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent
BUILD = pathlib.Path(os.environ.get("FA_BUILD", ROOT / "build/release"))


def examples():
    text = (ROOT / "docs/backward.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```\n```mlir\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 4
    return blocks


@pytest.mark.parametrize("command, shown", examples())
def test_example(command, shown):
    tool, *arguments = shlex.split(command)
    done = subprocess.run([BUILD / "bin" / tool, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = " ".join(done.stdout.split())
    # Each line is a piece of the output; the pieces come in this order, with anything between them.
    for piece in re.split(r"\.\.\.|\n", shown):
        piece = " ".join(piece.split())
        at = printed.find(piece)
        assert at >= 0, f"not printed here: {piece}\n{printed}"
        printed = printed[at + len(piece) :]
