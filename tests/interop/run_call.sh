#!/usr/bin/env bash
# tests/interop/run_call.sh CORDON: `cordon call` against a tunnel of npm @bluelibs/runner.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

installed=build/interop
if ! cmp -s tests/interop/package-lock.json "$installed/installed.json"; then
  echo "the npm packages of tests/interop are not installed: run tests/interop/install.sh (./dev test does)" >&2
  exit 1
fi
CORDON_INTEROP=$PWD/$installed node tests/interop/call.mjs "$@"
