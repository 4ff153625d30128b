#!/usr/bin/env bash
# check_program.sh [--write] CORDON FILE: runs a program of examples/programs and compares its log lines and its result
# with FILE.out. It calls the tools of examples/programs. FILE.options has further options of `cordon run`, an argument
# a line. --write makes FILE.out what was printed.
set -euo pipefail
write=
if [ "$1" = --write ]; then
  write=1
  shift
fi
cordon=$1 file=$2 tools=examples/programs
options=(--provider "tools=$tools/tools.js")
for provider in "$tools"/providers/*.js; do
  options+=(--provider "$(basename "$provider" .js)=$provider")
done
if [ -e "$file.options" ]; then
  mapfile -t -O "${#options[@]}" options <"$file.options"
fi
if [[ " ${options[*]} " != *" --timeout "* ]]; then options+=(--timeout 20000); fi
run() { "$cordon" run "${options[@]}" "$file" 2>&1 || echo "exit $?"; }
# Node gives no warnings of ours.
if [[ $file != */mistakes/* ]]; then
  run() { "$cordon" run "${options[@]}" "$file" 2>&1 | grep -v '^warning: '; }
fi
if [ -n "$write" ]; then
  run >"$file.out"
else
  diff -u --label "$file.out" --label "$file" "$file.out" <(run)
fi
