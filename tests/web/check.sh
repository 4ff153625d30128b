#!/usr/bin/env bash
# The web APIs of a guest, compared with Node's: each tests/web/NAME.js prints with console.log what NAME.out holds.
#
#   tests/web/check.sh CORDON [NAME…]   runs them with this program, all or some
#   tests/web/check.sh --node [NAME…]   runs them with Node and says where it differs; with UPDATE=1 writes NAME.out
#
# NAME.out is what Node 24 prints (older ones differ in places; NODE names the program). Where Node is not the model (an older Node lacks something, its messages are its own),
# the program does not print it.
set -euo pipefail
cordon=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here"

printed_by_node() { "${NODE:-node}" --input-type=module <"$1.js" 2>&1; }
# Log lines come on standard error, with their level before them, or blanks where one call prints several.
printed_by_cordon() { "$cordon" run --timeout 20000 "$1.js" 2>&1 >/dev/null | sed -E 's/^(\[log\] |    )//'; }

failed=0
names=("$@")
if [ $# = 0 ]; then for file in *.js; do names+=("${file%.js}"); done; fi
for name in "${names[@]}"; do
  if [ "$cordon" = --node ]; then
    printed=$(printed_by_node "$name") || true
    if [ "${UPDATE:-}" = 1 ]; then echo "$printed" >"$name.out"; fi
  else
    printed=$(printed_by_cordon "$name") || true
  fi
  if ! diff -u --label "$name.out" --label "$name.js" "$name.out" <(echo "$printed"); then failed=1; fi
done
exit "$failed"
