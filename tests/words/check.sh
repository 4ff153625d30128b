#!/bin/sh
# check.sh SOURCE_DIR: fails where an old word of the glossary stands in the code.
set -eu
cd "$1"
list=tests/words/old_words.txt
found=$(mktemp)
trap 'rm -f "$found"' EXIT
wrong=0
while IFS="$(printf '\t')" read -r old new; do
  case $old in '' | '#'*) continue ;; esac
  # `Task<` has no word's end behind it.
  end='([^A-Za-z0-9_]|$)'
  case $old in *'<') end='' ;; esac
  if grep -rnE --include='*.cc' --include='*.h' --include='*.c' "(^|[^A-Za-z0-9_])($old)$end" \
    src include guest tests fuzz bench examples >"$found" 2>/dev/null; then
    echo "say $new (docs/glossary.md):"
    head -n 5 "$found"
    wrong=1
  fi
done <"$list"
exit $wrong
