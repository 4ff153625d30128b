#include "cordon/transport/http/hangup_watch.h"

#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <system_error>
#include <vector>

#include "cordon/transport/http/http_connection.h"

namespace cordon::transport::http {

std::shared_ptr<HangupWatch> HangupWatch::create(boost::asio::io_context& io) {
  const int descriptor = epoll_create1(EPOLL_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  auto watch = std::make_shared<HangupWatch>(io, descriptor);
  watch->wait();
  return watch;
}

void HangupWatch::add(HttpConnection& connection) {
  epoll_event event{};
  event.events = EPOLLRDHUP | EPOLLET;
  event.data.ptr = &connection;
  epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, connection.descriptor(), &event);
}

void HangupWatch::remove(HttpConnection& connection) {
  if (!epoll_.is_open()) return;
  epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, connection.descriptor(), nullptr);
}

void HangupWatch::close() {
  boost::system::error_code ignored;
  (void)epoll_.close(ignored);
}

void HangupWatch::wait() {
  epoll_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [self = shared_from_this()](const boost::system::error_code& error) {
                      if (error || !self->epoll_.is_open()) return;
                      self->report();
                      self->wait();
                    });
}

void HangupWatch::report() {
  std::array<epoll_event, 64> events;
  const int count = epoll_wait(epoll_.native_handle(), events.data(), events.size(), 0);
  // Those who are told may end connections that come later in the list.
  struct News {
    std::shared_ptr<HttpConnection> connection;
    HttpConnection::Hangup kind;
  };
  std::vector<News> all;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    const bool is_whole = (event.events & (EPOLLHUP | EPOLLERR)) != 0;
    all.push_back(
        {.connection = static_cast<HttpConnection*>(event.data.ptr)->shared_from_this(),
         .kind = is_whole ? HttpConnection::Hangup::whole : HttpConnection::Hangup::half});
  }
  for (const News& news : all) news.connection->on_hangup(news.kind);
}

}  // namespace cordon::transport::http
