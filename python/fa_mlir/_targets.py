"""Which target a kernel is compiled for.

"auto" is the best that the device has and the program allows: the warp-specialised kernels of sm_90a on an H100 or H200, and
the kernels of sm_80, which run on every later processor, elsewhere or where sm_90a refuses the program. The environment
variable FA_TARGET, read at import, replaces "auto".
"""

import os

from . import _kernel
from ._library import Error, last_error, lib

DEFAULT = os.environ.get("FA_TARGET") or "auto"

# Processors whose own target is tried before sm_80.
_OWN_TARGETS = {90: "sm_90a"}


def get_capability(device):
    capability = lib.fa_device_capability(device)
    if capability < 0:
        raise Error(last_error())
    return capability


def list_candidates(target, capability):
    """Targets to try in order, for a device of this capability."""
    if target != "auto":
        return (target,)
    own = _OWN_TARGETS.get(capability)
    return (own, "sm_80") if own else ("sm_80",)


def compile_for(text, target, capability, **options):
    """The kernel of the first target that takes the program. `choice` says why it is that one."""
    candidates = list_candidates(target, capability)
    refusals = []
    for candidate in candidates:
        try:
            kernel = _compile_one(text, candidate, capability, options)
        except Error as error:
            if candidate == candidates[-1]:
                raise
            refusals.append(f"{candidate} refused the program: {_first_error(error)}")
            continue
        why = f"on a device of capability {capability / 10:.1f}" if target == "auto" else "as asked for"
        kernel.choice = "; ".join([f"{candidate} {why}", *refusals, *_remarks(kernel.diagnostics)])
        return kernel


def _remarks(diagnostics):
    """What the compiler says of a kernel that could be a faster one."""
    found = [line.split("remark: ", 1)[1] for line in diagnostics.splitlines() if "remark: this kernel " in line]
    return list(dict.fromkeys(found))


def _first_error(error):
    lines = str(error).splitlines()
    return next((line for line in lines if "error: " in line), lines[0] if lines else "")


def _compile_one(text, target, capability, options):
    # Machine code for the device itself; targets such as sm_90a are one processor's.
    assemble_for = None if target[-1] in "af" else f"sm_{capability}"
    try:
        return _kernel.compile(text, target, assemble_for=assemble_for, **options)
    except Error as error:
        # An assembler that is older than the device: the driver has a newer one.
        if "gpu-name" not in str(error):
            raise
        return _kernel.compile(text, target, **{**options, "ptxas": "none"})
