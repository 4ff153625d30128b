#!/bin/sh
# check_phrases.sh finds each phrase in a comment, and finds none in code or in plain English.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src" "$tree/tests/words"
cp "$here/phrases.txt" "$tree/tests/words/"
cat >"$tree/src/a.cc" <<'END'
// The limit of a call. The caller sets it, 20 lines per second at most. Null if there is none.
const char* text = "Of a call, whoever makes it";
const char* link = "http://example.com/whoever";  // one of a call's links
END
"$here/check_phrases.sh" "$tree" || { echo 'it found a phrase where there is none'; exit 1; }
while IFS= read -r comment; do
  for line in "// $comment" "  // $comment" "int x = 1;  // $comment"; do
    echo "$line" >"$tree/src/a.cc"
    if "$here/check_phrases.sh" "$tree" >/dev/null; then
      echo "it did not find: $line"
      exit 1
    fi
  done
done <<'END'
Of a call: how long it may take.
Whoever waits for it drives it.
It ends; whoever reads gets an error.
A name in the place of the file's.
Null where no slot is to be had.
An address that is none.
It takes 20 lines a second.
Threads, one a processor.
END
