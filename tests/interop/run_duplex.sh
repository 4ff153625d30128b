#!/usr/bin/env bash
# tests/interop/run_duplex.sh CORDON PLUGIN.wasm: `cordon guest` under the host of npm duplex-rpc.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

installed=build/interop
if ! cmp -s tests/interop/package-lock.json "$installed/installed.json"; then
  echo "the npm packages of tests/interop are not installed: run tests/interop/install.sh (./dev test does)" >&2
  exit 1
fi
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
XDG_CACHE_HOME=$cache CORDON_INTEROP=$PWD/$installed node tests/interop/duplex.mjs "$@"
