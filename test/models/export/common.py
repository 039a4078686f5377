"""Shared by the exporters: print a module as the project's LLVM reads it."""

import os
import pathlib
import subprocess

# The exporters carry newer MLIR than the project does. Every file passes
# through the stock tool of the project's LLVM, which parses, verifies and
# reprints it, so that a file which that LLVM cannot read is never written.
MLIR_OPT = os.environ.get("MLIR_OPT", "mlir-opt-22")
OUT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 60_000


def write(name, text, header, passes=()):
    """Run stock mlir-opt with `passes` over `text`, write OUT/name.mlir."""
    done = subprocess.run(
        [MLIR_OPT, *passes], input=text, text=True, capture_output=True
    )
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr[:2000]}")
    body = "".join(f"// {line}\n" for line in header) + "\n" + done.stdout
    if len(body) > LIMIT:
        raise SystemExit(f"{name}: {len(body)} bytes, the limit is {LIMIT}")
    (OUT / f"{name}.mlir").write_text(body.rstrip("\n") + "\n")
    print(f"{name}.mlir: {len(body)} bytes")
