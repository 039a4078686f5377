"""usage: check_torch.py [name ...]    (see check.py)"""

import sys

import check
import ml_dtypes
import numpy as np
import torch
import torch_models
from torch_mlir_export import MODELS, TOSA_MODELS


def to_numpy(tensor):
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def to_torch(array):
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def run(name):
    module, examples, dynamic = getattr(torch_models, name)()
    generator = np.random.default_rng(0)
    args = []
    for i, example in enumerate(examples):
        shape = list(example.shape)
        for axis, dim in ((dynamic and dynamic[0][i]) or {}).items():
            shape[axis] = check.SIZES[dim.__name__]
        dtype = to_numpy(example).dtype
        args.append(check.random_like(shape, dtype, generator))
    with torch.no_grad():
        want = module(*map(to_torch, args))
    want = want if isinstance(want, tuple) else (want,)
    want = [to_numpy(w.contiguous()) for w in want]
    check.check(f"torch_{name}", name, args, want)
    if name in TOSA_MODELS:
        check.check(f"tosa_{name}", name, args, want)


if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        run(name)
