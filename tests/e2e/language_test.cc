// What the language itself bears: many arguments, deep recursion, and where the engine was mended.

#include <string>

#include "cordon_command.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::e2e {
namespace {

using testing::HasSubstr;

// What `cordon run ARGUMENTS…` prints, without the newline, and the quotes of a string.
std::string printed_by(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"run", "--timeout", "60000"});
  const Ended ended = cordon(Command{.arguments = std::move(arguments), .input = {}});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  std::string text = ended.output.substr(0, ended.output.find('\n'));
  if (text.starts_with('"')) text = text.substr(1, text.size() - 2);
  return text;
}

std::string printed(const std::string& program) { return printed_by({"-e", program}); }

TEST(Arguments, MayBeTwoHundredThousand) {
  const std::string a = "const a = Array.from({length: 200000}, (_, i) => i);";
  for (const auto& [call, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Math.max(...a)", "199999"},
           {"Math.min.apply(null, a)", "0"},
           {"const b = []; b.push(...a); b.length", "200000"},
           {"String.fromCharCode(...a).length", "200000"},
           {"Reflect.apply(Math.max, null, a)", "199999"},
           {"Reflect.construct(Array, a).length", "200000"},
           {"new Set([...a, ...a]).size", "200000"},
           {"new Array(...a).length", "200000"},
           {"((...rest) => rest.length)(...a)", "200000"},
           {"(function () { return arguments.length + arguments[199999]; })(...a)", "399999"},
           {"(function (x) { x = 7; return arguments[0]; })(...a)", "7"},
           {"((x, y, ...z) => x + y + z.length)(...a)", "199999"},
           {"new (class { constructor(...r) { this.n = r.length; } })(...a).n", "200000"},
           {"class A { constructor(...r) { this.n = r.length; } } class B extends A {} new "
            "B(...a).n",
            "200000"},
           {"Math.max.bind(null, 1)(...a)", "199999"},
           {"Math.max.bind(null, ...a)(300000)", "300000"},
           {"new Proxy(Math.max, {})(...a)", "199999"},
           {"(function* (...r) { yield r.length; })(...a).next().value", "200000"},
           {"await (async (...r) => r.length)(...a)", "200000"},
           {"[].concat(...a.map((x) => [x])).length", "200000"},
           {"const c = [1, 2]; c.splice(1, 0, ...a); c.length", "200002"},
           {"const d = []; d.unshift(...a); d.length", "200000"}}) {
    EXPECT_EQ(printed(a + call), expected) << call;
  }
}

TEST(Arguments, EndInARangeError) {
  for (const char* call : {"Math.max(...new Array(2e6))", "f.apply(null, {length: 4e9})",
                           "Reflect.apply(f, null, {length: 2 ** 53})", "new f(...new Array(2e6))",
                           "f.bind(null, ...new Array(9e5)).bind(null, ...new Array(9e5))()"}) {
    EXPECT_EQ(printed("function f() {} let seen; try { " + std::string(call) +
                      " } catch (error) { seen = error.name } seen"),
              "RangeError")
        << call;
  }
}

TEST(Recursion, HasTenThousandLevels) {
  for (const auto& [program, expected] : std::initializer_list<std::pair<const char*, const char*>>{
           {"const f = (n) => n === 0 ? 0 : 1 + f(n - 1); f(10000)", "10000"},
           {"const f = (n) => n === 0 ? 0 : 1 + f(n - 1); f(20000)", "20000"},
           {"const sum = (list) => list ? list.value + sum(list.next) : 0;"
            "let list = null; for (let i = 0; i < 10000; i++) list = {value: 1, next: list}; "
            "sum(list)",
            "10000"},
           {"class Tree { constructor(left, right) { this.left = left; this.right = right; }"
            " size() { let n = 1; if (this.left) n += this.left.size(); if (this.right) n += "
            "this.right.size();"
            " return n; } }"
            "let tree; for (let i = 0; i < 10000; i++) tree = new Tree(tree, i % 100 ? undefined : "
            "new Tree());"
            "tree.size()",
            "10100"},
           {"const even = (n) => n === 0 || odd(n - 1), odd = (n) => n !== 0 && even(n - 1); "
            "even(10000)",
            "true"},
           {"function f(n, ...rest) { if (n === 0) return rest.length; const g = () => f(n - 1, n, "
            "n);"
            " return g(); } f(5000)",
            "2"},
           {"function f(n) { try { if (n === 0) throw new Error('end'); return f(n - 1); } finally "
            "{ f.n = n; } }"
            "let seen; try { f(10000) } catch (error) { seen = error.message + f.n } seen",
            "end10000"},
           {"const visit = (nodes) => nodes.map((node) => visit(node)); let tree = [];"
            "for (let i = 0; i < 700; i++) tree = [tree]; JSON.stringify(visit(tree)).length",
            "1402"}}) {
    EXPECT_EQ(printed(program), expected) << program;
  }
}

TEST(Recursion, EndsInARangeErrorThatCanBeCaught) {
  for (const char* body :
       {"function f() { return 1 + f(); }", "const f = () => [f()];", "const f = () => [0].map(f);",
        "const o = { get x() { return this.x; } }; const f = () => o.x;",
        "const o = { toString() { return `${this}`; } }; const f = () => `${o}`;",
        "class A { constructor() { new A(); } } const f = () => new A();",
        "const f = () => new Proxy({}, { get: () => f() }).x;",
        "const f = () => 'a'.replace(/a/, f);", "const f = (...a) => f.apply(null, a);",
        "const f = () => [...(function* () { yield* f(); })()];",
        "const f = () => JSON.stringify({ toJSON: f });",
        "const f = () => [2, 1].sort(() => f());"}) {
    EXPECT_EQ(printed(std::string(body) + " let seen; try { f() } catch (error) {"
                                          " seen = [error.name, error.message].join() } seen"),
              "RangeError,Maximum call stack size exceeded")
        << body;
  }
  EXPECT_EQ(printed("const f = async () => { await f(); }; let seen;"
                    "try { await f() } catch (error) { seen = error.name } seen"),
            "RangeError");
}

TEST(Recursion, EndsInARangeErrorWithLittleMemory) {
  for (const char* memory : {"64KiB", "2MiB", "3MiB", "8MiB"}) {
    EXPECT_EQ(printed_by({"--memory", memory, "-e",
                          "let n = 0, seen; const f = () => { n++; f(); };"
                          "try { f() } catch (error) { seen = error.name + (n > 2000) } seen"}),
              "RangeErrortrue")
        << memory;
  }
}

TEST(Language, ClosesASyncIteratorWhoseValueIsRejected) {
  EXPECT_EQ(
      printed("let closed = 0, seen; function* f() { try { yield Promise.reject(new Error('no')); }"
              " finally { closed++; } }"
              "try { for await (const x of f()); } catch (error) { seen = error.message } seen + "
              "closed"),
      "no1");
  // An iterator that fails itself is not closed, in any of three ways.
  for (const char* next :
       {"() => Promise.reject(new Error('no'))", "() => { throw new Error('no') }",
        "() => ({ get done() { throw new Error('no') } })"}) {
    EXPECT_EQ(printed("let closed = 0, seen;"
                      "const list = { [Symbol.asyncIterator]: () => ({ next: " +
                      std::string(next) +
                      ", return() { closed++; return {} } }) };"
                      "try { for await (const x of list); }"
                      "catch (error) { seen = error.message } seen + closed"),
              "no0")
        << next;
  }
  EXPECT_EQ(printed("let closed = 0; const list = { [Symbol.asyncIterator]: () => ({"
                    " next: () => ({ value: 1 }), return() { closed++; return {} } }) };"
                    "for await (const x of list) break;"
                    "try { for await (const x of list) throw 1; } catch {}"
                    "closed"),
            "2");
}

TEST(Language, HasNoSharedMemory) {
  EXPECT_EQ(printed("[typeof SharedArrayBuffer, typeof Atomics].join()"), "undefined,undefined");
}

TEST(Language, ReexportsOneBindingByTwoWays) {
  const Folder folder;
  folder.file("a.js", "export let x = 1; export const change = () => x++;");
  folder.file("b.js", "import { x } from './a.js'; export { x }; export * as all from './a.js';");
  folder.file("c.js", "export * from './a.js'; export * as all from './a.js';");
  folder.file("d.js", "export * from './b.js'; export * from './c.js';");
  const std::string main = folder.file(
      "main.js",
      "import { x, change, all } from './d.js'; change(); export default [x, all.x, x === all.x];");
  EXPECT_EQ(printed_by({main}), "[2,2,true]");
}

TEST(Language, ExportsWhatItUses) {
  const Folder folder;
  folder.file("resource.js",
              "export const seen = []; using resource = {name: 'r', [Symbol.dispose]() {"
              " seen.push('disposed ' + this.name); } };"
              "export { resource, resource as other }; seen.push('body');");
  const std::string main =
      folder.file("main.js",
                  "import { seen, resource, other } from './resource.js';"
                  "export default [...seen, resource.name, resource === other].join();");
  EXPECT_EQ(printed_by({main}), "body,disposed r,r,true");
  const Ended ended =
      cordon(Command{.arguments = {"run", "-e", "export using x = null;"}, .input = {}});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.errors, HasSubstr("syntax_error"));
}

TEST(Language, MakesAKeyBeforeTheValue) {
  EXPECT_EQ(printed("const seen = []; const key = { toString() { seen.push('key'); return 'k'; } };"
                    "const o = { [key]: seen.push('value') }; seen.join() + o.k"),
            "key,value2");
  EXPECT_EQ(
      printed(
          "class A { get\n *a() { yield 1; } } [Object.keys(new A()), [...new A().a()]].join()"),
      "get,1");
}

}  // namespace
}  // namespace cordon::e2e
