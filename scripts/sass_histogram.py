#!/usr/bin/env python3
"""What the main loop of a kernel is made of: counts of machine instructions by kind.

    python scripts/sass_histogram.py kernel.cubin [--against other.cubin --within 0.03]

The main loop is the innermost loop with the most HGMMA (without tensor cores: FFMA). Needs nvdisasm, on PATH or of the
wheel nvidia-cuda-nvdisasm. With --against the exit code is 1 if a count differs by more than the fraction
(and more than one instruction).
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

KINDS = ["HGMMA", "MUFU.EX2", "FFMA", "FMUL", "FADD", "FMNMX", "SHFL", "F2FP", "SYNCS", "BAR", "VOTE", "R2UR", "MOV"]
INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]+)\*/\s+(?:\{\s*)?(@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)(.*)$")
LABEL = re.compile(r"^(\.L_x?_?\w+):")


def find_nvdisasm():
    for folder in [p for p in map(pathlib.Path, sys.path) if p.is_dir()]:
        for path in folder.glob("nvidia/*/bin/nvdisasm"):
            return str(path)
    path = shutil.which("nvdisasm")
    if not path:
        raise SystemExit("sass_histogram: no nvdisasm: pip install nvidia-cuda-nvdisasm")
    return path


def instructions(cubin):
    """(predicate, opcode, operands) of the code in order, and where labels point."""
    command = [find_nvdisasm(), "--print-code", str(cubin)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    code, labels = [], {}
    for line in text.splitlines():
        label = LABEL.match(line)
        if label:
            labels[label.group(1)] = len(code)
        match = INSTRUCTION.match(line)
        if match:
            code.append((match.group(2), match.group(3), match.group(4)))
    return code, labels


def successors(code, labels):
    """Where control may go from each instruction."""
    edges = []
    for at, (predicate, opcode, operands) in enumerate(code):
        target = re.search(r"`\((\.L\w+)\)", operands)
        jumps = opcode.startswith("BRA") and target and target.group(1) in labels
        ends = opcode.startswith(("BRA", "EXIT", "RET", "BRX"))
        following = [at + 1] if at + 1 < len(code) and (predicate or not ends) else []
        edges.append(following + ([labels[target.group(1)]] if jumps else []))
    return edges


def loops(code, labels):
    """The instructions of the natural loop of every branch backwards."""
    edges = successors(code, labels)
    before = collections.defaultdict(list)
    for at, following in enumerate(edges):
        for to in following:
            before[to].append(at)
    for at, following in enumerate(edges):
        for head in (to for to in following if to <= at):
            body, work = {head, at}, [at]
            while work:
                for previous in before[work.pop()]:
                    if previous not in body:
                        body.add(previous)
                        work.append(previous)
            yield frozenset(body)


def kind_of(opcode):
    return next((k for k in KINDS if opcode == k or opcode.startswith(k + ".")), None)


def histogram(cubin):
    code, labels = instructions(cubin)

    def count(body):
        counts = collections.Counter(kind_of(code[at][1]) for at in body)
        counts["all"] = len(body)
        return counts

    found = {body: count(body) for body in loops(code, labels)}
    engine = "HGMMA" if any(counts["HGMMA"] for counts in found.values()) else "FFMA"
    working = {body: counts for body, counts in found.items() if counts[engine]}
    if not working:
        raise SystemExit(f"sass_histogram: no loop that computes in {cubin}")

    def is_innermost(body):
        return not any(other < body for other in working)

    main_loop = max(filter(is_innermost, working), key=lambda body: working[body][engine])
    counts = working[main_loop]
    return {kind: counts[kind] for kind in KINDS + ["all"] if counts[kind]}


def differences(ours, theirs, within, kinds):
    for kind in kinds:
        a, b = ours.get(kind, 0), theirs.get(kind, 0)
        if abs(a - b) > max(1, within * b):
            yield f"{kind}: {a}, against {b}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cubin")
    parser.add_argument("--against")
    parser.add_argument("--within", type=float, default=0.03)
    parser.add_argument("--kinds", nargs="+", default="HGMMA MUFU.EX2 FFMA FMUL SHFL F2FP SYNCS BAR".split())
    options = parser.parse_args()
    ours = histogram(options.cubin)
    print(json.dumps(ours))
    if options.against:
        theirs = histogram(options.against) if options.against.endswith("cubin") else json.load(open(options.against))
        print(json.dumps(theirs))
        found = list(differences(ours, theirs, options.within, options.kinds))
        for line in found:
            print(line)
        raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
