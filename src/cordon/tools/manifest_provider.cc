// Provider::from_manifest.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "cordon/tools/provider_state.h"
#include "cordon/tools/safe_name.h"

namespace cordon {
namespace {

// A runner takes no more, in one execution.
constexpr std::size_t max_tools = 100'000;
constexpr std::size_t max_name_bytes = 1024;
constexpr std::size_t max_shown_bytes = 100;

std::unexpected<Error> wrong(std::string text) {
  return fail(ErrorCode::invalid_argument, "not a provider's manifest: " + std::move(text));
}

std::string quoted(std::string_view name) {
  const bool is_long = name.size() > max_shown_bytes;
  return "\"" + std::string(name.substr(0, max_shown_bytes)) + (is_long ? "…\"" : "\"");
}

Result<> check_name(const std::string& place, ValueView name) {
  if (!name.is_string()) return wrong(place + " must be a string");
  if (name.as_string().size() > max_name_bytes)
    return wrong(place + " is longer than " + std::to_string(max_name_bytes) + " bytes");
  if (!tools::is_identifier(name.as_string())) {
    return wrong(place + " is " + quoted(name.as_string()) +
                 ", which no program could write; a safe name is " +
                 quoted(tools::safe_name(name.as_string())));
  }
  return {};
}

Result<std::string> text_or_empty(const std::string& place, ValueView text) {
  if (text.is_undefined()) return std::string();
  if (!text.is_string()) return wrong(place + " must be a string");
  return std::string(text.as_string());
}

Result<Tool> read_tool(std::string_view key, ValueView tool) {
  const std::string place = "tools[" + quoted(key) + "]";
  if (!tool.is_object()) return wrong(place + " must be an object");
  const ValueView safe_name = tool.find("safeName");
  CORDON_TRY(check_name(place + ".safeName", safe_name));
  if (safe_name.as_string() != key)
    return wrong(place + ".safeName is " + quoted(safe_name.as_string()) + ", and not its key");
  const ValueView original = tool.find("originalName");
  if (!original.is_string()) return wrong(place + ".originalName must be a string");
  if (original.as_string().size() > max_name_bytes) {
    return wrong(place + ".originalName is longer than " + std::to_string(max_name_bytes) +
                 " bytes");
  }
  ToolRules rules;
  rules.description = CORDON_TRY(text_or_empty(place + ".description", tool.find("description")));
  return Tool{std::string(key), {}, std::string(original.as_string()), std::move(rules)};
}

}  // namespace

Result<Provider> Provider::from_manifest(const Value& manifest, AnyToolFunction handler) {
  if (!manifest.is_object()) return wrong("it must be an object");
  const ValueView name = manifest.find("name");
  CORDON_TRY(check_name("name", name));
  const ValueView tools = manifest.find("tools");
  if (!tools.is_object()) return wrong("tools must be an object");
  if (tools.size() > max_tools)
    return wrong("it has more than " + std::to_string(max_tools) + " tools");

  Provider provider = with_exact_names(name.as_string());
  State& state = *provider.state_;
  state.types = CORDON_TRY(text_or_empty("types", manifest.find("types")));
  const auto shared = std::make_shared<const AnyToolFunction>(std::move(handler));
  for (const auto [key, member] : tools.members()) {
    Tool tool = CORDON_TRY(read_tool(key, member));
    tool.function = [shared, original = tool.original_name](Value input, Reply reply) {
      (*shared)(original, std::move(input), std::move(reply));
    };
    ToolFunction plain = tool.function;
    state.add(std::move(tool), std::move(plain));
  }
  return provider;
}

}  // namespace cordon
