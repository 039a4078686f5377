"""What the scripts share."""

import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).parent.parent


def run(body):
    start = time.monotonic()
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f". scripts/env.sh\nwatch_period=0.3\n{body}"],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    return done, time.monotonic() - start


def test_long_steps_are_not_silent():
    done, _ = run("watched work bash -c 'sleep 1.5; echo made'")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines.count("made") == 1, done
    # Whole seconds: the first may be over at any time.
    said = [line for line in lines if re.fullmatch(r" \[work: [0-9]+ s\]", line)]
    assert len(said) >= 2 and len(said) + 1 == len(lines), done


def test_short_steps_are():
    done, _ = run("watch_period=30; watched work echo made")
    assert done.stdout == "made\n" and done.stderr == "" and done.returncode == 0


def test_status_and_end():
    """The status is the command's; nothing holds the output open."""
    done, seconds = run("watch_period=30; watched work bash -c 'exit 7' || echo status $?")
    assert done.stdout == "status 7\n" and seconds < 20
    done, _ = run("watched work false; echo never")
    assert done.returncode == 1 and "never" not in done.stdout
