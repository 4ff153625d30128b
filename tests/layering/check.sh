#!/usr/bin/env bash
# check.sh TREE LAYERS: reads the #include lines of src/cordon/ and include/cordon/ against the
# dependencies that the layers declare (LAYERS: a line "codec: value base" a layer, written by
# CMake). Prints what is wrong, a line each, and fails.
set -euo pipefail
rules=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
layers=$(realpath "$2")
cd "$1"
find src/cordon include/cordon -name '*.h' -o -name '*.cc' -o -name '*.c' | LC_ALL=C sort |
  xargs -d '\n' awk -f "$rules/check.awk" "$layers" "$rules/public_headers.txt"
