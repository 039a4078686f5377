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


def build_consumer(build, *where):
    """MLIR is not named: the package knows which one it was built with."""
    run("cmake", "-G", "Ninja", "-S", ROOT / "test/Package/Inputs", "-B", build, *where,
        "-DCMAKE_CXX_COMPILER=/usr/bin/clang++-22", "-DCMAKE_C_COMPILER=/usr/bin/clang-22",
        "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld")
    run("cmake", "--build", build)
    assert run(build / "consumer") == "decomposed\n"


def test_install_tree(tmp_path):
    prefix = tmp_path / "prefix"
    run("cmake", "--install", BUILD, "--prefix", prefix)
    for tool in ("fa-opt", "fa-compile", "fa-run", "fa-simulate"):
        assert "LLVM version" in run(prefix / "bin" / tool, "--version")
    build_consumer(tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")


def test_build_tree(tmp_path):
    build_consumer(tmp_path / "build", f"-DFA_DIR={BUILD}")
