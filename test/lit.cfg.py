"""How lit runs the tests. Tools and folders reach a test by substitution only."""

import os

import lit.formats

config.name = "FA"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.fa_source, "test")
config.test_exec_root = os.path.join(config.fa_build, "test")

# Debian's tools, and ptxas of the venv before any other.
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.fa_venv, "bin"), config.llvm_tools, "/usr/bin", "/bin"]
)
config.environment["FA_BUILD"] = config.fa_build
if config.fa_sanitize:
    config.available_features.add("sanitize")
    # LLVM's shared library and the JIT hold on to memory until exit, and its allocators take memory that ours have poisoned.
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0:detect_stack_use_after_return=0:allow_user_poisoning=0"
    config.environment["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"

for tool in ("fa-opt", "fa-compile", "fa-run", "fa-simulate", "fa-explain", "fa-lsp-server"):
    path = os.path.join(config.fa_build, "bin", tool)
    config.substitutions.append((f"%{tool}", path))
for tool in ("mlir-opt", "mlir-runner", "mlir-translate", "mlir-tblgen"):
    config.substitutions.append((f"%{tool}", os.path.join(config.llvm_tools, tool)))
config.substitutions += [
    ("%python", os.path.join(config.fa_venv, "bin", "python")),
    ("%clangxx", os.path.join(config.llvm_tools, "clang++")),
    ("%fa_source", config.fa_source),
    ("%fa_build", config.fa_build),
    ("%fa_lib", os.path.join(config.fa_build, "lib")),
    ("%models", os.path.join(config.test_source_root, "models")),
    ("%mlir_lib", config.mlir_lib),
]
