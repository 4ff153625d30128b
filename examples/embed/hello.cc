// The whole of it: a tool, an engine, a program, its result.

#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;

int main() {
  Provider shop("shop");
  shop.add("price", [](Value in) -> Result<Value> { return in["count"].value_or(1) * 250; });

  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) {
    std::cerr << engine.error() << '\n';
    return 1;
  }
  const std::string_view code = "const total = await shop.price({count: 3}); ({total})";
  const Report report = engine->execute(code, {.providers = {shop}}).get();
  if (!report.ok()) {
    std::cerr << report.error.message << '\n';
    return 1;
  }
  std::cout << "total: " << report.result["total"].as_number() << '\n';
  return 0;
}

// Output:
// total: 750
