#pragma once

// The tunnels that a configuration names: their tasks as providers of tools.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/config/configuration.h"
#include "cordon/providers/remote_tasks.h"
#include "cordon/result.h"

namespace cordon::server {

class RemoteTunnels {
 public:
  // It connects to nothing yet. Each tunnel has a client with a thread. Fails if one of them cannot
  // be a client; the message names it by `tunnels.NAME`.
  static Result<RemoteTunnels> create(const config::Configuration& configuration);

  // Asks all of them at once which tasks they have, and waits until they have said so or were
  // silent for their time. It never fails: a tunnel that is down stops nothing.
  void discover() const;

  // By the names of the configuration.
  const std::vector<std::pair<std::string, std::shared_ptr<providers::RemoteTasks>>>& all() const {
    return all_;
  }

 private:
  std::vector<std::pair<std::string, std::shared_ptr<providers::RemoteTasks>>> all_;
};

// One line about a tunnel that did not list its tasks: "the tunnel NAME cannot be reached, …".
// Empty if all names are known.
std::string silence_text(const providers::RemoteTasks& tasks);

}  // namespace cordon::server
