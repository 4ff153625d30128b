#include "cordon/cli/tunnel_arguments.h"

#include <CLI/CLI.hpp>

#include "cordon/cli/options.h"

namespace cordon::cli {

void bind_tunnel(CLI::App& command, TunnelArguments& arguments) {
  command.add_option("url", arguments.url, "the base of the tunnel, with its base path")
      ->type_name("URL");
  add_milliseconds(command, "--timeout", arguments.timeout,
                   "milliseconds until the call is ended (default: none)");
  command.add_flag("--json", arguments.json, "print one line of JSON: result or error");
  bind_tunnel_options(command, arguments);
}

void bind_tunnel_options(CLI::App& command, TunnelArguments& arguments) {
  CLI::Option* token_env =
      command
          .add_option("--token-env", arguments.token_env,
                      "the variable that has the token, sent as x-runner-token")
          ->type_name("NAME");
  command.add_option("--token-file", arguments.token_file, "the file that has the token")
      ->type_name("FILE")
      ->excludes(token_env);
  add_list(command, "--header", arguments.headers,
           "a header of the request; may be given several times")
      .type_name("'NAME: VALUE'");
  add_bytes(command, "--max-response", arguments.max_response_bytes,
            "the largest answer in JSON; streams have no limit");
}

}  // namespace cordon::cli
