#include "cordon/server/shard_group.h"

#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/post.hpp>

#include "cordon/server/idle_memory.h"
#include "cordon/server/liveness.h"

namespace cordon::server {

Shard& ShardGroup::add(std::unique_ptr<Shard> shard) {
  return *shards_.emplace_back(std::move(shard));
}

Result<transport::ListenAddress> ShardGroup::listen(
    const transport::ListenAddress& address, const std::vector<transport::Adopter*>& adopters) {
  const std::lock_guard lock(mutex_);
  const transport::ListeningSocket& socket =
      sockets_.emplace_back(CORDON_TRY(transport::ListeningSocket::open(address)));
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    Descriptor duplicate = CORDON_TRY(socket.duplicate());
    shards_[i]->accept(std::move(duplicate), gate_,
                       {.own = *adopters[i], .all = adopters, .slack = slack_});
  }
  return socket.address();
}

void ShardGroup::run() {
  // Sandboxes and heap that a burst took are given back once it is over.
  std::optional<IdleMemory> idle_memory;
  if (shards_.front()->engine() != nullptr)
    idle_memory.emplace([this] { return under_way(); }, [this] { give_memory_back(); });
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < shards_.size(); ++i)
    threads.emplace_back([shard = shards_[i].get()] { shard->run(); });
  shards_.front()->run();
}

std::size_t ShardGroup::under_way() const {
  std::size_t sum = connections();
  for (const auto& shard : shards_) {
    const Engine::Figures load = shard->engine()->figures();
    sum += load.running + load.queued + load.hibernated;
  }
  return sum;
}

void ShardGroup::give_memory_back() const {
  for (const auto& shard : shards_) shard->engine()->give_memory_back();
}

bool ShardGroup::answers(std::chrono::milliseconds within) const {
  std::vector<PostToLoop> loops;
  for (const auto& shard : shards_) {
    loops.emplace_back([io = shard->io()](std::function<void()> function) {
      boost::asio::post(*io, std::move(function));
    });
  }
  return all_answer(loops, within);
}

void ShardGroup::stop() {
  {
    // Else clients would still connect, and wait for the end of the process.
    const std::lock_guard lock(mutex_);
    for (transport::ListeningSocket& socket : sockets_) socket.close();
  }
  for (const auto& shard : shards_) shard->stop();
}

}  // namespace cordon::server
