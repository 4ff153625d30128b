#pragma once

// What `cordon call` of a URL, `cordon emit` and `cordon discover` have in common on the command
// line.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): it is the name of the library.
namespace CLI {
class App;
}

namespace cordon::cli {

struct TunnelArguments {
  std::string url;
  std::optional<std::chrono::milliseconds> timeout;
  bool json = false;
  std::string token_env;
  std::string token_file;
  std::vector<std::string> headers;  // "K: V"
  std::uint64_t max_response_bytes = std::uint64_t{64} << 20;
};

// The URL, and all options.
void bind_tunnel(CLI::App& command, TunnelArguments& arguments);
// Those options that only tunnels have.
void bind_tunnel_options(CLI::App& command, TunnelArguments& arguments);

}  // namespace cordon::cli
