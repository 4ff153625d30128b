#pragma once

// The threads of a server: shards that listen on the same sockets and share their connections.

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "cordon/connection_options.h"
#include "cordon/result.h"
#include "cordon/server/shard.h"
#include "cordon/transport/connection_gate.h"
#include "cordon/transport/listen_address.h"
#include "cordon/transport/listening_socket.h"

namespace cordon::server {

class ShardGroup {
 public:
  // `slack`: see transport::Balance.
  explicit ShardGroup(const ConnectionLimits& limits,
                      transport::ConnectionGate::IsShared is_shared = {}, std::size_t slack = 0)
      : gate_(limits, std::move(is_shared)), slack_(slack) {}

  // Before run(): one thread more.
  Shard& add(std::unique_ptr<Shard> shard);
  // Before run(), after add(): `adopters` are those of the shards, in the shards' order. Gives the
  // address with the port that was chosen.
  Result<transport::ListenAddress> listen(const transport::ListenAddress& address,
                                          const std::vector<transport::Adopter*>& adopters);

  // Serves on this thread and others until stop(), and until what was under way is done.
  void run();
  // Any thread, any number of times.
  void stop();
  // Any thread.
  std::size_t connections() const { return gate_.count(); }
  // Any thread but those that serve: whether all of these get to what is posted to them.
  bool answers(std::chrono::milliseconds within) const;

 private:
  // Connections and executions, to tell when a burst is over.
  std::size_t under_way() const;
  void give_memory_back() const;

  transport::ConnectionGate gate_;
  const std::size_t slack_;
  std::mutex mutex_;  // of the sockets, which stop() closes
  std::vector<transport::ListeningSocket> sockets_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace cordon::server
