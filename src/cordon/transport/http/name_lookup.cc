#include "cordon/transport/http/name_lookup.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <netdb.h>

#include "cordon/transport/http/loop_inbox.h"

namespace cordon::transport::http {
namespace {

using Name = std::pair<std::string, std::string>;
using Work = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

// Names that nobody waits for are swept out of the queue when it is longer than this and twice
// as long as that of the last time.
constexpr std::size_t least_swept = 64;

}  // namespace

struct NameLookup::Waiter {
  std::shared_ptr<State> state;
  Done done;
};

struct NameLookup::State : std::enable_shared_from_this<NameLookup::State> {
  State(boost::asio::io_context& context, Resolve function)
      : io(&context), inbox(std::make_shared<LoopInbox>(context)), resolve(std::move(function)) {}

  struct Question {
    std::vector<std::weak_ptr<Waiter>> waiting = {};
    bool is_asked = false;  // on a thread

    bool is_wanted() const {
      return std::ranges::any_of(waiting, [](const auto& waiter) { return !waiter.expired(); });
    }
  };

  // Threads whose question nobody waits for any more count too: they are there.
  void begin_more() {
    while (threads < max_threads && !queue.empty()) {
      const Name name = std::move(queue.front());
      queue.pop_front();
      const auto found = questions.find(name);
      if (!found->second.is_wanted()) {
        questions.erase(found);
        continue;
      }
      found->second.is_asked = true;
      ++threads;
      begin(name);
    }
  }

  void begin(const Name& name) {
    const auto tell = [to = inbox, weak = weak_from_this(), name](FoundAddresses addresses) {
      to->post([weak, name, addresses = std::move(addresses)] {
        if (const std::shared_ptr<State> state = weak.lock()) state->answer(name, addresses);
      });
    };
    try {
      std::thread([tell, ask = resolve, name] { tell(ask(name.first, name.second)); }).detach();
    } catch (const std::system_error& error) {
      tell(std::unexpected(std::string(error.what())));
    }
  }

  void answer(const Name& name, const FoundAddresses& addresses) {
    --threads;
    const auto found = questions.find(name);
    const Question question = std::move(found->second);
    questions.erase(found);
    begin_more();
    for (const std::weak_ptr<Waiter>& waiting : question.waiting) {
      const std::shared_ptr<Waiter> waiter = waiting.lock();
      if (waiter == nullptr || !waiter->done) continue;
      Done done = std::exchange(waiter->done, nullptr);
      leave();
      done(addresses);
    }
  }

  void sweep() {
    if (queue.size() < swept_at) return;
    std::erase_if(queue, [this](const Name& name) {
      const auto found = questions.find(name);
      if (found->second.is_wanted()) return false;
      questions.erase(found);
      return true;
    });
    swept_at = std::max(least_swept, 2 * queue.size());
  }

  // What is waited for keeps the loop running; a thread that is left to itself does not.
  void enter() {
    if (waiters++ == 0) work.emplace(io->get_executor());
  }
  void leave() {
    if (--waiters == 0) work.reset();
  }

  boost::asio::io_context* const io;
  const std::shared_ptr<LoopInbox> inbox;
  const Resolve resolve;
  std::map<Name, Question> questions;
  std::deque<Name> queue;  // of questions that are not asked yet
  std::size_t swept_at = least_swept;
  std::size_t threads = 0;
  std::size_t waiters = 0;
  std::optional<Work> work;
};

NameLookup::NameLookup(boost::asio::io_context& io, Resolve resolve)
    : state_(std::make_shared<State>(io, std::move(resolve))) {}

NameLookup::~NameLookup() {
  state_->inbox->close();
  state_->work.reset();
}

std::size_t NameLookup::threads() const { return state_->threads; }

NameLookup::Ticket NameLookup::find(const std::string& host, const std::string& port, Done done) {
  auto waiter = std::make_shared<Waiter>(state_, std::move(done));
  state_->enter();
  const auto [place, is_new] = state_->questions.try_emplace(Name(host, port));
  std::vector<std::weak_ptr<Waiter>>& waiting = place->second.waiting;
  // Those who gave up are swept out before the room for them grows.
  if (waiting.size() == waiting.capacity())
    std::erase_if(waiting, [](const auto& other) { return other.expired(); });
  waiting.push_back(waiter);
  if (is_new) {
    state_->sweep();
    state_->queue.emplace_back(host, port);
    state_->begin_more();
  }
  return Ticket(std::move(waiter));
}

FoundAddresses NameLookup::ask_system(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) return std::unexpected(std::string(gai_strerror(error)));
  std::vector<SocketAddress> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    if (one->ai_addrlen > sizeof(sockaddr_storage)) continue;
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(&address.bytes, one->ai_addr, one->ai_addrlen);
    address.size = one->ai_addrlen;
  }
  freeaddrinfo(found);
  return addresses;
}

NameLookup::Ticket& NameLookup::Ticket::operator=(Ticket&& other) noexcept {
  std::swap(waiter_, other.waiter_);
  return *this;
}

NameLookup::Ticket::~Ticket() {
  if (waiter_ == nullptr || !waiter_->done) return;
  waiter_->done = nullptr;
  waiter_->state->leave();
}

}  // namespace cordon::transport::http
