// Provider, Tool, Reply: C++ functions as tools, in each form that they may have.

#include <chrono>
#include <iostream>
#include <stop_token>
#include <thread>

#include <cordon/cordon.h>

using namespace cordon;
using namespace std::chrono_literals;

int main() {
  Provider tools("tools");

  // Answers at once. The thread that runs guests calls it, so it must not wait.
  tools.add("twice", [](Value input) -> Result<Value> { return input.as_number() * 2; });

  // May wait: it runs on a thread of the provider's own. The token says when the execution is over
  // and the answer is not wanted any more.
  tools.add_blocking("sleep", [](Value input, std::stop_token stop) -> Result<Value> {
    for (int ms = input["ms"].value_or(1); ms > 0 && !stop.stop_requested(); --ms) {
      std::this_thread::sleep_for(1ms);
    }
    return "slept";
  });

  // A coroutine. It runs on the thread that resumes it.
  tools.add("greet", [](Value input) -> Coroutine<Result<Value>> {
    co_return "hello " + std::string(input["name"].as_string());
  });

  // Answers through its Reply: once, later, from any thread. Here a thread stands in for an event
  // loop. A Reply that is dropped tells the guest that the tool gave no answer.
  std::jthread loop;
  tools.add("fetch", [&loop](Value input, Reply reply) {
    loop = std::jthread([input, reply = std::move(reply)]() mutable {
      std::this_thread::sleep_for(2ms);
      reply("page " + std::string(input.as_string()));
    });
  });

  // A name becomes a JavaScript identifier. A description is for people and models.
  tools.add("scrape-url", [](Value) -> Result<Value> { throw std::runtime_error("offline"); });
  tools.describe("twice", "doubles a number");
  for (const Tool& tool : tools.tools()) {
    std::cout << tools.name() << '.' << tool.name;
    const std::string& description = tool.rules.description;
    std::cout << (description.empty() ? "" : ": ") << description << '\n';
  }

  // Every name is a tool, for functions that you cannot list beforehand. This one answers by name.
  Provider books("books");
  books.add_any([](const std::string& tool, Value input, Reply reply) {
    if (tool != "lend") return reply(fail(ErrorCode::tool_error, "books cannot " + tool));
    reply(std::string(input.as_string()) + " is yours");
  });

  constexpr std::string_view code = R"(
    const answers = await Promise.all([
      tools.twice(21), tools.sleep({ms: 3}), tools.greet({name: "Ada"}), tools.fetch("home"),
    ]);
    await tools.scrape_url().catch((error) => answers.push(error.message));
    answers.push(await books.lend("Emma"));
    await books.burn("Emma").catch((error) => answers.push(error.message));
    answers
  )";
  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) return 1;
  const Report report = engine->execute(code, {.providers = {tools, books}}).get();
  std::cout << (report.ok() ? debug_text(report.result) : report.error.message) << '\n';
}

// Output:
// tools.twice: doubles a number
// tools.sleep
// tools.greet
// tools.fetch
// tools.scrape_url
// [42, "slept", "hello Ada", "page home", "offline", "Emma is yours", "books cannot burn"]
