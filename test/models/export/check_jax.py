"""usage: check_jax.py [name ...]    (see check.py)"""

import sys

import check
import jax
import jax.numpy as jnp
import numpy as np
from jax_export import MODELS


def run(fn):
    model, examples = fn()
    leaves, tree = jax.tree.flatten(examples)
    generator = np.random.default_rng(0)
    args = []
    for leaf in leaves:
        shape = [d if isinstance(d, int) else check.SIZES[str(d)] for d in leaf.shape]
        if leaf.dtype == np.int32:
            # Lengths of the sequences in a batch.
            args.append(generator.integers(1, 24, shape, np.int32))
        else:
            args.append(check.random_like(shape, leaf.dtype, generator))
    inputs = args
    if any(leaf.dtype == np.float16 for leaf in leaves):
        # JAX has no float16 dot_general for the CPU.
        inputs = [a.astype(np.float32) if a.dtype == np.float16 else a for a in args]
    want = np.asarray(model(*jax.tree.unflatten(tree, map(jnp.asarray, inputs))))
    if inputs is not args:
        want = want.astype(np.float16)
    check.check(f"jax_{fn.__name__}", fn.__name__, args, [want])


if __name__ == "__main__":
    for fn in MODELS:
        if fn.__name__ in sys.argv[1:] or not sys.argv[1:]:
            run(fn)
