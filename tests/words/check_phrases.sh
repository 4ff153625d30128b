#!/bin/sh
# check_phrases.sh SOURCE_DIR: fails where a comment has a phrase of phrases.txt.
set -eu
cd "$1"
list=tests/words/phrases.txt
comments=$(mktemp)
found=$(mktemp)
trap 'rm -f "$comments" "$found"' EXIT
# "file:line: text" of every line comment. A URL in a string has no blank after its slashes.
grep -rnE --include='*.cc' --include='*.h' --include='*.c' '(^|[[:space:]])//[[:space:]]' \
  src include guest tests fuzz bench examples 2>/dev/null |
  sed -E 's|^([^:]*:[0-9]+:).*[[:space:]]//[[:space:]]+|\1 |; s|^([^:]*:[0-9]+:)//[[:space:]]+|\1 |' >"$comments"
wrong=0
while IFS="$(printf '\t')" read -r phrase instead; do
  case $phrase in '' | '#'*) continue ;; esac
  case $phrase in
    '^'*) pattern="^[^:]*:[0-9]+: ${phrase#^}" ;;
    *) pattern="^[^:]*:[0-9]+: (.*[^A-Za-z0-9_])?($phrase)" ;;
  esac
  if grep -E "$pattern" "$comments" >"$found"; then
    echo "write $instead:"
    head -n 5 "$found"
    wrong=1
  fi
done <"$list"
exit $wrong
