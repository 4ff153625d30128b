#include "cordon/protocol/tunnel/discovery.h"

namespace cordon::tunnel {
namespace {

Result<std::vector<std::string>> ids_of(const ValueView& list, const std::string& name) {
  if (!list.is_array()) return fail(ErrorCode::malformed, "allowList." + name + " is no array");
  std::vector<std::string> ids;
  ids.reserve(list.size());
  for (const ValueView& id : list.items()) {
    if (!id.is_string())
      return fail(ErrorCode::malformed, "allowList." + name + " has something that is no id");
    ids.emplace_back(id.as_string());
  }
  return ids;
}

}  // namespace

Result<Discovery> discovery_of(const ValueView& result) {
  const ValueView list = result.find("allowList");
  const ValueView enabled = list.find("enabled");
  if (!list.is_object() || !enabled.is_bool())
    return fail(ErrorCode::malformed, "the answer has no allow-list");
  Discovery discovery{.enabled = enabled.as_bool()};
  discovery.tasks = CORDON_TRY(ids_of(list.find("tasks"), "tasks"));
  discovery.events = CORDON_TRY(ids_of(list.find("events"), "events"));
  return discovery;
}

}  // namespace cordon::tunnel
