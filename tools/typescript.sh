#!/usr/bin/env bash
# Makes the module that strips TypeScript's types available, and its machine code:
#
#   tools/typescript.sh                                   fetches it when it is missing, then prints
#                                                         CORDON_TYPESCRIPT_WASM=…
#   tools/typescript.sh RUNTIME_DIR COMPILE_GUEST OUT     writes it to OUT, compiled
#
# The npm package @swc/wasm-typescript has it as text inside a JavaScript file; tools/typescript/package-lock.json pins
# it by version and checksum. Both lie in the cache that tools/runtime.sh uses, under names made from what goes into
# them.
set -euo pipefail

readonly layout=1 # raise it when the folders get another shape

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
package=$here/tools/typescript
cache=${CORDON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cordon}

say() { printf 'typescript: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

folder=$cache/typescript-$({ echo "$layout"; cat "$package/package-lock.json"; } | sha256sum | cut -c1-16)

fetch() {
  local to=$1 script
  command -v npm >/dev/null || die "needs npm (Debian 12: apt-get install nodejs npm)"
  say "fetching the module that strips types"
  mkdir "$to/npm"
  cp "$package"/{.npmrc,package.json,package-lock.json} "$to/npm/"
  npm ci --prefix "$to/npm" --no-audit --no-fund --silent >&2 || die "npm could not install it"
  script=$to/npm/node_modules/@swc/wasm-typescript
  # The one long run of base64 in it.
  tr -c 'A-Za-z0-9+/=' '\n' <"$script/wasm.js" | awk 'length > 30000' | base64 -d >"$to/typescript.wasm"
  [ "$(head -c 4 "$to/typescript.wasm" | od -An -tx1 | tr -d ' ')" = 0061736d ] || die "there is no WebAssembly in it"
  cp "$script/LICENSE" "$to/"
  rm -rf "$to/npm"
}

# keep FOLDER FUNCTION: runs FUNCTION in a fresh folder and gives it its name, unless it is there.
keep() {
  if [ ! -d "$1" ]; then
    mkdir -p "$cache"
    local fresh
    fresh=$(mktemp -d "$cache/work.XXXXXX")
    # shellcheck disable=SC2064 # the name as it is now
    trap "rm -rf '$fresh'" EXIT
    "$2" "$fresh"
    chmod 755 "$fresh"
    mv -T "$fresh" "$1" 2>/dev/null || [ -d "$1" ] # another clone may have been first
  fi
  touch "$1"
}

keep "$folder" fetch
if [ $# = 0 ]; then
  echo "CORDON_TYPESCRIPT_WASM=$folder/typescript.wasm"
  exit
fi

runtime=$1
compile_guest=$2
# Wasmtime and how it is configured decide about the machine code.
compiled_key() {
  {
    echo "$layout $(uname -m)"
    basename -a "$runtime" "$folder"
    cd "$here"
    find -H src/cordon/sandbox/ -type f ! -name '*_test.cc' ! -name CMakeLists.txt | LC_ALL=C sort | xargs -d '\n' sha256sum
  } | sha256sum | cut -c1-16
}
compile() { "$compile_guest" --plain "$folder/typescript.wasm" "$1/typescript.compiled"; }

compiled=$cache/typescript-compiled-$(compiled_key)
keep "$compiled" compile
cp "$compiled/typescript.compiled" "$3"
