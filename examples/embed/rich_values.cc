// ValueRule::rich: JavaScript's own kinds of values go in and come out, shared objects and cycles
// included.

#include <iostream>

#include <cordon/cordon.h>

int main() {
  using namespace cordon;
  auto engine = Engine::create_one_shot();
  if (!engine) {
    std::cerr << to_string(engine.error()) << '\n';
    return 1;
  }

  ExecuteOptions options;
  options.values = ValueRule::rich;
  options.input = Value::object({{"since", Value::date(0)}, {"total", Value::bigint(12)}});
  const Report report = engine
                            ->execute(R"(
    const year = input.since.getUTCFullYear();
    const byYear = new Map([[year, input.total * 2n]]);
    const report = {byYear, tags: new Set(['old'])};
    report.self = report;
    report
  )",
                                      options)
                            .get();
  if (!report.ok()) {
    std::cerr << report.error.message << '\n';
    return 1;
  }
  const Value& result = report.result;
  for (const auto& [year, total] : result["byYear"].entries())
    std::cout << year.as_number() << ": " << total.bigint_text() << '\n';
  std::cout << result["tags"].items()[0].as_string() << '\n';
  std::cout << (result["self"].identity() == result.identity() ? "itself\n" : "another\n");
}

// Output:
// 1970: 24
// old
// itself
