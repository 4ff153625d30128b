#!/usr/bin/env bash
# tests/interop/run.sh [CASES [SEED]]: our codecs against npm @bluelibs/runner and @msgpack/msgpack.
# CORDON_BUILD names the build that holds tests/codec_peer (default build/release).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

here=tests/interop
lock=$here/package-lock.json
# A copy, so that nothing is installed into the tree; the lock file's copy, made last, says it is
# whole.
installed=build/interop
if ! cmp -s "$lock" "$installed/installed.json"; then
  rm -rf "$installed"
  mkdir -p "$installed"
  cp "$here/package.json" "$here/.npmrc" "$lock" "$installed"
  npm ci --prefix "$installed" --no-audit --no-fund --silent
  cp "$lock" "$installed/installed.json"
fi
TZ=UTC CORDON_INTEROP=$PWD/$installed exec node "$here/codecs.mjs" "${CORDON_BUILD:-build/release}/tests/codec_peer" "$@"
