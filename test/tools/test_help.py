"""Each tool's --help has examples, and they work as they stand, pasted into a shell in the source tree."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("FA_BUILD", ROOT / "build/release"))
TOOLS = ("fa-opt", "fa-compile", "fa-run", "fa-simulate")


def examples(tool):
    done = subprocess.run([BUILD / "bin" / tool, "--help"], capture_output=True, text=True, check=True)
    block = re.search(r"^Examples.*:.*\n((?:  .*\n)+)", done.stdout, re.MULTILINE)
    assert block, done.stdout[:1000]
    commands = re.sub(r"\\\n\s*", "", block.group(1)).splitlines()
    assert len(commands) >= 2 and all(command.split()[0].startswith("fa-") for command in commands), commands
    return commands


@pytest.fixture
def tree(tmp_path):
    """What the examples read, where what they write is not among the sources."""
    for name in ("docs", "test"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


@pytest.mark.parametrize("tool", TOOLS)
def test_examples(tool, tree):
    environment = dict(os.environ, PATH=f"{BUILD / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for command in examples(tool):
        if "--target cuda" in command and not os.path.exists("/dev/nvidia0"):
            continue
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=tree, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        written = re.search(r" (?:-o|--save) (\S+)", command)
        assert not written or (tree / written.group(1)).exists(), command
