// What `console` writes in `cordon run`, where Node's own console is no model for a test of one
// line a call (tests/web/console.js has those).

#include <string>

#include "cordon_command.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::e2e {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

Ended run(const std::string& program) {
  return cordon(Command{.arguments = {"run", "-e", program}});
}

std::string logged(const std::string& program) { return run(program).errors; }

TEST(Console, ShowsAnErrorAloneWithItsStack) {
  EXPECT_EQ(logged("console.error('failed', new TypeError('no', {cause: new Error('why')}))"),
            "[error] failed TypeError: no\n"
            "        at <eval> (-e:1:25) { [cause]: [Error: why at <eval> (-e:1:53)] }\n");
  EXPECT_EQ(logged("class HttpError extends Error { status = 404 }"
                   "function get() { console.log(new HttpError('x')) } get()"),
            "[log] HttpError: x\n        at get (-e:1:76)\n        at <eval> (-e:1:98) { status: "
            "404 }\n");
}

TEST(Console, ShowsAnErrorInsideOfAValueOnOneLine) {
  EXPECT_EQ(
      logged("console.log(await Promise.allSettled([Promise.reject(new RangeError('a\\nb'))]))"),
      "[log] [ { status: 'rejected', reason: [RangeError: a\\nb at <eval> (-e:1:54)] } ]\n");
  EXPECT_EQ(logged("console.log({e: Object.assign(new Error(''), {stack: undefined, code: 5})})"),
            "[log] { e: [Error] { code: 5 } }\n");
}

TEST(Console, ShowsWhatJsonCarriesAsJsonWholeAndTheRestCutShort) {
  const Ended ended =
      run("console.log({text: 'a'.repeat(20000)}); console.log({text: 'a'.repeat(20000), x: NaN})");
  EXPECT_THAT(ended.errors, HasSubstr("[log] {\"text\":\"" + std::string(20000, 'a') + "\"}\n"));
  EXPECT_THAT(ended.errors, HasSubstr("{ text: '" + std::string(10000, 'a') +
                                      "'... 10000 more characters, x: NaN"));
}

TEST(Console, CallsNoGetterAndNoTrap) {
  EXPECT_EQ(logged("let calls = 0; const count = () => ++calls;"
                   "const traps = new Proxy({}, {get: count});"
                   "console.log({get a() { return ++calls }, p: new Proxy({b: 1}, traps)});"
                   "console.table([new Proxy({c: 1}, traps)]); console.log(calls)"),
            "[log] { a: [Getter], p: { b: 1 } }\n"
            "[log] ┌─────────┬───┐\n"
            "    │ (index) │ c │\n"
            "    ├─────────┼───┤\n"
            "    │ 0       │ 1 │\n"
            "    └─────────┴───┘\n"
            "[log] 0\n");
}

TEST(Console, DrawsTables) {
  EXPECT_EQ(logged("console.table([{city: 'Oslo', rain: 1}, {city: 'Bergen', when: [1]}, 5])"),
            "[log] ┌─────────┬──────────┬──────┬───────┬────────┐\n"
            "    │ (index) │ city     │ rain │ when  │ Values │\n"
            "    ├─────────┼──────────┼──────┼───────┼────────┤\n"
            "    │ 0       │ 'Oslo'   │ 1    │       │        │\n"
            "    │ 1       │ 'Bergen' │      │ [ 1 ] │        │\n"
            "    │ 2       │          │      │       │ 5      │\n"
            "    └─────────┴──────────┴──────┴───────┴────────┘\n");
  EXPECT_EQ(logged("console.table(new Map([['a', {x: 1}]])); console.table([{a: 1, b: 2}], ['b']);"
                   "console.table('text')"),
            "[log] ┌───────────────────┬─────┬──────────┐\n"
            "    │ (iteration index) │ Key │ Values   │\n"
            "    ├───────────────────┼─────┼──────────┤\n"
            "    │ 0                 │ 'a' │ { x: 1 } │\n"
            "    └───────────────────┴─────┴──────────┘\n"
            "[log] ┌─────────┬───┐\n"
            "    │ (index) │ b │\n"
            "    ├─────────┼───┤\n"
            "    │ 0       │ 2 │\n"
            "    └─────────┴───┘\n"
            "[log] text\n");
}

TEST(Console, SetsGroupsIn) {
  EXPECT_EQ(
      logged("console.group('list'); console.log('a\\nb'); console.groupCollapsed();"
             "console.warn({n: 1}); console.groupEnd(); console.groupEnd(); console.groupEnd();"
             "console.log('end')"),
      "[log] list\n[log]   a\n      b\n[warn]     {\"n\":1}\n[log] end\n");
  EXPECT_THAT(logged("for (let i = 0; i < 1e6; i++) console.group(); console.log('deep')"),
              StartsWith("[log] " + std::string(64, ' ') + "deep\n"));
}

TEST(Console, CountsAndMeasures) {
  EXPECT_EQ(logged("console.count(); console.count('a'); console.count(); console.countReset();"
                   "console.count(); console.countReset('b')"),
            "[log] default: 1\n[log] a: 1\n[log] default: 2\n[log] default: 1\n"
            "[warn] Warning: Count for 'b' does not exist\n");
  EXPECT_THAT(logged("console.time('t'); console.time('t'); console.timeLog('t', {n: 1});"
                     "console.timeEnd('t'); console.timeEnd('t')"),
              MatchesRegex("\\[warn\\] Warning: Label 't' already exists for console.time\\(\\)\n"
                           "\\[log\\] t: [0-9.]+ms \\{\"n\":1\\}\n\\[log\\] t: [0-9.]+ms\n"
                           "\\[warn\\] Warning: No such label 't' for console.timeEnd\\(\\)\n"));
  EXPECT_THAT(logged("for (let i = 0; i < 300; i++) console.count('label ' + i)"),
              HasSubstr("(further log lines were cut)"));
}

TEST(Console, AssertsAndTracesOnLevelError) {
  EXPECT_EQ(
      logged("console.assert(1, 'no'); console.assert(); console.assert(0, '%d of', 1, {n: 2})"),
      "[error] Assertion failed\n[error] Assertion failed: 1 of {\"n\":2}\n");
  EXPECT_EQ(logged("function f() { console.trace('here', 1) } f()"),
            "[error] Trace: here 1\n        at f (-e:1:24)\n        at <eval> (-e:1:43)\n");
}

TEST(Console, ShowsTextsForDirAndDirxml) {
  EXPECT_EQ(logged("console.dir({n: 1}, {depth: 0}); console.dir('s'); console.dirxml([1]); "
                   "console.clear()"),
            "[log] {\"n\":1}\n[log] 's'\n[log] [1]\n");
}

TEST(Console, NeedsNoThis) {
  EXPECT_EQ(logged("const {log, table} = console; log('a'); table(1); log.call(null, 'b'); "
                   "[1].forEach(log)"),
            "[log] a\n[log] 1\n[log] b\n[log] 1 0 [1]\n");
}

// Whatever a method is given: it returns, and other methods work after it.
TEST(Console, NeverThrows) {
  const Ended ended = run(R"JS(
    const boom = () => { throw new Error('boom') };
    const traps = new Proxy({}, {get: boom});
    const {proxy, revoke} = Proxy.revocable([], {});
    revoke();
    const odd = new Error('odd');
    Object.assign(odd, {cause: odd, message: {toString: boom}, name: Symbol()});
    Object.defineProperty(odd, 'stack', {get: boom});
    const ring = {};
    ring.ring = ring;
    const detached = new ArrayBuffer(8);
    const views = [new Uint8Array(detached), new DataView(detached), detached];
    structuredClone(detached, {transfer: [detached]});
    const without = [new Map([[1, 1]]), [1], () => {}, new Date(0), /x/, new Error('x'), Object(1n), new Uint8Array(1)];
    for (const one of without) Object.setPrototypeOf(one, null);
    const values = [
      new Proxy({}, traps), new Proxy(() => {}, traps), new Proxy([1], traps), proxy, odd, ring, ...views, ...without,
      {get a() { boom() }}, {toJSON: boom}, {toJSON() {}}, {toString: boom, valueOf: boom, x: NaN},
      {[Symbol.toPrimitive]: boom}, {get [Symbol.toStringTag]() { boom() }, x: NaN},
      {get constructor() { boom() }, x: NaN}, {constructor: new Proxy(class {}, traps), x: NaN},
      Object.create(new Proxy({}, traps)), class { static get name() { boom() } }, class { static name = {toString: boom} },
      Symbol('s'), 1n, undefined, null, '%s %d %i %f %j %o %O %c %', Object.create(URL.prototype), Error.prototype,
      Map.prototype, globalThis, console, (function () { return arguments })(1), function* () {}(), new Array(1000),
    ];
    const thrown = [];
    for (const [name, method] of Object.entries(console)) {
      for (const value of values) {
        for (const list of [[value], ['%s %d %i %f %j %o %O %c', ...Array(8).fill(value)], [[value], [value]], [new Map([[value, {value}]])]]) {
          try { method(...list); } catch (error) { thrown.push(`${name}: ${error}`); }
        }
      }
    }
    thrown)JS");
  EXPECT_EQ(ended.output, "[]\n");
}

// A text that grows with each level, and objects nested deeper than the stack.
TEST(Console, EndsWhateverTheValueIs) {
  EXPECT_EQ(
      run("let wide = NaN; for (let i = 0; i < 30; i++) wide = Array(100).fill(wide); "
          "console.log(wide);"
          "let twins = 1; for (let i = 0; i < 100; i++) twins = [twins, twins]; console.log(twins);"
          "let deep = {}; for (let i = 0, at = deep; i < 1e5; i++) at = at.next = {}; "
          "console.log(deep);"
          "let chain = null; for (let i = 0; i < 1e5; i++) chain = Object.create(chain); "
          "console.log({chain, x: NaN}, new Array(2 ** 32 - 1));"
          "let proxy = {}; for (let i = 0; i < 1e4; i++) proxy = new Proxy(proxy, {}); "
          "console.log(proxy);"
          "console.table(Array(5000).fill({text: 'x'.repeat(9999)})); 'ended'")
          .output,
      "\"ended\"\n");
}

TEST(Console, WorksWhereTheStackIsNearlyUsedUp) {
  EXPECT_EQ(run("let logged = 0; function down() { try { down() } catch (error) {"
                " console.log({a: [NaN, new Map([[1, [[1]]]])]}); console.table([{a: 1}]); "
                "++logged; throw error } }"
                "try { down() } catch {} logged > 0")
                .output,
            "true\n");
}

}  // namespace
}  // namespace cordon::e2e
