// ToolRules: what tools may be given, and how much of them one execution may use. And a provider
// whose tools are described by a manifest.

#include <chrono>
#include <iostream>

#include <cordon/cordon.h>

using namespace cordon;
using namespace std::chrono_literals;

int main() {
  const auto price = [](Value input) -> Result<Value> { return input["amount"].as_number() * 250; };
  const Value amount_schema = Value::object(
      {{"type", "object"},
       {"properties", Value::object({{"amount", Value::object({{"type", "number"}})}})},
       {"required", Value::array({"amount"})}});

  Provider shop("shop");
  const Result<> added = shop.add("price", price,
                                  {.description = "The price of an amount, in cents.",
                                   .input = amount_schema,
                                   .timeout = 500ms,
                                   .max_calls = 20,
                                   .read_only = true});
  if (!added) {
    std::cerr << added.error() << '\n';
    return 1;
  }
  shop.add_blocking("sell", [](Value) -> Result<Value> { return true; });
  if (!shop.set_rules("sell", {.concurrency = 4})) return 1;

  Result<Engine> engine = Engine::create_one_shot();
  if (!engine) return 1;
  const auto show = [&](std::string_view code, const Provider& provider) {
    const Report report = engine->execute(code, {.providers = {provider}}).get();
    if (report.ok()) {
      std::cout << debug_text(report.result) << '\n';
    } else {
      std::cout << report.error << '\n';
    }
  };
  show("[await shop.price({amount: 2}), await shop.sell({})]", shop);
  show("await shop.price({amount: 'two'})", shop);
  show("for (let i = 1; i <= 21; ++i) await shop.price({amount: i})", shop);

  // An execution that is to change nothing.
  show("Object.keys(shop)", shop.read_only());

  // An invalid schema is told before anything runs.
  const Result<> wrong = shop.set_rules("price", {.input = Value::object({{"type", "numbr"}})});
  if (wrong.error().is(ErrorCode::invalid_argument)) std::cout << "that schema is invalid\n";

  const Result<Value> manifest = from_json(R"({"name": "files", "tools": {
    "read_file": {"safeName": "read_file", "originalName": "read-file", "description": "Reads."}}})");
  if (!manifest) return 1;
  const Result<Provider> files =
      Provider::from_manifest(*manifest, [](const std::string& tool, Value input, Reply reply) {
        reply(tool + " of " + std::string(input.as_string()));
      });
  if (!files) {
    std::cerr << files.error() << '\n';
    return 1;
  }
  show("await files.read_file('notes.txt')", *files);
}

// Output:
// [500, true]
// validation_error: Invalid input for tool price: amount: the value is not of type "number"
// tool_error: Tool price may be called 20 times in one execution
// ["price"]
// that schema is invalid
// "read-file of notes.txt"
