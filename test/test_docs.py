"""Generated documents are up to date, and the examples in op descriptions parse."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent
BUILD = pathlib.Path(os.environ.get("FA_BUILD", ROOT / "build/release"))
FA_OPT = BUILD / "bin/fa-opt"


def test_reference_is_up_to_date(tmp_path):
    subprocess.run([ROOT / "scripts/docs", tmp_path], check=True)
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_text() for path in (ROOT / "docs/reference").iterdir()}
    stale = sorted(name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name))
    assert not stale, "run scripts/docs and commit docs/reference"


def examples():
    """(file:line, text) of every mlir block in a .td file."""
    for path in sorted((ROOT / "include").rglob("*.td")):
        text = path.read_text()
        for match in re.finditer(r"```mlir\n(.*?)```", text, re.DOTALL):
            line = text[: match.start()].count("\n") + 1
            yield pytest.param(match.group(1), id=f"{path.name}:{line}")


def module(example, types):
    """An example as a module: aliases first, its ops in a function, an attribute on one."""
    if "func.func" in example or "module" in example or ".kernel @" in example:
        return example
    lines = [line.strip() for line in example.splitlines()]
    aliases = [line for line in lines if re.match(r"[#!]\w+ = ", line)]
    body = "\n".join(line for line in lines if line not in aliases)
    if re.match(r"[#!]\w", body):
        return "\n".join([*aliases, f"func.func private @example() attributes {{x = {body.strip()}}}"])
    results = re.findall(r"^((?:%\w+(?::\d+)?(?:, )?)+) = ", body, re.MULTILINE)
    blocks = re.findall(r"\^bb\d+\((.*?)\):", body)
    defined = set(re.findall(r"%\w+", " ".join(results + blocks)))
    names = dict.fromkeys(name for name in re.findall(r"%\w+", body) if name not in defined)
    arguments = ", ".join(f"{name}: {types.get(name, 'index')}" for name in names)
    return "\n".join([*aliases, f"func.func @example({arguments}) {{", body, "return", "}"])


@pytest.mark.parametrize("example", list(examples()))
def test_example_parses(example):
    # What an example does not define is an argument. Its type is what the parser says that it expects.
    types = {}
    for _ in range(30):
        text = module(example, types)
        done = subprocess.run([FA_OPT, "-"], input=text, capture_output=True, text=True)
        wrong = re.search(r"use of value '(%\w+)' expects different type than prior uses: '(.*)' vs 'index'", done.stderr)
        if not wrong or wrong.group(1) in types:
            break
        types[wrong.group(1)] = wrong.group(2)
    assert done.returncode == 0, f"{text}\n{done.stderr}"


@pytest.mark.parametrize("target", ["cpu", "sm_80", "sm_90a"])
def test_schedules_are_documented(target):
    """docs/schedules.md has a row for every word that a target says it has."""
    done = subprocess.run([FA_OPT, f"--fa-pipeline=target={target} schedule=none"], input="", capture_output=True, text=True)
    known = re.search(r"there are (.*)", done.stderr).group(1)
    page = (ROOT / "docs/schedules.md").read_text()
    rows = {word for line in page.splitlines() for word in re.findall(r"`([\w-]+)[^`]*`", line.split("|")[1] if "|" in line else "")}
    words = re.findall(r"([\w-]+)(?:=|\.\.\.|,)", known.split("(an option")[0].replace(" (by itself)", ""))
    assert words and not {word.rstrip("-") for word in words} - {row.rstrip("-") for row in rows} - {"preset"}
