#!/usr/bin/env bash
# Make every file of test/models again, then run each against its framework.
#
# usage: export.sh FOLDER
#   FOLDER    where the virtual environments go (about 3 GB)
#   MLIR_OPT  the mlir-opt of the project's LLVM (default: mlir-opt-22)
#   PYTHON    a Python 3.11 (default: python3), for which all wheels exist
set -euo pipefail

venvs=$(mkdir -p "${1:?usage: export.sh FOLDER}" && cd "$1" && pwd)
cd "$(dirname "$0")"
export JAX_PLATFORMS=cpu PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore

# Two environments: JAX and PyTorch pin different versions of shared packages.
install() {
  local name=$1
  shift
  "${PYTHON:-python3}" -m venv "$venvs/$name"
  "$venvs/$name/bin/pip" install -q "${@/#/-r}"
}
install torch requirements-{torch-mlir,onnx,check}.txt
install jax requirements-{jax,check}.txt
export TORCH_MLIR_OPT=$venvs/torch/bin/torch-mlir-opt
export IREE_OPT=$venvs/jax/bin/iree-opt

"$venvs/torch/bin/python" torch_mlir_export.py
"$venvs/torch/bin/python" onnx_export.py
"$venvs/jax/bin/python" jax_export.py

"$venvs/torch/bin/python" check_torch.py
"$venvs/torch/bin/python" check_onnx.py
"$venvs/jax/bin/python" check_jax.py
