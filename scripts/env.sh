# Sourced by the other scripts: the repository's root, one PATH for all of them, and where things are.
# The tools are Debian's, whatever else comes first in the caller's PATH.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
venv=$root/build/venv
export PATH=$venv/bin:/usr/lib/llvm-22/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C.UTF-8

step() { printf '\n== %s\n' "$*"; }
