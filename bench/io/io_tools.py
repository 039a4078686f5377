#===- io_tools.py - counting programs, made and run --------------------------===#
#
# Part of FA, under the Apache License v2.0 with LLVM Exceptions.
#
#===------------------------------------------------------------------------===#

import os
import pathlib
import struct
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ.get("FA_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build/release")) / "bin"


def fa_opt(*arguments, text):
    process = subprocess.run([BUILD / "fa-opt", *arguments], input=text, capture_output=True, text=True)
    if process.returncode:
        sys.exit(process.stderr)
    return process.stdout


def count(module, shapes):
    """(loaded, stored, allocated) of one run on arrays of these shapes."""
    with tempfile.NamedTemporaryFile(suffix=".npy") as file:
        command = [BUILD / "fa-run", "-", "--save", file.name]
        for shape in shapes:
            command += ["--arg", f"shape={'x'.join(map(str, shape))} values=0"]
        command += ["--arg", "shape=3 values=-1"]
        process = subprocess.run(command, input=module, capture_output=True, text=True)
        if process.returncode:
            sys.exit(process.stderr)
        return struct.unpack("<3q", pathlib.Path(file.name).read_bytes()[-24:])
