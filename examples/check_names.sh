#!/usr/bin/env bash
# check_names.sh TREE: what the documents name is there: the files behind their links, the sources, and the tests of
# SECURITY.md and docs/execbox.md.
#
# The backticks are Markdown's:
# shellcheck disable=SC2016
set -euo pipefail
cd "$1"
wrong=0
complain() { echo "$*" && wrong=1; }

# names PATTERN DOCUMENT…: "document:what matches", a line each, without those in fenced code.
names() {
  awk -v pattern="$1" '
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced; next }
    !fenced {
      while (match($0, pattern)) {
        print FILENAME ":" substr($0, RSTART, RLENGTH)
        $0 = substr($0, RSTART + RLENGTH)
      }
    }' "${@:2}" | tr -d '`' | sort -u
}

# [text](file#part), relative to the document.
while IFS=: read -r document link; do
  target=${link##*](}
  target=${target%)}
  case $target in *://* | '#'*) continue ;; esac
  [ -e "$(dirname "$document")/${target%%#*}" ] || complain "$document: no file $target"
done < <(names '\\[[^]]+\\]\\([^)]+\\)' ./*.md docs/*.md docs/internals/*.md)

# `js/guest.cc`, which lies in src/cordon/, and `guest/abi.h`. Names such as x.cc and x_test.cc stand for any.
while IFS=: read -r document source; do
  case $source in */x_* | */x.*) continue ;; esac
  [ -e "$source" ] || [ -e "src/cordon/$source" ] || complain "$document: no source $source"
done < <(names '`[a-z_]+/[a-z_/]+\\.(cc|c|h|S|sh|toml)`' ./*.md docs/*.md docs/internals/*.md)

# `Suite.Test`, and `adversarial/group_*`.
while IFS=: read -r document test; do
  grep -rqE "^(TEST(_[FP])?|RC_GTEST_PROP)\(${test%.*}, ${test#*.}[,)]" src tests || complain "$document: no test $test"
done < <(names '`[A-Z][A-Za-z]+\\.[A-Z][A-Za-z]+`' SECURITY.md docs/execbox.md)
while IFS=: read -r document group; do
  compgen -G "tests/$group.js" >/dev/null || complain "$document: no file tests/$group.js"
done < <(names '`adversarial/[a-z_*]+`' SECURITY.md)
exit $wrong
