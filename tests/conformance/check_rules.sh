#!/usr/bin/env bash
# check_rules.sh TREE: docs/execbox.md names every test of tests/conformance/, and no other.
set -euo pipefail
cd "$1"
diff -u \
  <(sed -n 's/^TEST(\(Execbox[A-Za-z]*\), \([A-Za-z]*\)).*/\1.\2/p' tests/conformance/*_test.cc | sort) \
  <(grep -o 'Execbox[A-Za-z]*\.[A-Za-z]*' docs/execbox.md | sort -u)
