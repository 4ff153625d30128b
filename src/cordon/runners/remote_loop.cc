#include "cordon/runners/remote_loop.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <sys/epoll.h>
#include <system_error>

namespace cordon::runners {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds max_wait{60'000};
constexpr std::uint64_t waker_number = 0;

std::uint32_t epoll_events_of(const pollfd& wait) {
  // The bits are the same on Linux, in words of other sizes.
  return static_cast<std::uint32_t>(static_cast<unsigned short>(wait.events));
}

}  // namespace

// The loop's thread alone uses it, but for `is_ready` and cancelling.
class RemoteLoop::Driven : public std::enable_shared_from_this<Driven> {
 public:
  Driven(std::shared_ptr<Inbox> its_inbox, Done when_done)
      : inbox(std::move(its_inbox)), done(std::move(when_done)) {}

  // Any thread.
  void wake() {
    if (!is_ready.exchange(true)) inbox->add(shared_from_this());
  }

  const std::shared_ptr<Inbox> inbox;
  Done done;
  std::unique_ptr<RemoteExecution> execution;
  std::uint64_t number = 0;
  std::atomic<bool> is_ready = false;  // it lies in the inbox
  bool is_due = false;
  bool is_over = false;
  bool is_cancelled = false;  // by the end of its loop
  Descriptors descriptors = Descriptors::may_be_ready;
  std::vector<pollfd> watched;
  std::optional<Instant> timer;
};

void RemoteLoop::Inbox::add(std::shared_ptr<Driven> driven) {
  bool is_first = false;
  {
    const MutexLock lock(mutex);
    if (is_closed) return;
    is_first = ready.empty();
    ready.push_back(std::move(driven));
  }
  // The loop takes all that is there.
  if (is_first) waker.wake();
}

Result<std::unique_ptr<RemoteLoop>> RemoteLoop::create() {
  Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll)
    return fail(ErrorCode::unavailable, "epoll: " + std::generic_category().message(errno));
  std::unique_ptr<RemoteLoop> loop(new RemoteLoop(std::move(epoll)));
  epoll_event event{.events = EPOLLIN, .data = {.u64 = waker_number}};
  if (epoll_ctl(loop->epoll_.number(), EPOLL_CTL_ADD, loop->inbox_->waker.descriptor(), &event) < 0)
    return fail(ErrorCode::unavailable, "eventfd: " + std::generic_category().message(errno));
  loop->thread_ = std::thread([raw = loop.get()] { raw->run(); });
  return loop;
}

RemoteLoop::RemoteLoop(Descriptor epoll)
    : epoll_(std::move(epoll)), buffer_(std::make_unique_for_overwrite<char[]>(receive_bytes)) {}

RemoteLoop::~RemoteLoop() {
  if (!thread_.joinable()) return;
  {
    const MutexLock lock(inbox_->mutex);
    inbox_->is_over = true;
  }
  inbox_->waker.wake();
  thread_.join();
}

Result<std::shared_ptr<RemoteLoop::Driven>> RemoteLoop::start(RemoteOptions options,
                                                              std::unique_ptr<Link> link,
                                                              Done done) {
  auto driven = std::make_shared<Driven>(inbox_, std::move(done));
  options.wake = [weak = std::weak_ptr(driven)] {
    if (const auto self = weak.lock()) self->wake();
  };
  driven->execution = CORDON_TRY(RemoteExecution::create(std::move(options)));
  driven->execution->use(std::move(link));
  driven->wake();
  return driven;
}

void RemoteLoop::cancel(Driven& driven) { driven.execution->cancel(); }

void RemoteLoop::run() {
  inbox_->waker.drive();
  while (take_ready()) {
    wait();
    // What is stepped may add to the inbox, and not to what is due.
    for (const std::shared_ptr<Driven>& driven : std::exchange(due_, {})) step(driven);
  }
  std::vector<std::shared_ptr<Driven>> left;
  const MutexLock lock(inbox_->mutex);
  inbox_->is_closed = true;
  left.swap(inbox_->ready);
}

bool RemoteLoop::take_ready() {
  std::vector<std::shared_ptr<Driven>> ready;
  bool is_over = false;
  {
    const MutexLock lock(inbox_->mutex);
    ready.swap(inbox_->ready);
    is_over = inbox_->is_over;
  }
  for (const std::shared_ptr<Driven>& driven : ready) {
    driven->is_ready.store(false);
    if (driven->is_over) continue;
    if (driven->number == 0) {
      driven->number = ++last_number_;
      driven_.emplace(driven->number, driven);
    }
    add_due(driven);
  }
  if (!is_over) return true;
  for (const auto& [number, driven] : driven_)
    if (!std::exchange(driven->is_cancelled, true)) driven->execution->cancel();
  return !driven_.empty();
}

void RemoteLoop::add_due(const std::shared_ptr<Driven>& driven) {
  if (std::exchange(driven->is_due, true)) return;
  due_.push_back(driven);
}

void RemoteLoop::wait() {
  const bool has_more = inbox_->waker.take_own();
  milliseconds left = max_wait;
  const Instant before = std::chrono::steady_clock::now();
  if (has_more || !due_.empty()) {
    left = milliseconds(0);
  } else if (!timers_.empty()) {
    const Instant first = timers_.begin()->first;
    left = first <= before
               ? milliseconds(0)
               : std::chrono::ceil<milliseconds>(std::min<Duration>(first - before, max_wait));
  }
  std::array<epoll_event, 256> events;
  const int count = epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()),
                               static_cast<int>(left.count()));
  for (const epoll_event& event :
       std::span(events).first(static_cast<std::size_t>(std::max(count, 0)))) {
    if (event.data.u64 == waker_number) {
      inbox_->waker.clear();
      continue;
    }
    const auto found = driven_.find(event.data.u64);
    if (found == driven_.end()) continue;
    found->second->descriptors = Descriptors::may_be_ready;
    add_due(found->second);
  }
  const Instant now = std::chrono::steady_clock::now();
  for (auto timer = timers_.begin(); timer != timers_.end() && timer->first <= now; ++timer) {
    const std::shared_ptr<Driven>& driven = driven_.at(timer->second);
    driven->descriptors = Descriptors::may_be_ready;
    add_due(driven);
  }
}

void RemoteLoop::step(const std::shared_ptr<Driven>& driven) {
  driven->is_due = false;
  const Descriptors descriptors = std::exchange(driven->descriptors, Descriptors::quiet);
  if (driven->execution->step(descriptors, {buffer_.get(), receive_bytes})) return finish(driven);
  watch(*driven);
  set_timer(*driven, driven->execution->next_time());
}

void RemoteLoop::finish(const std::shared_ptr<Driven>& driven) {
  for (const pollfd& old : driven->watched)
    epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, old.fd, nullptr);
  if (driven->timer) timers_.erase({*driven->timer, driven->number});
  driven_.erase(driven->number);
  driven->is_over = true;
  Done done = std::move(driven->done);
  done(*driven->execution);
}

// Tells the system what has changed. A descriptor that waits for writing is told of each time: it
// may be another one with the number of one that was closed, as when a connection is tried at the
// next address.
void RemoteLoop::watch(Driven& driven) {
  waits_.clear();
  driven.execution->add_waits(waits_);
  const auto has = [](const std::vector<pollfd>& all, int number) {
    return std::ranges::find(all, number, &pollfd::fd) != all.end();
  };
  for (const pollfd& old : driven.watched)
    if (!has(waits_, old.fd)) epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, old.fd, nullptr);
  for (const pollfd& wait : waits_) {
    const auto old = std::ranges::find(driven.watched, wait.fd, &pollfd::fd);
    const bool is_new = old == driven.watched.end();
    if (!is_new && old->events == wait.events && (wait.events & POLLOUT) == 0) continue;
    epoll_event event{.events = epoll_events_of(wait), .data = {.u64 = driven.number}};
    const int first = is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (epoll_ctl(epoll_.number(), first, wait.fd, &event) == 0) continue;
    if (errno == ENOENT) epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, wait.fd, &event);
    if (errno == EEXIST) epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, wait.fd, &event);
  }
  driven.watched.swap(waits_);
}

void RemoteLoop::set_timer(Driven& driven, Instant time) {
  if (driven.timer == time) return;
  if (driven.timer) timers_.erase({*driven.timer, driven.number});
  driven.timer = time;
  if (time == Instant::max()) {
    driven.timer.reset();
  } else {
    timers_.emplace(time, driven.number);
  }
}

}  // namespace cordon::runners
