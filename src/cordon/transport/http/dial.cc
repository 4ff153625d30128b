#include "cordon/transport/http/dial.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <utility>

#include <boost/asio/post.hpp>

#include "cordon/base/bytes.h"
#include "cordon/base/descriptor.h"
#include "cordon/transport/http/request_text.h"
#include "cordon/transport/tcp_socket.h"

namespace cordon::transport::http {
namespace {

namespace asio = boost::asio;

// As RFC 8305 suggests.
constexpr std::chrono::milliseconds patience_with_address{250};
// A listening Unix socket whose queue is full cannot be waited for.
constexpr std::chrono::milliseconds pause_before_full_socket{5};

std::string text_of(int error) { return std::generic_category().message(error); }

SocketAddress socket_address(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof(name.sun_path) - 1);
  SocketAddress address;
  static_assert(sizeof(name) <= sizeof(address.bytes));
  std::memcpy(&address.bytes, &name, sizeof(name));
  address.size = sizeof(name);
  return address;
}

}  // namespace

struct Dial::Attempt {
  Attempt(asio::io_context& io, int number, const SocketAddress& to)
      : descriptor(io, number), address(to) {}

  Descriptor descriptor;
  SocketAddress address;
};

Dial::Dial(asio::io_context& io, NameLookup& names, asio::ssl::context* tls, Route route, Done done)
    : io_(io),
      names_(names),
      tls_(tls),
      route_(std::move(route)),
      done_(std::move(done)),
      patience_(io) {}

void Dial::start() {
  const Origin& to = target();
  const auto found = [self = shared_from_this()](const FoundAddresses& addresses) {
    if (self->done_) self->connect(addresses);
  };
  if (!to.is_socket()) {
    ticket_ = names_.find(to.host, to.port, found);
    return;
  }
  asio::post(io_, [found, address = socket_address(to.socket_path)] {
    found(std::vector<SocketAddress>{address});
  });
}

void Dial::stop() {
  done_ = nullptr;
  ticket_ = {};
  attempts_.clear();
  patience_.cancel();
  wire_.reset();
}

void Dial::connect(const FoundAddresses& found) {
  if (!found || found->empty()) {
    const std::string why = found ? "the name has no address" : found.error();
    return fail(HttpFailure::unreachable, target().name() + ": " + why);
  }
  addresses_ = *found;
  try_next();
}

void Dial::try_next() {
  if (next_address_ == addresses_.size()) {
    if (attempts_.empty()) fail(HttpFailure::unreachable, target().name() + ": " + last_refusal_);
    return;
  }
  const SocketAddress& address = addresses_[next_address_];
  cordon::Descriptor made(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made) {
    ++next_address_;
    return on_refused(text_of(errno));
  }
  const int result = ::connect(made.number(), address.get(), address.size);
  const int error = result == 0 ? 0 : errno;
  if (error == EAGAIN) {
    patience_.expires_after(pause_before_full_socket);
    patience_.async_wait([self = shared_from_this()](const auto& failed) {
      if (!failed && self->done_) self->try_next();
    });
    return;
  }
  ++next_address_;
  if (error != 0 && error != EINPROGRESS && error != EINTR) return on_refused(text_of(error));
  const auto attempt = std::make_shared<Attempt>(io_, made.release(), address);
  attempts_.push_back(attempt);
  attempt->descriptor.async_wait(Descriptor::wait_write,
                                 [self = shared_from_this(), attempt](const auto& failed) {
                                   if (!failed && self->done_) self->on_connected(attempt);
                                 });
  if (next_address_ == addresses_.size()) return;
  patience_.expires_after(patience_with_address);
  patience_.async_wait([self = shared_from_this()](const auto& failed) {
    if (!failed && self->done_) self->try_next();
  });
}

void Dial::on_connected(const std::shared_ptr<Attempt>& attempt) {
  std::erase(attempts_, attempt);
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(attempt->descriptor.native_handle(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return on_refused(text_of(error));
  if (attempt->address.family() != AF_UNIX) send_at_once(attempt->descriptor.native_handle());
  attempts_.clear();
  patience_.cancel();
  open(std::move(attempt->descriptor));
}

void Dial::on_refused(std::string why) {
  last_refusal_ = std::move(why);
  patience_.cancel();
  // From the loop, so that many addresses that are refused at once are no deep stack.
  asio::post(io_, [self = shared_from_this()] {
    if (self->done_) self->try_next();
  });
}

void Dial::open(Descriptor descriptor) {
  const int number = descriptor.native_handle();
  wire_.emplace(std::move(descriptor), Stream(number, nullptr));
  if (!route_.origin.is_tls) return succeed();
  if (!route_.proxy) return begin_tls();
  text_ = connect_text(route_.origin, *route_.proxy);
  ask_proxy();
}

void Dial::ask_proxy() {
  while (!text_.empty()) {
    const BytesView pieces[] = {as_bytes(text_)};
    const Stream::Outcome sent = wire_->stream.write(pieces);
    if (sent.status == Stream::Status::wants_write)
      return wait(Descriptor::wait_write, &Dial::ask_proxy);
    if (sent.status != Stream::Status::moved)
      return fail(HttpFailure::unreachable, "the proxy hung up");
    text_.erase(0, sent.bytes);
  }
  read_proxy();
}

void Dial::read_proxy() {
  std::array<std::uint8_t, 4'096> room;
  for (;;) {
    const Stream::Outcome got = wire_->stream.read(room);
    if (got.status == Stream::Status::wants_read)
      return wait(Descriptor::wait_read, &Dial::read_proxy);
    if (got.status != Stream::Status::moved)
      return fail(HttpFailure::unreachable, "the proxy hung up");
    text_.append(reinterpret_cast<const char*>(room.data()), got.bytes);
    if (!understand_proxy()) return;
  }
}

// True where it has more to say.
bool Dial::understand_proxy() {
  const auto refuse = [this](std::string why) {
    fail(HttpFailure::unreachable, "the proxy " + std::move(why));
    return false;
  };
  for (;;) {
    const auto bytes = std::span(reinterpret_cast<std::uint8_t*>(text_.data()), text_.size());
    const HttpResult<AnswerReader::Step> step = proxy_reader_.read(bytes);
    if (!step) return refuse("answered nonsense: " + step.error().message);
    text_.erase(0, step->used);
    if (step->head) {
      if (step->head->status / 100 != 2)
        return refuse("answered with status " + std::to_string(step->head->status));
      // What comes next is the origin's, and with TLS it says nothing before it is spoken to.
      if (!text_.empty()) return refuse("says more than its answer");
      begin_tls();
      return false;
    }
    if (step->used == 0) return true;
  }
}

void Dial::begin_tls() {
  Descriptor descriptor = std::move(wire_->descriptor);
  Stream stream =
      Stream::to_host(descriptor.native_handle(), *tls_->native_handle(), route_.origin.host);
  wire_.emplace(std::move(descriptor), std::move(stream));
  shake_hands();
}

void Dial::shake_hands() {
  switch (wire_->stream.shake_hands()) {
    case Stream::Status::moved:
      return succeed();
    case Stream::Status::wants_read:
      return wait(Descriptor::wait_read, &Dial::shake_hands);
    case Stream::Status::wants_write:
      return wait(Descriptor::wait_write, &Dial::shake_hands);
    case Stream::Status::ended:
    case Stream::Status::broken:
      return fail(HttpFailure::tls,
                  route_.origin.name() + ": " + std::string(wire_->stream.handshake_failure()));
  }
}

void Dial::wait(Descriptor::wait_type what, void (Dial::*then)()) {
  wire_->descriptor.async_wait(what, [self = shared_from_this(), then](const auto& failed) {
    if (!failed && self->done_) ((*self).*then)();
  });
}

void Dial::succeed() {
  Done done = std::exchange(done_, nullptr);
  Wire wire = std::move(*wire_);
  stop();
  done(std::move(wire));
}

void Dial::fail(HttpFailure why, std::string message) {
  Done done = std::exchange(done_, nullptr);
  stop();
  done(std::unexpected(HttpError{why, std::move(message)}));
}

}  // namespace cordon::transport::http
