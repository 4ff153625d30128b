#!/usr/bin/env bash
# check_web_apis_test.sh CORDON: check_web_apis.py finds what is missing, and what is not there.
# shellcheck disable=SC2016 # the backquotes are those of Markdown
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refuses SED-SCRIPT SENTENCE: the document changed like that is wrong in that way.
refuses() {
  sed -E "$1" "$here/../../docs/web-apis.md" >"$work/changed.md"
  if "$here/check_web_apis.py" "$cordon" "$work/changed.md" >"$work/said"; then
    echo "nothing is said about: $1"
    exit 1
  fi
  if ! grep -q "$2" "$work/said"; then
    echo "after $1:"
    cat "$work/said"
    exit 1
  fi
}

cordon=$1
refuses '/^\| `Headers` /d' 'Headers is a global of a guest, but in no table'
refuses 's/^\| `Headers` /| `Heads` /' 'Heads is in a table, but no global'
refuses 's/^(\| `Headers` .*)`getSetCookie`, /\1/' 'Headers.getSetCookie is in a guest, but not'
refuses 's/^(\| `URL` \| )/\1`createObjectURL`, /' 'URL.createObjectURL is in its row, but not'
refuses 's/`WeakRef`/`WeakRef`, `Intl`/' 'Intl is in a table, but no global'
refuses 's/`WeakRef`, //' 'WeakRef is a global of a guest, but in no table'
