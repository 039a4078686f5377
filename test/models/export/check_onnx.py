"""usage: check_onnx.py [name ...]    (see check.py)"""

import sys

import check
import numpy as np
from onnx import helper
from onnx.reference import ReferenceEvaluator
from onnx_export import MODELS


def run(fn):
    model = fn()
    generator = np.random.default_rng(0)
    args = {}
    for value in model.graph.input:
        kind = value.type.tensor_type
        shape = [
            check.SIZES[d.dim_param] if d.dim_param else d.dim_value
            for d in kind.shape.dim
        ]
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        args[value.name] = check.random_like(shape, dtype, generator)
    want = ReferenceEvaluator(model).run(None, args)
    check.check(f"onnx_{fn.__name__}", fn.__name__, list(args.values()), want)


if __name__ == "__main__":
    for fn in MODELS:
        if fn.__name__ in sys.argv[1:] or not sys.argv[1:]:
            run(fn)
