"""The install tree is complete: a project that only knows find_package(FA) builds and runs."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).parent.parent.parent
BUILD = pathlib.Path(os.environ.get("FA_BUILD", ROOT / "build/release"))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_find_package(tmp_path):
    prefix, build = tmp_path / "prefix", tmp_path / "build"
    run("cmake", "--install", BUILD, "--prefix", prefix)
    assert (prefix / "bin/fa-opt").exists()
    run("cmake", "-G", "Ninja", "-S", ROOT / "test/Package/Inputs", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DMLIR_DIR=/usr/lib/llvm-22/lib/cmake/mlir", "-DCMAKE_CXX_COMPILER=/usr/bin/clang++-22",
        "-DCMAKE_C_COMPILER=/usr/bin/clang-22", "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld")
    run("cmake", "--build", build)
    assert run(build / "consumer") == "decomposed\n"
