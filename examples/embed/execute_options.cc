// ExecuteOptions: what a program is given, and who watches it. LogLine, LogLevel and CallRecord are
// what the watchers see.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

int main() {
  Provider stock("stock");
  stock.add("count", [](Value input) -> Result<Value> {
    if (input == "tea") return 12;
    return fail(ErrorCode::not_found, "no such thing");
  });

  ExecuteOptions options;
  options.name = "report.js";  // as it stands in stacks and locations
  options.providers = {stock};
  options.input = Value::array({"tea", "gold"});  // the global `input`
  options.modules = {{"./format.js", "export const line = (a, b) => `${a}: ${b}`"}};

  // The thread that drives the guest calls these, so they must not wait.
  options.on_log = [](const LogLine& line) {
    std::cout << '[' << name_of(line.level) << "] " << line.text << '\n';
  };
  options.on_call = [](const CallRecord& call) {
    std::cout << "-> " << call.provider << '.' << call.tool << '\n';
  };
  options.on_answer = [](const CallRecord& call) {
    std::cout << "<- " << (call.ok ? "ok" : "failed") << '\n';
  };

  constexpr std::string_view code = R"(
    import { line } from "./format.js";
    const lines = [];
    for (const name of input) {
      try {
        lines.push(line(name, await stock.count(name)));
      } catch (error) {
        console.warn(line(name, error.message));
      }
    }
    export default lines;
  )";
  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) return 1;
  const Report report = engine->execute(code, options).get();
  std::cout << (report.ok() ? debug_text(report.result) : report.error.message) << '\n';
}

// Output:
// -> stock.count
// <- ok
// -> stock.count
// <- failed
// [warn] gold: no such thing
// ["tea: 12"]
