#!/usr/bin/env bash
# Makes the tables of the Encoding Standard available, and says where they are:
#
#   tools/encodings.sh    builds what is missing, then prints CORDON_ENCODINGS=…
#
# tools/encodings/ is a program of a page that asks the crate encoding_rs; its lock file pins the crate by version and
# checksum. The file lies in the cache that tools/runtime.sh uses, under a name made from what goes into it.
set -euo pipefail

readonly layout=1 # raise it when the folder gets another shape

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
crate=$here/tools/encodings
cache=${CORDON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cordon}

say() { printf 'encodings: %s\n' "$*" >&2; }

key=$({ echo "$layout"; cat "$crate"/Cargo.* "$crate/src/main.rs"; } | sha256sum | cut -c1-16)
folder=$cache/encodings-$key

build() {
  local rust to=$1
  say "making the tables of the Encoding Standard"
  rust=$("$here/tools/runtime.sh" --rust)
  RUSTC=$rust/rustc "$rust/cargo" run --quiet --release --locked --manifest-path "$crate/Cargo.toml" \
    --target-dir "$to/target" >"$to/encodings.bin"
  rm -rf "$to/target"
}

if [ ! -d "$folder" ]; then
  mkdir -p "$cache"
  fresh=$(mktemp -d "$cache/work.XXXXXX")
  trap 'rm -rf "$fresh"' EXIT
  build "$fresh"
  chmod 755 "$fresh"
  mv -T "$fresh" "$folder" 2>/dev/null || [ -d "$folder" ] # another clone may have been first
fi
touch "$folder"
echo "CORDON_ENCODINGS=$folder/encodings.bin"
