#!/usr/bin/env bash
# Makes Wasmtime and the QuickJS-ng sources available, and says where they are:
#
#   tools/runtime.sh          builds what is missing, then prints CORDON_RUNTIME_DIR=… and
#                             CORDON_QUICKJS_DIR=…, a line each
#   tools/runtime.sh --rust   prints the folder of a Rust that is new enough, or fails
#
# Both live in ${CORDON_CACHE:-${XDG_CACHE_HOME:-~/.cache}/cordon}, under names made from what goes
# into them, so every clone on a machine shares them and an old branch finds its own. Progress goes
# to stderr. CORDON_CARGO_TARGET=DIR keeps Cargo's own folder there, for those who work on runtime/
# and build it often.
set -euo pipefail

readonly minimum_rust=1.95
readonly layout=1 # raise it when the folders below get another shape
readonly days_unused=30
# Those that runtime/patches/ has a folder for.
readonly patched_crates=(wasmtime wasmtime-internal-cranelift)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
crate=$here/runtime
cache=${CORDON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cordon}

say() { printf 'runtime: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

# The folder of the first rustc on the PATH that is new enough and has a cargo beside it.
find_rust() {
  local rustc version
  while read -r rustc; do
    [ -x "${rustc%/*}/cargo" ] || continue
    version=$("$rustc" --version 2>/dev/null | cut -d' ' -f2) || continue
    if [ "$(printf '%s\n' "$minimum_rust" "$version" | sort -V | head -n 1)" = "$minimum_rust" ]; then
      echo "${rustc%/*}"
      return
    fi
  done < <(type -aP rustc)
  return 1
}

key_of() { sha256sum | cut -c1-16; }

runtime_key() {
  (
    cd "$crate"
    echo "$layout $rust_version"
    for name in "${patched_crates[@]}"; do "$here/tools/crate.sh" --key "$name"; done
    find . -path ./target -prune -o -type f \( -name 'Cargo.*' -o -name '*.rs' -o -name '*.h' -o -name '*.diff' \) -print |
      LC_ALL=C sort | xargs -d '\n' sha256sum
  ) | key_of
}

# The lock file pins the crate by version and checksum.
quickjs_key() { { echo "$layout"; "$here/tools/crate.sh" --key libquickjs-ng-sys; } | key_of; }

# patch_crate NAME DIR: a copy of a crate in DIR/NAME, with what is in runtime/patches/NAME/ applied.
patch_crate() {
  local source file
  source=$("$here/tools/crate.sh" "$1")
  rm -rf "${2:?}/$1"
  mkdir -p "$2"
  cp -R "$source" "$2/$1"
  chmod -R u+w "$2/$1"
  for file in "$crate/patches/$1"/*.diff; do
    (cd "$2/$1" && GIT_CEILING_DIRECTORIES=$2 git apply --whitespace=nowarn "$file")
  done
}

# cargo_build TARGET_DIR PATCHED_DIR: Cargo shows its own progress on a terminal; elsewhere a line now and then.
cargo_build() {
  local build=("$rust/cargo" build --release --locked --manifest-path "$crate/Cargo.toml" --target-dir "$1") name
  for name in "${patched_crates[@]}"; do build+=(--config "patch.crates-io.$name.path=\"$2/$name\""); done
  if [ -t 2 ]; then
    "${build[@]}" >&2
    return
  fi
  local log=$1.log start=$SECONDS pid ticks=0
  "${build[@]}" >"$log" 2>&1 &
  pid=$!
  trap 'kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    ticks=$((ticks + 1))
    if [ $((ticks % 20)) = 0 ]; then
      say "$((SECONDS - start)) s: $(grep -c ' Compiling ' "$log" || true) crates compiled or being compiled"
    fi
  done
  if ! wait "$pid"; then
    tail -n 40 "$log" >&2
    die "cargo could not build runtime/ (its last lines are above)"
  fi
  trap 'rm -rf "$work"' EXIT
  rm -f "$log"
}

build_runtime() {
  local work=$1 out=$1/out start=$SECONDS target name
  target=${CORDON_CARGO_TARGET:-$work/target}
  say "building Wasmtime with $rust_name (once on this machine: some minutes on two cores)"
  for name in "${patched_crates[@]}"; do patch_crate "$name" "$target/patched"; done
  cargo_build "$target" "$target/patched"

  local headers
  # Cargo names the folder by a hash; the newest is the one just built.
  headers=$(find "$target"/release/build/wasmtime-c-api-impl-*/out -maxdepth 1 -name include -printf '%T@ %p\n' |
    sort -rn | head -n 1 | cut -d' ' -f2-)
  [ -n "$headers" ] || die "the Wasmtime build left no headers"
  mkdir -p "$out/lib" "$out/include"
  cp -R "$headers/." "$out/include/"
  if [ -d "$crate/include" ]; then cp -R "$crate/include/." "$out/include/"; fi
  cp "$target/release/libcordon_runtime.a" "$out/lib/"
  mv -T "$out" "$runtime_dir"
  say "built in $((SECONDS - start)) s: $(du -sh "$runtime_dir" | cut -f1) in $runtime_dir"
}

fetch_quickjs() {
  local folder
  say "fetching the QuickJS-ng sources"
  folder=$("$here/tools/crate.sh" libquickjs-ng-sys)
  cp -R "$folder/embed/quickjs" "$1/quickjs"
  mv -T "$1/quickjs" "$quickjs_dir"
}

# make DIR FUNCTION: runs FUNCTION in a folder of its own unless DIR is there. FUNCTION's last act
# is to rename its result to DIR, so DIR is whole or absent; the lock lets a second clone wait for
# the first instead of doing the same work.
make() {
  if [ ! -d "$1" ]; then
    mkdir -p "$cache"
    exec 9>"$cache/lock"
    if ! flock -n 9; then
      say "another build is at work in $cache; waiting for it"
      flock 9
    fi
    if [ ! -d "$1" ]; then
      work=$(mktemp -d "$cache/work.XXXXXX")
      trap 'rm -rf "$work"' EXIT
      "$2" "$work"
      rm -rf "$work"
      drop_unused
    fi
    exec 9>&-
  fi
  touch "$1"
}

drop_unused() {
  find "$cache" -mindepth 1 -maxdepth 1 -type d \( -name 'runtime-*' -o -name 'quickjs-*' -o -name 'ada-*' -o -name 'work.*' \) \
    -mtime "+$days_unused" -exec rm -rf {} +
}

rust=$(find_rust) || die "needs Rust $minimum_rust or newer (Debian 12: apt-get install rustc-web cargo-web)"
if [ "${1:-}" = --rust ]; then
  echo "$rust"
  exit
fi
export RUSTC=$rust/rustc
rust_version=$("$RUSTC" -vV)
rust_name=${rust_version%%$'\n'*}

runtime_dir=$cache/runtime-$(runtime_key)
quickjs_dir=$cache/quickjs-$(quickjs_key)
make "$quickjs_dir" fetch_quickjs
make "$runtime_dir" build_runtime
echo "CORDON_RUNTIME_DIR=$runtime_dir"
echo "CORDON_QUICKJS_DIR=$quickjs_dir"
