#!/usr/bin/env bash
# check_output.sh EXPECTED COMMAND…: runs the command and compares its standard output with the file EXPECTED. Of a C++
# source that is the comment after the line `// Output:`.
set -euo pipefail
expected=$1
shift
case $expected in
  *.cc) wanted=$(sed '1,/^\/\/ Output:$/d; s/^\/\/ \{0,1\}//' "$expected") ;;
  *) wanted=$(<"$expected") ;;
esac
[ -n "$wanted" ] || { echo "$expected says nothing about the output" >&2; exit 1; }
printed=$("$@")
diff -u --label "$expected" --label "$*" <(echo "$wanted") <(echo "$printed")
