#include "cordon/sandbox/wasi/poll.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <limits>
#include <optional>
#include <poll.h>
#include <vector>

#include "cordon/sandbox/wasi/functions.h"

namespace cordon::sandbox::wasi {
namespace {

// Records of the interface: a subscription has 48 bytes, an event 32.
constexpr std::uint32_t subscription_bytes = 48;
constexpr std::uint32_t event_bytes = 32;
constexpr std::uint32_t max_subscriptions = 1024;
// A guest that waits only for a time wakes this often.
constexpr std::uint64_t max_wait_ns = 1'000'000'000;

enum Tag : std::uint8_t { clock = 0, fd_read = 1, fd_write = 2 };
constexpr std::uint16_t absolute_time = 1;

struct Subscription {
  std::uint64_t user_data = 0;
  std::uint8_t tag = 0;
  std::uint32_t descriptor = 0;
  std::optional<std::uint64_t> wait_ns;  // for a clock
  Errno error = Errno::success;
};

Subscription read_subscription(const Context& context, Memory memory, std::uint32_t at) {
  Subscription one;
  one.user_data = *memory.read<std::uint64_t>(at);
  one.tag = *memory.read<std::uint8_t>(at + 8);
  if (one.tag == fd_read || one.tag == fd_write) {
    one.descriptor = *memory.read<std::uint32_t>(at + 16);
  } else if (one.tag == clock) {
    const auto id = *memory.read<std::uint32_t>(at + 16);
    const auto timeout = *memory.read<std::uint64_t>(at + 24);
    const auto flags = *memory.read<std::uint16_t>(at + 40);
    const auto now = context.clocks.now(id);
    if (!now) {
      one.error = Errno::inval;
    } else if ((flags & absolute_time) != 0) {
      one.wait_ns = timeout > *now ? timeout - *now : 0;
    } else {
      one.wait_ns = timeout;
    }
  } else {
    one.error = Errno::inval;
  }
  return one;
}

// The streams that the guest waits for, each at most once.
class Waiting {
 public:
  void add(int descriptor, short events) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (list_[i].fd != descriptor) continue;
      list_[i].events = static_cast<short>(list_[i].events | events);
      return;
    }
    list_[count_++] = {.fd = descriptor, .events = events, .revents = 0};
  }

  // How long it waited does not matter: the caller looks at what is ready and at the time.
  void wait(std::optional<std::uint64_t> ns) {
    timespec time{};
    if (ns) {
      constexpr std::uint64_t ns_per_second = 1'000'000'000;
      const std::uint64_t seconds = *ns / ns_per_second;
      constexpr std::uint64_t max_seconds = 1'000'000'000;
      time.tv_sec = static_cast<time_t>(std::min(seconds, max_seconds));
      time.tv_nsec = static_cast<long>(*ns % ns_per_second);
    }
    const int ready = ppoll(list_.data(), count_, ns ? &time : nullptr, nullptr);
    if (ready < 0) {
      for (pollfd& one : list_) one.revents = 0;
    }
  }

  bool is_empty() const { return count_ == 0; }

  short ready(int descriptor) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (list_[i].fd == descriptor) return list_[i].revents;
    }
    return 0;
  }

 private:
  std::array<pollfd, Streams::count> list_{};
  nfds_t count_ = 0;
};

void write_event(Memory memory, std::uint32_t at, const Subscription& one, bool hung_up) {
  const auto record = memory.at(at, event_bytes);
  std::ranges::fill(*record, std::uint8_t{0});
  memory.write(at, one.user_data);
  memory.write(at + 8, static_cast<std::uint16_t>(one.error));
  memory.write(at + 10, one.tag);
  if (one.tag != clock && one.error == Errno::success) {
    memory.write(at + 16, std::uint64_t{1});  // at least one byte
    memory.write(at + 24, static_cast<std::uint16_t>(hung_up ? 1 : 0));
  }
}

std::uint64_t monotonic_now(const Context& context) {
  return context.clocks.now(static_cast<std::uint32_t>(ClockId::monotonic)).value_or(0);
}

}  // namespace

Errno poll_oneoff(Context& context, Memory memory, const RawValue* arguments) {
  const auto in = static_cast<std::uint32_t>(arguments[0].i32);
  const auto out = static_cast<std::uint32_t>(arguments[1].i32);
  const auto count = static_cast<std::uint32_t>(arguments[2].i32);
  const auto count_at = static_cast<std::uint32_t>(arguments[3].i32);
  if (count == 0 || count > max_subscriptions) return Errno::inval;
  if (!memory.at(in, std::uint64_t{count} * subscription_bytes) ||
      !memory.at(out, std::uint64_t{count} * event_bytes) || !memory.at(count_at, 4)) {
    return Errno::fault;
  }

  // The events may lie where the subscriptions are, so all of these are read first.
  std::vector<Subscription> all;
  Waiting waiting;
  std::optional<std::uint64_t> earliest;
  for (std::uint32_t i = 0; i < count; ++i) {
    Subscription one = read_subscription(context, memory, in + i * subscription_bytes);
    if (one.tag == fd_read || one.tag == fd_write) {
      const Stream* const stream = context.streams.find(one.descriptor);
      if (stream == nullptr) {
        one.error = Errno::badf;
      } else if (stream->reads != (one.tag == fd_read)) {
        one.error = Errno::notcapable;
      } else {
        waiting.add(stream->descriptor, stream->reads ? POLLIN : POLLOUT);
      }
    }
    if (one.error != Errno::success) earliest = 0;
    if (one.wait_ns) earliest = std::min(earliest.value_or(*one.wait_ns), *one.wait_ns);
    all.push_back(one);
  }

  const std::uint64_t start = monotonic_now(context);
  while (true) {
    const std::uint64_t passed = monotonic_now(context) - start;
    std::optional<std::uint64_t> left;
    if (earliest) left = *earliest > passed ? *earliest - passed : 0;
    // A stream would tell that its other end is gone.
    if (left && waiting.is_empty()) left = std::min(*left, max_wait_ns);
    waiting.wait(left);
    const std::uint64_t waited = monotonic_now(context) - start;
    std::uint32_t events = 0;
    for (const Subscription& one : all) {
      bool happened = one.error != Errno::success;
      bool hung_up = false;
      if (one.wait_ns) happened = waited >= *one.wait_ns;
      if (!happened && one.tag != clock) {
        const short ready = waiting.ready(context.streams.find(one.descriptor)->descriptor);
        happened = ready != 0;
        hung_up = (ready & (POLLHUP | POLLERR)) != 0;
      }
      if (happened) write_event(memory, out + event_bytes * events++, one, hung_up);
    }
    if (events > 0) {
      memory.write(count_at, events);
      return Errno::success;
    }
    context.while_waiting();
  }
}

}  // namespace cordon::sandbox::wasi
