// Limits: each has a code of its own. The host decides from what it saw, never from what the
// program says.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;
using namespace std::chrono_literals;

int main() {
  Result<Engine> engine = Engine::create({});
  if (!engine) return 1;
  Provider tools("tools");
  tools.add("echo", [](Value input) -> Result<Value> { return input; });
  const auto run = [&](std::string_view code, const Limits& limits) {
    const Report report = engine->execute(code, {.limits = limits, .providers = {tools}}).get();
    return report.ok() ? debug_text(report.result) : std::string(report.error.code_text());
  };

  // Three clocks: from acceptance to the end; what the guest computes; the processor's. `{}` stops
  // one.
  std::cout << run("await new Promise((done) => setTimeout(done, 1000))", {.time = {.total = 20ms}})
            << '\n';
  std::cout << run("for (;;);", {.time = {.total = {}, .computing = 20ms}}) << '\n';
  std::cout << run("/(a+)+$/.test('a'.repeat(40) + 'b')", {.time = {.cpu = 20ms}}) << '\n';

  // Memory ends the program, whatever it catches. Too deep a recursion is a RangeError.
  const Limits small{.memory_bytes = 8 << 20};
  std::cout << run("try { const a = []; for (;;) a.push([...a]); } catch { 'caught' }", small)
            << '\n';
  std::cout << run("const f = () => f(); let name; try { f() } catch (e) { name = e.name } name",
                   {})
            << '\n';

  // What leaves the sandbox, and how much at once.
  std::cout << run("'x'.repeat(2000)", {.message_bytes = 1000}) << '\n';
  std::cout << run("[[[[]]]]", {.nesting = 3}) << '\n';
  std::cout << run("await Promise.all([tools.echo(1), tools.echo(2)])", {.pending_calls = 1})
            << '\n';

  // Logs are cut, and the report says so.
  const ExecuteOptions quiet{.limits = {.log_lines = 2, .log_chars = 1000}};
  const Report report = engine->execute("for (const i of [1, 2, 3]) console.log(i)", quiet).get();
  std::cout << report.logs.size() << " lines" << (report.logs_truncated ? ", cut" : "") << '\n';

  // The same words from the program are an error like any other.
  std::cout << run("throw Object.assign(new Error('timed out'), {code: 'timeout'})", {}) << '\n';
}

// Output:
// timeout
// timeout
// timeout
// memory_limit
// "RangeError"
// serialization_error
// serialization_error
// runtime_error
// 2 lines, cut
// runtime_error
