#!/usr/bin/env bash
# Prints the folder of a crate that tools/sources/ pins, with its sources as the registry has them:
#
#   tools/crate.sh NAME         fetches it when it is missing
#   tools/crate.sh --key NAME   prints what pins it, for the names of caches
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
sources=$here/tools/sources

die() { printf 'crate: %s\n' "$*" >&2; exit 1; }

if [ "${1:-}" = --key ]; then
  grep -A 3 "^name = \"$2\"" "$sources/Cargo.lock" || die "tools/sources has no crate $2"
  exit
fi
rust=$("$here/tools/runtime.sh" --rust)
host=$("$rust/rustc" -vV | sed -n 's/^host: //p')
manifest=$(RUSTC=$rust/rustc "$rust/cargo" metadata --quiet --locked --format-version 1 --filter-platform "$host" \
  --manifest-path "$sources/Cargo.toml" |
  grep -oE "\"manifest_path\":\"[^\"]*/$1-[0-9][^\"]*/Cargo.toml\"" | head -n 1 | cut -d'"' -f4)
[ -n "$manifest" ] || die "tools/sources has no crate $1"
echo "${manifest%/*}"
