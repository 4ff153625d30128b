#!/usr/bin/env bash
# tests/interop/run.sh [CASES [SEED]]: our codecs against npm @bluelibs/runner and @msgpack/msgpack.
# CORDON_BUILD names the build that holds tests/codec_peer (default build/release).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

installed=build/interop
if ! cmp -s tests/interop/package-lock.json "$installed/installed.json"; then
  echo "the npm packages of tests/interop are not installed: run tests/interop/install.sh (./dev test does)" >&2
  exit 1
fi
TZ=UTC CORDON_INTEROP=$PWD/$installed exec node tests/interop/codecs.mjs \
  "${CORDON_BUILD:-build/release}/tests/codec_peer" "$@"
