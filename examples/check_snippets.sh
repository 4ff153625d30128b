#!/usr/bin/env bash
# check_snippets.sh TREE: the C++ that the documents and the public headers show is compiled and run. Every ```cpp block
# of README.md, docs/*.md and docs/internals/*.md, and every example in a comment of include/cordon/*.h (its lines are indented by three
# spaces), must stand in examples/embed/ or in tests/package/program/. White space does not count.
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
    if (block != "") {
      ++count
      if (index(sources, block) == 0) {
        printf "%s:%d: this is in no example:\n%s", file, line, shown
        wrong = 1
      }
    }
    block = shown = ""
  }
  function take(text) {
    if (block == "") { file = FILENAME; line = FNR }
    block = block bare(text)
    shown = shown text "\n"
  }

  FNR == 1 { check(); inside = 0 }
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
  FILENAME ~ /execution\.h$/ { check() }
  sub(/^ *\/\/   /, "") { take($0); next }
  { check() }

  END {
    check()
    print count + 0, "snippets"
    exit wrong || count == 0
  }
' examples/embed/*.cc README.md docs/*.md docs/internals/*.md include/cordon/*.h
