#!/usr/bin/env bash
# Builds the JavaScript guest: our C and QuickJS-ng to WebAssembly, snapshot, machine code.
#
#   tools/guest.sh QUICKJS_DIR ADA_DIR RUNTIME_DIR COMPILE_GUEST OUT_DIR
#
# Leaves guest.wasm (as linked), guest.snapshot.wasm and guest.compiled in OUT_DIR. All three are kept in
# the cache that tools/runtime.sh uses, under a name made from what goes into them.
set -euo pipefail

readonly layout=1 # raise it when the recipe below changes in a way that its inputs do not show
quickjs=$1
ada=$2
runtime=$3
compile_guest=$4
out=$5
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${CORDON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cordon}

clang="clang-19"
stack_bytes=983040 # with the first frames of guest/frames.h, 1 MiB

compile_flags=(
  --target=wasm32-wasi -O2 -DNDEBUG -mbulk-memory -D_GNU_SOURCE -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS
)
c_flags=(-std=gnu11 -isystem /usr/include/wasm32-wasi)
# Of ada: no function that is not used, and nothing is thrown.
cpp_flags=(
  -std=c++20 -isystem /usr/include/wasm32-wasi/c++/v1 -isystem /usr/include/wasm32-wasi -fno-exceptions -fno-rtti
  -ffunction-sections -fdata-sections -DADA_INCLUDE_URL_PATTERN=0 -w
)
link_flags=(
  --target=wasm32-wasi -mexec-model=reactor -nostartfiles -fuse-ld=lld -L/usr/lib/wasm32-wasi -B/usr/lib/wasm32-wasi
  # The stack lies below the data: running out of it traps instead of writing over them.
  "-Wl,--stack-first" "-Wl,-z,stack-size=$stack_bytes" "-Wl,--no-entry"
  # Where the data begins decides which of the words that every program writes share a page. Each page more makes a start
  # 2 % slower, so look at `./dev bench engine --only fresh` when much is added, and try another distance.
  "-Wl,--global-base=$((stack_bytes + 2880))"
  # The last page of the 4 GiB is never there, so an address that would come round to 0 traps first.
  "-Wl,--max-memory=4294901760" "-Wl,--strip-debug"
)

# The Wasmtime behind COMPILE_GUEST and how it is configured decide about the machine code, the rest about the wasm.
key() {
  {
    echo "$layout $(uname -m) $("$clang" --version | head -n 1)"
    basename -a "$quickjs" "$ada" "$runtime"
    cd "$here"
    find -H guest/ src/cordon/sandbox/ tools/guest.sh -type f ! -name '*_test.cc' ! -name CMakeLists.txt |
      LC_ALL=C sort | xargs -d '\n' sha256sum
  } | sha256sum | cut -c1-16
}

# In this order: each may use what those before it define.
web_files=(
  prelude events abort encoding clone crypto headers
  streams/{queue,readable_controller,readers,readable,writable_controller,writable,pipe,transform,text}
  blob url task
)

# One function of all the web APIs that are written in JavaScript.
bundle_web() {
  local name
  echo '(function (global, natives) { "use strict";'
  for name in "${web_files[@]}"; do cat "$here/guest/web/$name.js"; done
  echo '})'
}

# What is read when a program first needs it: a function that gets what it uses.
bundle_lazy() {
  echo '(function (tools, natives) { "use strict";'
  cat "$here/guest/web/lazy/$1.js"
  echo '})'
}

as_numbers() { od -An -v -tu1 | sed -E 's/[0-9]+/&,/g'; }

# compile FILE…: FILE.o of each, side by side.
compile() {
  local compiler=("$clang")
  if command -v ccache >/dev/null; then compiler=(env "CCACHE_BASEDIR=$PWD" CCACHE_NOHASHDIR=1 ccache "$clang"); fi
  # shellcheck disable=SC2016 # the inner shell expands it
  printf '%s\0' "$@" | xargs -0 -P "$(nproc)" -I{} bash -c '
    file=$1; ada=$2; shift 2
    case $file in quickjs/*) warn=(-w) ;; *) warn=(-Wall -Wextra -Werror -Wno-unused-function) ;; esac
    exec "$@" "${warn[@]}" -I quickjs -I . -I "$ada" -c "$file" -o "$(basename "$file" .c).o"
  ' _ {} "$ada" "${compiler[@]}" "${compile_flags[@]}" "${c_flags[@]}"
}

# to_bytecode NAME: NAME.inc has the bytecode of what is in web_source.inc.
to_bytecode() {
  compile "$here/guest/web/compiler.c"
  "$clang" "${link_flags[@]}" {dtoa,libregexp,libunicode,engine,frames,libc,compiler}.o -o web_compiler.wasm
  "$compile_guest" --web web_compiler.wasm web_bytecode
  rm compiler.o
  as_numbers <web_bytecode >"$1.inc"
}

build() {
  local to=$1 file
  cd "$to"
  mkdir quickjs
  cp "$quickjs"/*.[ch] quickjs/
  chmod u+w quickjs/*
  for file in "$here"/guest/patches/*.diff; do
    (cd quickjs && git apply --whitespace=nowarn "$file")
  done

  # The web APIs' JavaScript becomes bytecode in a module of its own.
  compile quickjs/{dtoa,libregexp,libunicode}.c "$here"/guest/{engine,frames,libc}.c
  bundle_web | as_numbers >web_source.inc
  to_bytecode web_bytecode
  bundle_lazy subtle | as_numbers >web_source.inc
  to_bytecode lazy_subtle

  local sources=()
  for file in "$here"/guest/*.c "$here"/guest/web/*.c; do
    case $file in */engine.c | */frames.c | */libc.c | */web/compiler.c) ;; *) sources+=("$file") ;; esac
  done
  compile "${sources[@]}"
  "$clang" "${compile_flags[@]}" "${cpp_flags[@]}" -c "$ada/ada.cpp" -o ada.o
  # First come the large tables that few programs read, last what all of them use, next to the heap: what is read or
  # written together should lie on few pages.
  local first=(frames.o ada.o web.o subtle.o libunicode.o) last=(libregexp.o dtoa.o engine.o main.o) rest=()
  for file in *.o; do
    case " ${first[*]} ${last[*]} " in *" $file "*) ;; *) rest+=("$file") ;; esac
  done
  "$clang" "${link_flags[@]}" -Wl,--export=cordon_inbox -Wl,--export=__stack_pointer "${first[@]}" "${rest[@]}" -lc++ -lc++abi "${last[@]}" -o guest.wasm
  "$compile_guest" guest.wasm guest.snapshot.wasm guest.compiled
  rm -rf quickjs web_* lazy_* ./*.o
}

kept=$cache/guest-$(key)
if [ ! -e "$kept/guest.compiled" ]; then
  mkdir -p "$cache"
  fresh=$(mktemp -d "$cache/guest.XXXXXX")
  trap 'rm -rf "$fresh"' EXIT
  (build "$fresh")
  mv -T "$fresh" "$kept" 2>/dev/null || [ -e "$kept/guest.compiled" ] # another clone may have been first
fi
touch "$kept"
mkdir -p "$out"
cp "$kept"/guest.* "$out/"
