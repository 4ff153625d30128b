#!/bin/sh
# check.sh finds an old word, and finds none where there is none.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src" "$tree/include" "$tree/guest" "$tree/tests/words" "$tree/fuzz" "$tree/bench" "$tree/examples"
cp "$here/old_words.txt" "$tree/tests/words/"
echo 'int max_bytes; // the most bytes, and a Bellman' >"$tree/src/a.cc"
"$here/check.sh" "$tree" >/dev/null || { echo 'it found an old word where there is none'; exit 1; }
for old in 'int most_bytes;' 'Bell bell;' 'Task<int> f();' 'x.sleep_on = 1;'; do
  echo "$old" >"$tree/src/a.cc"
  if "$here/check.sh" "$tree" >/dev/null; then echo "it did not find: $old"; exit 1; fi
done
