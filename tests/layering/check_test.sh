#!/usr/bin/env bash
# The check itself: in a small tree that breaks each rule once, it names exactly those lines.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

put() { mkdir -p "$tree/$(dirname "$1")" && printf '%s\n' "${@:2}" >"$tree/$1"; }
printf '%s\n' 'base:' 'value: base' 'codec: value' 'sandbox: base' >"$tree/layers.txt"
put include/cordon/value.h '#include "cordon/result.h"'
put include/cordon/result.h '#include "cordon/export.h"'
put src/cordon/base/fine.cc '#include <vector>' '#include "cordon/result.h"'
put src/cordon/codec/json/fine.cc '#include "cordon/codec/json/decode.h"' \
  '#include "cordon/base/reader.h"' '#include "cordon/value.h"'
put src/cordon/sandbox/fine.cc '#include <wasmtime.h>' '#include "cordon/sandbox/wasmtime_error.h"'
put src/cordon/sandbox/wasmtime_error.h '#include <wasmtime.h>'
"$here/check.sh" "$tree" "$tree/layers.txt"

put include/cordon/result.h '#include "cordon/base/reader.h"'
put include/cordon/unlisted.h '#pragma once'
put src/cordon/base/wrong.cc '#include "cordon/value/value.h"' '#include "cordon/value.h"'
put src/cordon/sandbox/wrong.h '#include <wasmtime.h>' '#include "cordon/sandbox/wasmtime_error.h"'
put src/cordon/codec/wrong.h '#include "cordon/sandbox/store.h"' '#include <boost/asio.hpp>'
put src/cordon/stray/file.cc '#include <vector>'
if found=$("$here/check.sh" "$tree" "$tree/layers.txt"); then
  echo "the check passed a tree that breaks every rule" >&2
  exit 1
fi
diff -u - <(cut -d: -f1,2 <<<"$found") <<'END'
include/cordon/result.h:1
include/cordon/unlisted.h:1
src/cordon/base/wrong.cc:1
src/cordon/base/wrong.cc:2
src/cordon/codec/wrong.h:1
src/cordon/codec/wrong.h:2
src/cordon/sandbox/wrong.h:1
src/cordon/sandbox/wrong.h:2
src/cordon/stray/file.cc:1
END
