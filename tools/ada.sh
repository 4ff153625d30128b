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
cache=${CORDON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cordon}

say() { printf 'ada: %s\n' "$*" >&2; }

key=$({ echo "$layout"; "$here/tools/crate.sh" --key ada-url; } | sha256sum | cut -c1-16)
folder=$cache/ada-$key

fetch() {
  local folder to=$1
  say "fetching the source of ada"
  folder=$("$here/tools/crate.sh" ada-url)
  cp "$folder"/deps/{ada.cpp,ada.h,ada_c.h} "$folder"/LICENSE-* "$to/"
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
