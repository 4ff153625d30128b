#!/usr/bin/env bash
# check.sh FILE CXX FLAG…: compiles FILE, without a result, and looks at what comes of it. The comment at its top says
# what must:
#
#   // Compiles: …             it must
#   // Expect: REGEXP          it must not, and this stands in one of the errors
#   // At most: 1 error        there are no more than that
#   // Flags: -std=c++20       added to the flags
#   // Only: clang             what other compilers say is not looked at
set -euo pipefail
file=$1 cxx=$2
shift 2

field() { sed -n "s|^// $1: ||p" "$file" | head -n 1; }
fail() {
  printf '%s\n--- %s: %s\n' "$output" "$(basename "$file")" "$1" >&2
  exit 1
}

only=$(field Only)
if [ -n "$only" ] && ! "$cxx" --version | grep -qi "$only"; then exit; fi
read -ra more <<<"$(field Flags)"
status=0
output=$("$cxx" "$@" "${more[@]}" -fsyntax-only -fdiagnostics-color=never "$file" 2>&1) || status=$?

if grep -q '^// Compiles' "$file"; then
  [ "$status" = 0 ] || fail "it does not compile"
  exit
fi
[ "$status" != 0 ] || fail "it compiles"
errors=$(grep -E '(^|[ :])(fatal )?error: ' <<<"$output" || true)
grep -qE -- "$(field Expect)" <<<"$errors" || fail "no error has: $(field Expect)"
most=$(field 'At most' | cut -d' ' -f1)
[ -z "$most" ] || [ "$(wc -l <<<"$errors")" -le "$most" ] || fail "there are more errors than $most"
