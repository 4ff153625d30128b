// Executor: the same programs in this process and on runners elsewhere.

#include <cstdlib>
#include <filesystem>
#include <future>
#include <iostream>
#include <string>
#include <vector>

#include <cordon/cordon.h>

using namespace cordon;

int main(int, char** arguments) {
  // `cordon` lies near this program.
  const std::filesystem::path folder = std::filesystem::absolute(arguments[0]).parent_path();
  setenv("PATH", (folder.parent_path() / "bin").c_str(), 1);

  Provider tools("tools");
  tools.add("add",
            [](Value in) -> Result<Value> { return in["a"].value_or(0) + in["b"].value_or(0); });

  ExecutorOptions options{.runner = "cordon runner", .spares = 2};
  Result<Executor> executor = Executor::create(options);
  Execution sum = executor->execute("await tools.add({a: 40, b: 2})", {.providers = {tools}});
  std::cout << "elsewhere: " << debug_text(sum.get().result) << '\n';

  Result<Executor> here = Executor::create({});
  sum = here->execute("await tools.add({a: 40, b: 2})", {.providers = {tools}});
  std::cout << "here: " << debug_text(sum.get().result) << '\n';

  // One execution is one process: it can take nothing along but itself. None of them has a thread
  // here while it runs.
  std::vector<std::future<Report>> reports;
  for (int i = 0; i < 8; ++i) {
    const std::string code = "await tools.add({a: " + std::to_string(i) + ", b: 1})";
    reports.push_back(executor->execute(code, {.providers = {tools}}).future());
  }
  double total = 0;
  for (std::future<Report>& report : reports) total += report.get().result.value_or(0);
  std::cout << "eight at once: " << total << '\n';

  Execution endless = executor->execute("for (;;);");
  endless.cancel();
  std::cout << endless.get().error << '\n';

  Result<Executor> broken = Executor::create({.runner = "/bin/sh -c 'exit 3'"});
  const Report report = broken->execute("1 + 1").get();
  if (report.error.is(ErrorCode::runner_error)) std::cout << report.error << '\n';
}

// Output:
// elsewhere: 42
// here: 42
// eight at once: 36
// cancelled: Execution was cancelled
// runner_error: the runner exited with code 3
