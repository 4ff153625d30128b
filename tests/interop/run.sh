#!/usr/bin/env bash
# tests/interop/run.sh SCRIPT.mjs [ARGS]: a script of this folder, with the npm packages that it compares us with.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

installed=build/interop
if ! cmp -s tests/interop/package-lock.json "$installed/installed.json"; then
  echo "the npm packages of tests/interop are not installed: run tests/interop/install.sh (./dev test does)" >&2
  exit 1
fi
# Compiled plugins are kept for this run alone.
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
TZ=UTC XDG_CACHE_HOME=$cache CORDON_INTEROP=$PWD/$installed node "tests/interop/$1" "${@:2}"
