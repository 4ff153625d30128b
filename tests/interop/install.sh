#!/usr/bin/env bash
# tests/interop/install.sh: the npm packages that tests/interop compares with, pinned by its lock file, into
# build/interop. Does nothing where they are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

here=tests/interop
lock=$here/package-lock.json
# A copy, so that nothing is installed into the tree; the lock file's copy, made last, says it is whole.
installed=build/interop
if cmp -s "$lock" "$installed/installed.json"; then exit; fi
rm -rf "$installed"
mkdir -p "$installed"
cp "$here/package.json" "$here/.npmrc" "$lock" "$installed"
npm ci --prefix "$installed" --no-audit --no-fund --silent
cp "$lock" "$installed/installed.json"
