#include "cordon/cli/emit.h"

#include <CLI/CLI.hpp>

#include "cordon/cli/options.h"
#include "cordon/cli/tunnel_command.h"
#include "cordon/cli/usage.h"

namespace cordon::cli {

void bind_emit(CLI::App& command, EmitArguments& arguments) {
  bind_tunnel(command, arguments.tunnel);
  command.add_option("event", arguments.event, "the event")->type_name("EVENT");
  CLI::Option* payload =
      command
          .add_option("payload", arguments.payload,
                      "its payload as Runner text, @FILE, or - for standard input")
          ->type_name("JSON");
  command.add_flag("--return-payload", arguments.return_payload,
                   "print the payload as its listeners have left it");
  refuse_empty_options(command);
  command.callback([&arguments, payload] { arguments.has_payload = payload->count() > 0; });
}

int emit(const EmitArguments& arguments) {
  if (arguments.tunnel.url.empty()) return usage_error("emit", "no URL of a tunnel");
  if (arguments.event.empty()) return usage_error("emit", "no EVENT to emit");
  TunnelRequest request{.call = {.target = tunnel::ClientCall::Target::event,
                                 .id = arguments.event,
                                 .returns_payload = arguments.return_payload}};
  if (arguments.has_payload) request.input.json = arguments.payload;
  // What a server answers without being asked is not the payload.
  const auto show = [&](const Value& result, bool json, const rich::Serializer& serializer) {
    return shown_result(arguments.return_payload ? result : Value(), json, serializer);
  };
  return run_tunnel_command("emit", arguments.tunnel, std::move(request), show);
}

}  // namespace cordon::cli
