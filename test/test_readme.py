"""Documents with commands: each prints what stands below it, and the Python example of README.md runs."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent
BUILD = pathlib.Path(os.environ.get("FA_BUILD", ROOT / "build/release"))


DOCUMENTS = ("README.md", "docs/backward.md")


def examples(document):
    blocks = re.findall(r"```sh\n(.*?)```\n```mlir\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    assert len(blocks) >= 4, document
    return blocks


@pytest.mark.parametrize("command, shown", [block for document in DOCUMENTS for block in examples(document)])
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


def test_python():
    """The example runs as it stands."""
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL).group(1)
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), FA_MLIR_LIBRARY=str(BUILD / "lib/libfa_mlir.so"))
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)
