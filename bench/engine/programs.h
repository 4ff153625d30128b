#pragma once

// What the guests compute: the same text for Cordon and for every peer. Each is one script whose
// last expression is the result, so that the subjects can be seen to have computed the same.

#include <array>
#include <string_view>

namespace cordon::bench {

struct GuestProgram {
  std::string_view name;
  std::string_view code;
};

inline constexpr std::string_view smallest_program = "1+1";

// Bodies with a `return`, since the peers know no top-level await. A tool takes and gives an
// object.
inline constexpr std::string_view one_call = "return 1 + (await tools.echo({ n: 1 })).n";
inline constexpr std::string_view many_calls =
    "let sum = 0; for (let i = 0; i < 1001; i++) sum += (await tools.echo({ n: i })).n; return sum";
inline constexpr int many_calls_difference = 1000;

inline constexpr std::string_view endless_program = "for (;;);";

// Calls and small integers.
inline constexpr std::string_view fib_program = R"(
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
fib(24)
)";

// Text of 300 rows, written and read back a few times, and a value out of each row.
inline constexpr std::string_view json_program = R"(
const rows = []
for (let i = 0; i < 300; i++) {
  rows.push({ id: i, name: 'user ' + i, email: 'user' + i + '@example.com', score: i * 1.5, active: i % 2 === 0,
              tags: ['a', 'b', 'tag' + (i % 7)], address: { street: 'Main "St" ' + i, zip: null } })
}
let sum = 0
for (let round = 0; round < 8; round++) {
  const text = JSON.stringify({ round, rows })
  for (const row of JSON.parse(text).rows) sum += row.score + row.tags.length
  sum += text.length
}
sum
)";

// Building, cutting, searching and joining.
inline constexpr std::string_view string_program = R"(
let text = ''
for (let i = 0; i < 4000; i++) text += 'word' + (i % 97) + (i % 10 === 0 ? '\n' : ' ')
const counts = new Map()
for (const line of text.split('\n')) {
  for (const word of line.trim().split(' ')) {
    const key = word.toUpperCase().slice(0, 6).padEnd(8, '.')
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
}
let hash = 0
for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0
let found = 0
for (let at = text.indexOf('word42'); at >= 0; at = text.indexOf('word42', at + 1)) found++
const joined = [...counts].map(([key, count]) => `${key}=${count}`).join('&').replaceAll('.', '');
`${joined.length} ${hash} ${found}`
)";

// With a comparison of the program's own, with the built-in one, and of objects by two keys.
inline constexpr std::string_view sort_program = R"(
let seed = 12345
const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff)
const numbers = Array.from({ length: 6000 }, random)
const byValue = numbers.slice().sort((a, b) => a - b)
const byText = numbers.slice(0, 3000).map(String).sort()
const objects = numbers.slice(0, 3000).map((n, id) => ({ group: n % 16, id }))
objects.sort((a, b) => a.group - b.group || b.id - a.id);
`${byValue[100]} ${byText[100]} ${objects[100].id}`
)";

// Groups, classes, alternatives and a function for the replacement, over 400 lines of a log.
inline constexpr std::string_view regexp_program = R"(
let log = ''
for (let i = 0; i < 400; i++) {
  log += `2026-01-${String(1 + (i % 28)).padStart(2, '0')}T10:00:00Z ${['INFO', 'WARN', 'ERROR'][i % 3]} ` +
         `[worker-${i % 8}] request id=${i * 7919} took ${i % 250}ms from user${i}@example.com\n`
}
const line = /^(\d{4})-(\d\d)-(\d\d)T[\d:]+Z (INFO|WARN|ERROR) \[(\w+-\d+)\] .*?took (\d+)ms/gm
let sum = 0
for (const match of log.matchAll(line)) sum += Number(match[6]) + match[4].length
const masked = log.replace(/([a-z]+)\d*@([a-z]+)\.com/g, (_, user, domain) => `${user[0]}***@${domain}`)
const slow = log.split('\n').filter((text) => /(?:WARN|ERROR).*took (?:1\d\d|2\d\d)ms/.test(text)).length;
`${sum} ${masked.length} ${slow}`
)";

inline constexpr std::array guest_programs = {
    GuestProgram{"fib(24)", fib_program},    GuestProgram{"JSON", json_program},
    GuestProgram{"strings", string_program}, GuestProgram{"sort", sort_program},
    GuestProgram{"regexp", regexp_program},
};

}  // namespace cordon::bench
