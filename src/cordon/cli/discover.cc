#include "cordon/cli/discover.h"

#include <CLI/CLI.hpp>

#include "cordon/base/visible_text.h"
#include "cordon/cli/options.h"
#include "cordon/cli/tunnel_command.h"
#include "cordon/cli/usage.h"
#include "cordon/protocol/tunnel/discovery.h"

namespace cordon::cli {
namespace {

// A line for each, so an id is not to have line ends of its own.
void append_lines(std::string& text, const char* kind, const std::vector<std::string>& ids) {
  for (const std::string& id : ids)
    text += std::string(kind) + " " + visible(id, Lines::escaped) + "\n";
}

TunnelExchange::ShownResult shown_discovery(const Value& result, bool json,
                                            const rich::Serializer& serializer) {
  const Result<tunnel::Discovery> discovery = tunnel::discovery_of(result);
  if (!discovery)
    return TunnelFailure{.code = "bad_response", .message = discovery.error().message};
  if (json) {
    // Without what else a server may have put beside these.
    const ValueView list = result.find("allowList");
    const Value shown = Value::object({{"enabled", result.share(list.find("enabled"))},
                                       {"tasks", result.share(list.find("tasks"))},
                                       {"events", result.share(list.find("events"))}});
    return shown_result(shown, json, serializer);
  }
  std::string text;
  append_lines(text, "task", discovery->tasks);
  append_lines(text, "event", discovery->events);
  return text;
}

}  // namespace

void bind_discover(CLI::App& command, DiscoverArguments& arguments) {
  bind_tunnel(command, arguments.tunnel);
  refuse_empty_options(command);
}

int discover(const DiscoverArguments& arguments) {
  if (arguments.tunnel.url.empty()) return usage_error("discover", "no URL of a tunnel");
  return run_tunnel_command("discover", arguments.tunnel,
                            {.call = {.target = tunnel::ClientCall::Target::discovery}},
                            shown_discovery);
}

}  // namespace cordon::cli
