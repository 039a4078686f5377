"""Generated documents are up to date, and the examples in op descriptions parse."""

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent
BUILD = pathlib.Path(os.environ.get("FA_BUILD", ROOT / "build/release"))
FA_OPT = BUILD / "tools/fa-opt/fa-opt"


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


def split_types(text):
    """The leading comma-separated types of text, up to what closes the list."""
    types, depth, start = [], 0, 0
    for i, c in enumerate(text + ")"):
        if c in "<([":
            depth += 1
        elif c in ">)]" and text[i - 1 : i + 1] != "->":
            depth -= 1
        if depth < 0 or (depth == 0 and c == ","):
            types.append(text[start:i].strip())
            start = i + 1
        if depth < 0:
            break
    return types


def argument_types(body):
    """A type for each value that an example uses and does not define: what a list `%a, %b : t, u` says, or index."""
    defined = set(re.findall(r"(%\w+)(?::\d+)?(?:, %\w+)* =", body)) | set(re.findall(r"\^bb\d+\((%\w+)", body))
    types = {}
    for match in re.finditer(r"((?:%\w+(?:#\d+)?, )*%\w+(?:#\d+)?) : (?=\S)", body):
        names = match.group(1).split(", ")
        for name, type in zip(names, split_types(body[match.end() :])):
            types.setdefault(name, type)
    # Tiles: `load_tile %m[...] ... : memref -> tensor`, `store_tile %t, %m[...] ... : tensor, memref`.
    for match in re.finditer(r"_tile ((?:%\w+, )?)(%\w+)\[.*?\}\s*: (.*?)(?:$| ->)", body, re.DOTALL | re.MULTILINE):
        listed = split_types(match.group(3))
        names = [n for n in (match.group(1).strip(", "), match.group(2)) if n]
        types.update(zip(names, listed))
    used = dict.fromkeys(re.findall(r"%\w+", body))
    return {name: types.get(name, "index") for name in used if name not in defined}


def module(example):
    """An example as a module: aliases first, its ops in a function, an attribute on one."""
    if "func.func" in example or "module" in example or ".kernel @" in example:
        return example
    lines = [line.strip() for line in example.splitlines()]
    aliases = [line for line in lines if re.match(r"#\w+ = ", line)]
    body = "\n".join(line for line in lines if line not in aliases)
    if body.startswith(("#", "!")):
        return f"func.func private @example() attributes {{x = {body}}}"
    arguments = ", ".join(f"{name}: {type}" for name, type in argument_types(body).items())
    return "\n".join([*aliases, f"func.func @example({arguments}) {{", body, "return", "}"])


@pytest.mark.parametrize("example", list(examples()))
def test_example_parses(example):
    text = module(example)
    done = subprocess.run([FA_OPT, "-"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, f"{text}\n{done.stderr}"
