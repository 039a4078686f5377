"""Finds the package and the library of this build; the launcher gets a stand-in for the CUDA driver."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("FA_BUILD", ROOT / "build" / "release"))

sys.path.insert(0, str(ROOT / "python"))
os.environ["FA_MLIR_LIBRARY"] = str(BUILD / "lib" / "libfa_mlir.so")
os.environ["FA_CUDA_DRIVER"] = str(BUILD / "lib" / "libfake_cuda.so")
