#!/usr/bin/env bash
# check_snippets.sh TREE: the C++ that the documents and the public headers show is compiled and run. Every ```cpp block
# of README.md, docs/*.md and docs/internals/*.md, and every example in a comment of include/cordon/*.h, must stand in
# examples/embed/. Every example in a comment of src/cordon/**/*.h must stand in tests/docs/header_examples.cc. White
# space does not count. The lines of an example are indented by three spaces, and one of them ends a statement; without
# that it is a list or a format.
#
# No header has blanks in its name:
# shellcheck disable=SC2046
set -euo pipefail
cd "$1"
awk '
  # An omission is "…" in a comment and "/* … */" in the source.
  function bare(text) {
    gsub(/[ \t]+/, "", text)
    gsub(/\/\*…\*\//, "…", text)
    return text
  }
  function check() {
    if (block != "" && (is_markdown || ends_statement)) {
      ++count
      if (index(file ~ /^src\// ? internals : sources, block) == 0) {
        printf "%s:%d: this is in no example:\n%s", file, line, shown
        wrong = 1
      }
    }
    block = shown = ""
    ends_statement = 0
  }
  function take(text) {
    if (block == "") { file = FILENAME; line = FNR; is_markdown = file ~ /\.md$/ }
    if (text ~ /;( *\/\/.*)?$/) ends_statement = 1
    block = block bare(text)
    shown = shown text "\n"
  }

  FNR == 1 { check(); inside = 0 }
  FILENAME ~ /header_examples\.cc$/ { internals = internals bare($0); next }
  FILENAME ~ /\.cc$/ { sources = sources bare($0); next }

  FILENAME ~ /\.md$/ && /^```/ {
    check()
    inside = $0 == "```cpp"
    next
  }
  FILENAME ~ /\.md$/ {
    if (inside) take($0)
    next
  }

  # execution.h shows alternatives: each of its lines stands for itself.
  FILENAME ~ /cordon\/execution\.h$/ { check() }
  sub(/^ *\/\/   /, "") { take($0); next }
  { check() }

  END {
    check()
    print count + 0, "snippets"
    exit wrong || count == 0
  }
' examples/embed/*.cc tests/docs/header_examples.cc README.md docs/*.md docs/internals/*.md include/cordon/*.h \
  $(find src/cordon -name '*.h' | sort)
