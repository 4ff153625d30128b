#!/usr/bin/env bash
# Makes the C++ source of ada (WHATWG URLs) available, and prints the folder it is in:
#
#   tools/ada.sh    fetches it when it is missing, then prints CORDON_ADA_DIR=…
#
# The folder holds ada.cpp, ada.h and ada_c.h. It lies in the cache that tools/runtime.sh uses, under
# a name made from the lock file's entry, which pins the crate by version and checksum.
set -euo pipefail

readonly layout=1 # raise it when the folder gets another shape

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
crate=$here/tools/ada
cache=${CORDON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cordon}

say() { printf 'ada: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

key=$({ echo "$layout"; grep -A 3 '^name = "ada-url"' "$crate/Cargo.lock"; } | sha256sum | cut -c1-16)
folder=$cache/ada-$key

fetch() {
  local rust manifest to=$1
  rust=$("$here/tools/runtime.sh" --rust)
  say "fetching the source of ada"
  manifest=$(RUSTC=$rust/rustc "$rust/cargo" metadata --quiet --locked --format-version 1 \
    --manifest-path "$crate/Cargo.toml" |
    grep -oE '"manifest_path":"[^"]*/ada-url-[^"]*/Cargo.toml"' | head -n 1 | cut -d'"' -f4)
  [ -n "$manifest" ] || die "crate ada-url is not among the dependencies of tools/ada"
  cp "${manifest%/*}"/deps/{ada.cpp,ada.h,ada_c.h} "${manifest%/*}"/LICENSE-* "$to/"
}

if [ ! -d "$folder" ]; then
  mkdir -p "$cache"
  fresh=$(mktemp -d "$cache/work.XXXXXX")
  trap 'rm -rf "$fresh"' EXIT
  fetch "$fresh"
  chmod 755 "$fresh"
  mv -T "$fresh" "$folder" 2>/dev/null || [ -d "$folder" ] # another clone may have been first
fi
touch "$folder"
echo "CORDON_ADA_DIR=$folder"
