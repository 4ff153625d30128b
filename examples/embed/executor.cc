// Executor: the same programs in this process and on runners elsewhere.

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;
using namespace std::chrono_literals;

int main(int, char** arguments) {
  // `cordon` lies near this program.
  const std::filesystem::path folder = std::filesystem::absolute(arguments[0]).parent_path();
  setenv("PATH", (folder.parent_path() / "bin").c_str(), 1);

  Provider tools("tools");
  tools.add("add",
            [](Value in) -> Result<Value> { return in["a"].value_or(0) + in["b"].value_or(0); });

  ExecutorOptions options{.runner = "cordon runner", .spares = 2};
  Result<Executor> executor = Executor::create(options);
  Report report = executor->execute("await tools.add({a: 40, b: 2})", {.providers = {tools}});
  std::cout << "elsewhere: " << debug_text(report.result) << '\n';

  Result<Executor> here = Executor::create({});
  report = here->execute("await tools.add({a: 40, b: 2})", {.providers = {tools}});
  std::cout << "here: " << debug_text(report.result) << '\n';

  // One execution is one process: it can take nothing along but itself.
  report = executor->execute("for (;;);", {.limits = {.time = {.total = 50ms}}});
  std::cout << report.error << '\n';

  Result<Executor> broken = Executor::create({.runner = "/bin/sh -c 'exit 3'"});
  report = broken->execute("1 + 1");
  if (report.error.is(ErrorCode::runner_error)) std::cout << report.error << '\n';
}

// Output:
// elsewhere: 42
// here: 42
// timeout: Execution timed out
// runner_error: the runner exited with code 3
