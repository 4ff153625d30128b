#include "cordon/cli/call_tunnel.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cordon/base/ascii.h"
#include "cordon/cli/tunnel_command.h"

namespace cordon::cli {
namespace {

// "http" of "http://host/", whatever the scheme is.
bool has_scheme(std::string_view text) {
  const std::size_t end = text.find("://");
  return end != text.npos && end > 0 && std::ranges::all_of(text.substr(0, end), [](char c) {
           const char letter = ascii_lower(c);
           return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
                  c == '-' || c == '.';
         });
}

}  // namespace

bool names_tunnel(const CallArguments& arguments) {
  return !arguments.has_command &&
         (has_scheme(arguments.first) || arguments.first.starts_with("unix:"));
}

int call_tunnel(const CallArguments& arguments) {
  if (arguments.count < 2 || arguments.second.empty())
    return wrong_call({ErrorCode::invalid_argument, "no TASK to call"});
  TunnelArguments tunnel = arguments.tunnel;
  tunnel.url = arguments.first;
  tunnel.timeout = arguments.timeout;
  tunnel.json = arguments.json;
  TunnelRequest request{.call = {.id = arguments.second},
                        .input = {.files = arguments.files, .stream = arguments.stream_in}};
  if (arguments.count > 2) request.input.json = arguments.third;
  return run_tunnel_command("call", tunnel, std::move(request));
}

}  // namespace cordon::cli
