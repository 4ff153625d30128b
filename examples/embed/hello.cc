// The whole of it in ten lines: a tool, an engine, a program, its result.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

int main() {
  Provider shop("shop");
  shop.add("price", [](Value in) -> Result<Value> { return in["count"].value_or(1) * 250; });

  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) return std::cerr << engine.error() << '\n', 1;
  const std::string_view code = "const total = await shop.price({count: 3}); ({total})";
  const Report report = engine->execute(code, {.providers = {shop}}).get();
  std::cout << (report.ok() ? debug_text(report.result) : report.error.message) << '\n';
  return report.ok() ? 0 : 1;
}

// Output:
// {"total": 750}
