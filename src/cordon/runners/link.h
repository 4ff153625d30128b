#pragma once

// The way to a runner: lines go there, and bytes come from there. Nothing in it waits: its
// driver polls the descriptors that it names.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <poll.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/instant.h"
#include "cordon/result.h"
#include "cordon/runners/child.h"
#include "cordon/runners/target.h"

namespace cordon::runners {

// A good size for what is received at once.
inline constexpr std::size_t receive_bytes = std::size_t{256} << 10;

class Link {
 public:
  virtual ~Link() = default;

  // What to wait for. `reads`: more is wanted of the runner; `writes`: there is something for it.
  virtual void add_waits(std::vector<pollfd>& waits, bool reads, bool writes) const = 0;
  // Takes some of the lines from the front, all of which end; how many bytes.
  virtual std::size_t send(std::string_view lines) = 0;
  // What has come, as much as the buffer takes; valid until the next call. Empty where nothing has.
  // The buffer is the driver's: many links that wait have none of their own.
  virtual std::string_view receive(std::span<char> buffer) = 0;
  // Why nothing more comes, once all that came has been received: "the runner exited with code 3".
  virtual std::optional<std::string> over() = 0;
  // When it has to be asked again, though nothing came.
  virtual std::optional<Instant> next_time() const { return std::nullopt; }
  // Ends the connection, or kills the process with all that it started.
  virtual void close() = 0;
};

struct LinkOptions {
  std::string token = {};                       // shown first; empty: none
  Confinement confinement = Confinement::none;  // of a process
  // Gets what a process writes to its standard error, as it comes.
  std::function<void(std::string_view)> on_errors = {};
};

// Starts the process, or begins to connect. Fails with ErrorCode::unavailable where a process
// cannot be started; a connection that cannot be had is over() soon.
Result<std::unique_ptr<Link>> open_link(const Target& target, LinkOptions options);

}  // namespace cordon::runners
