# Sourced by the other scripts: the repository's root, one PATH for all of them, and where things are.
# The tools are Debian's, whatever else comes first in the caller's PATH.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
venv=$root/build/venv
export PATH=$venv/bin:/usr/lib/llvm-22/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C.UTF-8

step() { printf '\n== %s\n' "$*"; }

# watched WHAT COMMAND...: runs the command, with a line of how long it takes every 15 seconds. The clock has no child that would
# keep the output open, and ends with the script.
watched() {
  local what=$1 start=$SECONDS clock status=0
  shift
  {
    exec {never}<> <(:)
    while ! read -rt "${watch_period:-15}" -u "$never" && kill -0 $$ 2>/dev/null; do
      printf ' [%s: %d s]\n' "$what" $((SECONDS - start))
    done
  } &
  clock=$!
  "$@" || status=$?
  kill $clock 2>/dev/null || true
  wait $clock 2>/dev/null || true
  return $status
}
