#!/usr/bin/env bash
# The check itself: it passes a small tree whose tables are true, and names each row of one whose tables are not.
#
# The backticks are Markdown's:
# shellcheck disable=SC2016
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

put() { mkdir -p "$tree/$(dirname "$1")" && printf '%s\n' "${@:2}" >"$tree/$1"; }
put layers.txt 'base:' 'value: base'
put include/cordon/options.h 'inline constexpr std::uint64_t ceiling = std::uint64_t{4} << 30;' \
  'struct Inner {' '  std::chrono::milliseconds wait{5'\''000};  // not 7' '};' \
  'struct Options {' '  Inner inner = {};' '  std::size_t max_bytes = ceiling;' '  bool pool = true;' \
  '  std::optional<int> most = {};' '  std::string name = "a";' '  bool is_set() const { return pool; }' '};'
put guest/abi.h 'enum Operation {' '  OP_RUN = 1,  // a program' '  OP_STOP,' '};'
put guest/host.h 'CORDON_IMPORT("emit") void host_emit(uint32_t kind);'
put src/cordon/host/lane.h 'struct alignas(64) Lane {' '  mutable std::mutex mutex;' '};' \
  'class Owner {' '  struct State {' '    std::mutex mutex_;' '  };' '  std::thread thread_ CORDON_GUARDED_BY(mutex_);' '};'
put src/cordon/server/metrics.cc 'add("cordon_calls_total", "cordon_time_seconds_bucket{", "cordon_time_seconds");' \
  'add("cordon_calls_failed_total");  // cordon_not_one'
put src/cordon/host/lane_test.cc 'struct Fake {' '  std::mutex mutex_;' '};'

page() {
  put docs/page.md '<!-- table: struct Options -->' '| field | default |' '| --- | --- |' "${@:1:4}" '| `name` | `"a"` |' '' \
    '<!-- table: enum Operation -->' '| name | |' '| --- | --- |' "${@:5:2}" '' \
    '<!-- table: imports -->' '| import | |' '| --- | --- |' "$7" '' \
    '<!-- table: layers -->' '| layer | | uses |' '| --- | --- | --- |' '| `base` | | |' "$8" '' \
    '<!-- table: locks -->' '| lock | guards | inside it |' '| --- | --- | --- |' '| `Owner::State::mutex_` | all | |' "$9" '' \
    '<!-- table: threads -->' '| thread | where |' '| --- | --- |' "${10}" '' \
    '<!-- table: metrics -->' '| figure | |' '| --- | --- |' "${11}"
}
check() { "$here/check_tables.py" "$tree" "$tree/layers.txt"; }

page '| `inner.wait` | 5 s |' '| `max_bytes` | 4 GiB |' '| `pool` | true |' '| `most` | none |' \
  '| `OP_RUN` 1 | a program |' '| `OP_STOP` 2 | |' '| `emit(kind)` | |' '| `value` | | `base` |' \
  '| `Lane::mutex` | a lane | `Owner::State::mutex_` |' '| one | `host/lane.cc` |' \
  '| `cordon_calls_total{end}`, `…_failed_total`, `cordon_time_seconds` | |'
diff -u <(echo '7 tables') <(check)

page '| `inner.wait` | 7 s |' '| `max_bytes` | 2 GiB |' '| `pull` | true |' '| `most` | 3 |' \
  '| `OP_RUN` 1 | a program |' '| `OP_STOP` 3 | |' '| `exit(code)` | |' '| `value` | | `codec` |' \
  '| `Lanes::mutex` | a lane | `Owner::State::mutex_`, `Gone::mutex` |' '| one | `host/ticker.cc` |' \
  '| `cordon_call_total`, `cordon_calls_failed_total`, `cordon_time_seconds` | |'
if found=$(check); then
  echo "the check passed tables that are false" >&2
  exit 1
fi
diff -u - <(echo "$found") <<'END'
docs/page.md:1: the code has no pull
docs/page.md:1: no row for pool (true)
docs/page.md:1: inner.wait is 5 s in the code, not 7 s
docs/page.md:1: max_bytes is 4 GiB in the code, not 2 GiB
docs/page.md:1: most is none in the code, not 3
docs/page.md:10: OP_STOP is 2 in the code, not 3
docs/page.md:16: the code has no exit
docs/page.md:16: no row for emit
docs/page.md:21: value is base in the code, not codec
docs/page.md:27: the code has no Lanes::mutex
docs/page.md:27: no row for Lane::mutex
docs/page.md:27: Gone::mutex has no row
docs/page.md:33: the code has no host/ticker.cc
docs/page.md:33: no row for host/lane.cc
docs/page.md:38: the code has no cordon_call_total
docs/page.md:38: no row for cordon_calls_total
7 tables
END

# Locks that are taken inside each other in a circle.
page '| `inner.wait` | 5 s |' '| `max_bytes` | 4 GiB |' '| `pool` | true |' '| `most` | none |' \
  '| `OP_RUN` 1 | a program |' '| `OP_STOP` 2 | |' '| `emit(kind)` | |' '| `value` | | `base` |' \
  '| `Lane::mutex` | a lane | `Lane::mutex` |' '| one | `host/lane.cc` |' '| `cordon_calls_total` | |'
if found=$(check); then
  echo "the check passed locks without an order" >&2
  exit 1
fi
grep -qx 'docs/page.md:27: these locks are taken inside each other: Lane::mutex' <<<"$found"

# A page without its comment is a page without its check.
put docs/page.md '| field | default |' '| --- | --- |'
if found=$(check); then
  echo "the check passed documents without a table" >&2
  exit 1
fi
diff -u <(printf '%s\n' 'no document has a table of struct Options' '0 tables') <(echo "$found")
