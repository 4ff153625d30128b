#!/usr/bin/env bash
# check.sh BUILD CMAKE CXX: installs BUILD into a temporary prefix and uses it from outside, as an
# embedder would.
set -euo pipefail
build=$1 cmake=$2 cxx=$3
program=$(cd "$(dirname "${BASH_SOURCE[0]}")/program" && pwd)
# A program of someone else's: it sees nothing of Cordon but the installed package.
example=$(cd "$program/../../../examples/embed" && pwd)/hello.cc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

fail() { echo "package: $*" >&2; exit 1; }
step() { echo "--- $*"; }
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "$* failed"; }; }
strict=(-std=c++23 -Wall -Wextra -Wpedantic -Werror)

step "install"
quietly "$cmake" --install "$build" --prefix "$prefix"
(cd "$prefix" && find . -type f -o -type l | LC_ALL=C sort)
# An installed tree can be moved.
mv "$prefix" "$work/moved"
prefix=$work/moved
library=$(find "$prefix" -name libcordon.so)
libdir=$(dirname "$library")

step "no debug information is installed"
for file in "$prefix/bin/cordon" "$library"; do
  [ -e "$file" ] || continue
  if readelf --section-headers --wide "$file" | grep -F .debug_; then fail "$file is not stripped"; fi
done

step "find_package(cordon)"
quietly "$cmake" -G Ninja -S "$program" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DPROGRAM="$example"
"$cmake" --build "$work/build"
"$work/build/outside"

step "pkg-config cordon"
export PKG_CONFIG_PATH=$libdir/pkgconfig
# Word splitting is how pkg-config's answer is meant to be used.
# shellcheck disable=SC2046
"$cxx" "${strict[@]}" "$example" -o "$work/outside" $(pkg-config --cflags --libs cordon)
LD_LIBRARY_PATH=$libdir "$work/outside"

step "every public header compiles by itself"
for header in "$prefix"/include/cordon/*.h; do
  echo "#include <cordon/$(basename "$header")>" |
    "$cxx" "${strict[@]}" -fsyntax-only -x c++ -I "$prefix/include" -
done

step "the library shows only names of ours"
foreign=$(nm --dynamic --defined-only --format=posix "$library" | cut -d' ' -f1 |
  grep -vE '^_Z(NK?[RO]?|T[VIST]N|Th.*_N|Tv.*_N)6cordon' || true)
[ -z "$foreign" ] || fail "libcordon.so exports: $(head -n 5 <<<"$foreign")"

if [ -e "$prefix/bin/cordon" ]; then
  step "the program is one file"
  if ldd "$prefix/bin/cordon" | grep -E 'libcordon|libstdc|libfmt'; then fail "bin/cordon needs these libraries"; fi
  step "the unit is where systemd looks for it, and is one"
  unit=$prefix/lib/systemd/system/cordon.service
  [ -e "$unit" ] || fail "no $unit"
  if command -v systemd-analyze >/dev/null; then
    # Where it will be installed the program is not yet.
    mkdir "$work/unit"
    sed "s|^ExecStart=[^ ]*|ExecStart=$prefix/bin/cordon|" "$unit" >"$work/unit/cordon.service"
    complaints=$(systemd-analyze verify "$work/unit/cordon.service" 2>&1 | grep -F cordon.service || true)
    [ -z "$complaints" ] || fail "$complaints"
  fi
  step "completions are where shells look for them"
  for file in bash-completion/completions/cordon zsh/site-functions/_cordon fish/vendor_completions.d/cordon.fish; do
    grep -q -- timeout "$prefix/share/$file" || fail "share/$file is not there, or is empty"
  done
  cp "$prefix/bin/cordon" "$work/cordon"
  rm -rf "$prefix"
  [ "$(cd / && "$work/cordon" run -e '1+1')" = 2 ] || fail "bin/cordon needs something beside it"
fi
