#!/usr/bin/env bash
# check_program.sh CORDON FILE: runs a program of examples/programs and compares its log lines and its result with
# FILE.out.
set -euo pipefail
folder=$(dirname "$2")
diff -u --label "$2.out" --label "$2" "$2.out" <("$1" run --timeout 20000 --provider "tools=$folder/tools.js" "$2" 2>&1)
