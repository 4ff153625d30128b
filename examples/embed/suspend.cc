// ExecuteOptions::suspend_on and Engine::resume: an execution ends where it calls a tool, as an
// image, and is resumed in another process, here in the same one.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

int main() {
  Result<Engine> engine = Engine::create({});
  if (!engine) return 1;
  Provider tools("tools");
  tools.add("approve", [](Value) -> Result<Value> { return true; });
  const Report report =
      engine
          ->execute("const ok = await tools.approve({sum: 100}); ok ? 'paid' : 'no'",
                    {.providers = {tools}, .suspend_on = {"tools.approve"}})
          .get();
  if (!report.is_suspended()) return 1;
  const Bytes& image = report.suspended.image;  // to a file, or a database
  std::cout << "asks " << debug_text(report.suspended.calls[0].input) << '\n';

  Result<Execution> resumed = engine->resume(image, {Value(true)}, {.providers = {tools}});
  if (!resumed) return 1;
  std::cout << debug_text(resumed->get().result) << '\n';
}

// Output:
// asks {"sum": 100}
// "paid"
