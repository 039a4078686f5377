#===- fuzz.py - mutated modules through parser, verifier and passes ---------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#
"""Mutates valid modules and sends them through fa-opt. Any error message is fine; a crash is not.

    fuzz.py [--seed N] [--cases N] [--long MINUTES] [--keep DIR]

A crash whose stack has a frame of ours fails; one inside the distribution's MLIR alone is only counted. Modules are
taken from the lit tests (each split, and in generic form) and from test/numeric/configs.py.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "numeric"))
import configs
import runner

#: What mutants go through. Passes that this fa-opt lacks are left out.
PIPELINES = [
    "", "canonicalize,cse", "fa-decompose", "fa-decompose,canonicalize", "fa-fuse-softmax",
    "fa-fuse-softmax,fa-decompose", runner.BUFFERIZE, f"{runner.BUFFERIZE},fa-decompose",
    f"{runner.BUFFERIZE},fa-fuse-softmax,fa-tile", f"{runner.BUFFERIZE},fa-fuse-softmax,fa-tile{{preset=fa1}}",
    f"{runner.BUFFERIZE},fa-fuse-softmax,fa-tile,fa-lower-tiles", "fa-raise-attention", "fa-derive-backward",
    "fa-derive-backward,fa-decompose", "fa-pipeline{target=cpu}", "fa-pipeline{target=sm_80 stop-after=nvvm}",
    "fa-pipeline{target=reference}",
    f"transform-preload-library{{transform-library-paths={HERE}/tile.mlir}},transform-interpreter"
]

NUMBERS = ["0", "1", "-1", "2", "3", "7", "64", "4294967296", "9223372036854775807", "-9223372036854775808", "?"]
ELEMENTS = ["f32", "f64", "f16", "bf16", "i1", "i32", "index", "i64", "f8E4M3FN", "complex<f32>", "tensor<f32>"]
LETTERS = list("bhgmnde")
TOKEN = re.compile(r"[%#@!]?[A-Za-z_][\w.$-]*|[%#@!]\d+|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\"[^\"]*\"|->|\s+|.", re.DOTALL)


class Mutator:
    """Edits the tokens of a text."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def mutate(self, text):
        tokens = TOKEN.findall(text)
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3, 5])):
            edit = self.random.choice([
                self.delete, self.duplicate, self.swap, self.number, self.number, self.element, self.element,
                self.value, self.letter, self.letter, self.span, self.dimension, self.dimension
            ])
            edit(tokens)
        return "".join(tokens)

    def pick(self, tokens, accept=lambda token: not token.isspace()):
        places = [i for i, token in enumerate(tokens) if accept(token)]
        return self.random.choice(places) if places else None

    def delete(self, tokens):
        if (i := self.pick(tokens)) is not None:
            tokens[i] = ""

    def duplicate(self, tokens):
        if (i := self.pick(tokens)) is not None:
            tokens[i] += " " + tokens[i]

    def swap(self, tokens):
        i, j = self.pick(tokens), self.pick(tokens)
        if i is not None:
            tokens[i], tokens[j] = tokens[j], tokens[i]

    def number(self, tokens):
        if (i := self.pick(tokens, lambda t: re.fullmatch(r"-?\d+(\.\d+.*)?", t))) is not None:
            tokens[i] = self.random.choice(NUMBERS)

    def element(self, tokens):
        if (i := self.pick(tokens, lambda t: re.search(r"(f32|f64|f16|i1|i32|index)$", t))) is not None:
            tokens[i] = re.sub(r"(bf16|f32|f64|f16|i1|i32|index)$", self.random.choice(ELEMENTS), tokens[i])

    def dimension(self, tokens):
        """A dimension of a shape; the lexer sees 4 and x8xf32."""
        if (i := self.pick(tokens, lambda t: re.match(r"x\d|\d+x", t))) is not None:
            tokens[i] = re.sub(r"\d+", lambda _: self.random.choice(NUMBERS[:7] + ["?"]), tokens[i], count=1)

    def value(self, tokens):
        if (i := self.pick(tokens, lambda t: t.startswith("%"))) is not None:
            j = self.pick(tokens, lambda t: t.startswith("%"))
            tokens[i] = tokens[j]

    def letter(self, tokens):
        if (i := self.pick(tokens, lambda t: t in LETTERS or re.fullmatch("d[0-6]", t))) is not None:
            tokens[i] = self.random.choice(LETTERS if tokens[i] in LETTERS else [f"d{n}" for n in range(8)])

    def span(self, tokens):
        """Deletes or repeats up to a line's worth."""
        if (i := self.pick(tokens)) is None:
            return
        length = self.random.randint(1, 20)
        piece = tokens[i:i + length]
        tokens[i:i + length] = [] if self.random.random() < 0.5 else piece + piece


def corpus():
    texts = []
    for path in sorted(HERE.parent.rglob("*.mlir")):
        if "models" in path.parts or path.parent == HERE:
            continue
        text = re.sub(r"//.*", "", path.read_text().replace("// -----", "\0"))
        texts += [part for part in text.split("\0") if "fa." in part and len(part) < 20000]
    for seed in range(60):
        config = configs.random_config(seed)
        texts += [config.mlir("memref"), config.mlir("tensor")]
    return texts


def generic_forms(texts):
    """The generic form of those that parse: mutants of it reach what the pretty syntax cannot say."""
    separated = "\n// -----\n".join(texts).encode()
    done = subprocess.run(
        [runner.fa_opt(), "-split-input-file", "-mlir-print-op-generic"], input=separated, capture_output=True)
    return [part for part in done.stdout.decode().split("// -----") if "fa." in part]


def available():
    """PIPELINES without those whose passes this fa-opt does not have."""
    known = subprocess.run([runner.fa_opt(), "--help"], capture_output=True, text=True).stdout
    has = lambda p: all(re.search(rf"--{name}[ =\n]", known) for name in re.findall(r"\bfa-[a-z0-9-]+", p))
    return [p for p in PIPELINES if has(p.replace(str(HERE), ""))]


def run(texts, pipeline, seconds=60):
    """(crashed, standard error) of one process over all texts."""
    command = [runner.fa_opt(), "-split-input-file", "-o", "/dev/null"]
    if pipeline:
        command.append(f"--pass-pipeline=builtin.module({pipeline})")
    try:
        done = subprocess.run(
            command, input="\n// -----\n".join(texts).encode(errors="replace"), capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return True, "fa:: did not end"
    return done.returncode < 0 or done.returncode > 2, done.stderr.decode(errors="replace")


def culprit(texts, pipeline):
    """The one text that crashes by itself, or None."""
    while len(texts) > 1:
        half = len(texts) // 2
        crashed = next((part for part in (texts[:half], texts[half:]) if run(part, pipeline)[0]), None)
        if crashed is None:
            return None
        texts = crashed
    return texts[0]


def is_ours(stack):
    """Whether a stack has a frame of ours. main is no frame of ours."""
    frames = [line for line in stack.splitlines() if re.match(r"\s*#\d+ ", line)]
    named = re.compile(r"\bfa::|/fa-opt\+0x|\b(lib|tools)/\S+\.(cpp|h):\d+")
    return any(named.search(f) and not re.search(r" main\b| _start\b", f) for f in frames) or "fa::" in stack


def frames_of(stack):
    return [line for line in stack.splitlines() if "fa::" in line or "Assertion" in line][:6]


def fuzz(seed, cases, minutes=0, keep=None, log=print):
    """Returns (cases run, crashes with our frames, upstream's own)."""
    texts = corpus()
    texts += generic_forms(texts)
    pipelines = available()
    mutator = Mutator(seed)
    deadline = time.monotonic() + 60 * minutes
    ran, ours, upstream, batch = 0, [], 0, 40
    while ran < cases or time.monotonic() < deadline:
        mutants = [mutator.mutate(mutator.random.choice(texts)) for _ in range(batch)]
        pipeline = mutator.random.choice(pipelines)
        ran += batch
        while mutants:
            crashed, _ = run(mutants, pipeline)
            text = culprit(list(mutants), pipeline) if crashed else None
            if text is None:
                break
            mutants.remove(text)
            stack = run([text], pipeline)[1]
            if not is_ours(stack):
                upstream += 1
                continue
            ours.append((pipeline, text, stack))
            log(f"crash in {pipeline or 'the verifier'}:\n" + "\n".join(frames_of(stack)))
            if keep:
                path = pathlib.Path(keep) / f"crash-{len(ours)}.mlir"
                path.write_text(f"// {pipeline}\n{text}")
    return ran, ours, upstream


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--long", type=float, default=0, metavar="MINUTES", help="go on for this long")
    parser.add_argument("--keep", help="folder for modules that crash")
    options = parser.parse_args()
    ran, ours, upstream = fuzz(options.seed, options.cases, options.long, options.keep)
    print(f"{ran} cases, {len(ours)} crashes with our frames, {upstream} inside MLIR alone")
    sys.exit(bool(ours))


if __name__ == "__main__":
    main()
