#!/usr/bin/env bash
# charts_test.sh TREE: the charts show the figures of docs/benchmarks.md, and the check sees it where they do not.
set -euo pipefail
cd "$1"
tools/charts.py --check

other=$(mktemp -d)
trap 'rm -rf "$other"' EXIT
mkdir -p "$other/docs"
cp -r docs/pictures "$other/docs/"
for row in start waiting-memory hibernating-memory; do
  # The first figure of the row gets one digit more.
  sed -E "/id=\"$row\"/ s/( \| [0-9.]+)/\11/" docs/benchmarks.md >"$other/docs/benchmarks.md"
  cmp -s docs/benchmarks.md "$other/docs/benchmarks.md" && echo "no figure in the row $row" >&2 && exit 1
  if tools/charts.py --check --root "$other" >/dev/null; then
    echo "the check passed charts of other figures in the row $row" >&2
    exit 1
  fi
done
