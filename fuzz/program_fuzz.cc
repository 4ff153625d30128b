// Any text as a guest program in a real engine with small limits: the host gets a report, and goes
// on.
//
// Text that begins with the byte 1 is no program but a recipe for one: each further byte adds a
// piece, so that most of what comes out parses and does something odd to the engine.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "cordon/base/bytes.h"
#include "cordon/engine.h"

namespace {

using namespace cordon;
using namespace std::chrono_literals;

constexpr const char* pieces[] = {
    "x = {};",
    "x = [1, 2, 3];",
    "x = 'text';",
    "x = 1n << 100n;",
    "x = new Map([[x, x]]);",
    "x = new Set([x, 1]);",
    "x = new Proxy(Object(x), {});",
    "x = new Proxy(Object(x), {get: (t, k) => k === 'then' ? undefined : x});",
    "x = Symbol('s');",
    "x = /(a|b)*?c/giu;",
    "x = new Uint8Array(16);",
    "x = new ArrayBuffer(8, {maxByteLength: 64});",
    "x = new DataView(new ArrayBuffer(8));",
    "x = new Date(NaN);",
    "x = function* () { yield x; yield* [x]; };",
    "x = async () => { await x; return y; };",
    "x = class extends Object { #p = 1; static s = x; get p() { return this.#p } };",
    "x = new Error('e', {cause: x});",
    "x = Promise.resolve(x);",
    "x = Promise.reject(x); x.catch(() => {});",
    "x = [x, y, x];",
    "x = {x, y, get g() { return y }};",
    "x = Object.create(Object(x));",
    "x = Object.freeze(Object(x));",
    "[x, y] = [y, x];",
    "y = x;",
    "y = String(x);",
    "y = JSON.stringify(x);",
    "y = JSON.parse(JSON.stringify(x) ?? '1');",
    "y = [...x];",
    "y = {...x};",
    "y = Array.from(x);",
    "y = Object.entries(Object(x));",
    "y = x?.length;",
    "y = x?.[0];",
    "y = x == y;",
    "y = x + y;",
    "y = typeof x;",
    "y = x.toString().split('');",
    "y = String(x).replace(/./gu, '$&$&');",
    "y = String(x).padEnd(100, String(y));",
    "y = String(x).normalize('NFKC');",
    "y = [x, y].flat(Infinity);",
    "y = [3, 1, 2].sort(() => { x = []; return -1 });",
    "y = Object(x).constructor;",
    "y = new y(x);",
    "y = x.next();",
    "y = x();",
    "y = await x;",
    "for (const z of x) { y = z; break }",
    "for (const k in Object(x)) delete x[k];",
    "Object.defineProperty(Object(x), 'a', {get() { return y }, configurable: true});",
    "Object.setPrototypeOf(Object(x), Object(y));",
    "Object(x).length = 5;",
    "Object(x)[0] = y;",
    "Object(x)[1e9] = y;",
    "delete Object(x)[0];",
    "Object.prototype.then = undefined;",
    "Array.prototype[0] = x;",
    "Object.prototype.__defineGetter__('value', () => x);",
    "Object.prototype.__defineSetter__('value', () => x);",
    "Error.prepareStackTrace = () => x;",
    "Error.stackTraceLimit = 3;",
    "console.log(x, y);",
    "tools.echo(x).then((z) => { y = z }, () => {});",
    "y = await tools.echo(y);",
    "tools.hold(x).catch(() => {});",
    "eval('x = y');",
    "y = new Function('a', 'return a')(x);",
    "queueMicrotask(() => { x = y });",
    "y = import('./m.js');",
    "y = new WeakRef(Object(x)).deref();",
    "x.resize(32);",
    "x.transfer();",
    "new Float64Array(x).fill(1.5);",
    "y = x.subarray(1).set(x);",
    "y = BigInt.asIntN(64, x) ** 3n;",
    "y = parseFloat(x) | 0;",
    "y = structuredClone;",
    "try {",
    "} catch (e) { y = e }",
    "} finally { x = y }",
    "if (x) {",
    "} else {",
    "for (let i = 0; i < 5; i++) {",
    "while (x) {",
    "}",
    "label: {",
    "break label;",
    "(() => {",
    "})();",
    "async function f() {",
    "function g(a = x, ...b) {",
    "return x;",
    "throw x;",
    "with (Object(x)) {",
    "using u = {[Symbol.dispose]() { x = y }};",
};

std::string program_of(std::string_view text) {
  if (!text.starts_with('\x01')) return std::string(text);
  std::string program = "var x = 1, y = 2;\n";
  for (const char byte : text.substr(1)) {
    program += pieces[static_cast<unsigned char>(byte) % std::size(pieces)];
    program += '\n';
  }
  return program + "[x, y]";
}

void require(bool holds, const char* property, const Report& report) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n%s: %s\n", property,
               std::string(report.error.code_text()).c_str(), report.error.message.c_str());
  std::abort();
}

const Provider& tools() {
  static const Provider provider = [] {
    Provider made("tools");
    made.add("echo", [](Value input) -> Result<Value> { return input; });
    static std::vector<Reply> held;
    made.add_async("hold", [](Value, Reply reply) {
      if (held.size() > 1000) held.clear();
      held.push_back(std::move(reply));
    });
    return made;
  }();
  return provider;
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Engine engine = *Engine::create({.workers = 0, .slots = 2});
  static const std::set<ErrorCode> codes = {
      ErrorCode::syntax_error, ErrorCode::runtime_error,   ErrorCode::timeout,
      ErrorCode::memory_limit, ErrorCode::stack_overflow,  ErrorCode::serialization_error,
      ErrorCode::tool_error,   ErrorCode::validation_error};

  const Report report =
      engine
          .execute(program_of(as_text({data, size})),
                   {.limits = {.time = {.total = 50ms}, .memory_bytes = 8 << 20, .log_lines = 10},
                    .providers = {tools()},
                    .modules = {{"./m.js", "export const m = 1"}}})
          .get();
  // A trap that is not the stack's is a broken interpreter: it did no harm, and must be known.
  require(report.ok() || codes.contains(report.error.code), "a program ends in a way it may",
          report);
  require(report.memory_bytes <= 8 << 20, "within its memory", report);
  require(report.duration < 5s, "and its time", report);
  require(report.logs.size() <= 10, "and its logs", report);
  if (!report.ok()) {
    const Report after = engine.execute("1 + 1").get();
    require(after.ok() && after.result == Value(2), "the engine goes on", after);
  }
  return 0;
}
