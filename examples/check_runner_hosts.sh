#!/usr/bin/env bash
# check_runner_hosts.sh TREE BIN: the hosts of docs/execbox.md are the files of examples/runner/, and they work with the
# program in BIN.
set -euo pipefail
cd "$1"
PATH=$(realpath "$2"):$PATH

shown() { awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } /^```$/ { on = 0 } on' docs/execbox.md; }
diff -u <(shown js) examples/runner/host.mjs
diff -u <(shown python) examples/runner/host.py

diff -u <(echo "true 42 [ 'asking' ]") <(node examples/runner/host.mjs)
diff -u <(echo "True 42 ['asking']") <(python3 examples/runner/host.py)
