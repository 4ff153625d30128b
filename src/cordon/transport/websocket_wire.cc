// WebSockets: a message is a line.

#include <algorithm>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>

#include "cordon/transport/secret.h"
#include "cordon/transport/tcp_socket.h"
#include "cordon/transport/wire.h"

namespace cordon::transport {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
constexpr auto awaiting = asio::as_tuple(asio::use_awaitable);

constexpr std::size_t max_written_bytes = std::size_t{64} << 10;

asio::ip::tcp::socket tcp_socket(asio::io_context& io, int descriptor) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&name), &size);
  return {io, name.ss_family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(), descriptor};
}

using Request = http::request<http::empty_body>;

bool has_token(const Request& request, const std::string& token) {
  constexpr std::string_view scheme = "Bearer ";
  const std::string_view said = request[http::field::authorization];
  return beast::iequals(said.substr(0, scheme.size()), scheme) &&
         equals_secret(said.substr(scheme.size()), token);
}

// Whether two readers could take the request for two different ones: a proxy that looks at the
// first of two tokens, or origins, and this server at the second.
bool is_ambiguous(const Request& request) {
  for (const http::field once : {http::field::authorization, http::field::origin, http::field::host,
                                 http::field::upgrade, http::field::sec_websocket_key,
                                 http::field::sec_websocket_version, http::field::content_length}) {
    if (request.count(once) > 1) return true;
  }
  // An upgrade has no body: what follows its head are frames, and nothing else.
  const auto length = request.find(http::field::content_length);
  return request.count(http::field::host) == 0 ||
         request.count(http::field::transfer_encoding) > 0 ||
         (length != request.end() && length->value() != "0");
}

// What the peer is answered where it is not let in.
http::status refusal_of(const Request& request, const WebSocketRules& rules) {
  if (is_ambiguous(request)) return http::status::bad_request;
  const std::string_view target = request.target();
  if (target.substr(0, target.find('?')) != rules.path) return http::status::not_found;
  if (!websocket::is_upgrade(request)) return http::status::upgrade_required;
  // A page in a browser cannot leave its Origin out, and its user was not asked.
  const auto origin = request.find(http::field::origin);
  if (origin != request.end() &&
      std::ranges::find(rules.origins, std::string_view(origin->value())) == rules.origins.end()) {
    return http::status::forbidden;
  }
  if (!rules.token.empty() && !has_token(request, rules.token)) return http::status::unauthorized;
  return http::status::ok;
}

template <class Stream>
class WebSocketWire final : public Wire {
 public:
  template <class... Arguments>
  explicit WebSocketWire(const WebSocketRules& rules, Arguments&&... arguments)
      : rules_(rules), socket_(std::forward<Arguments>(arguments)...) {}

  asio::awaitable<bool> open() override {
    if constexpr (!std::same_as<Stream, asio::ip::tcp::socket>) {
      const auto [error] =
          co_await socket_.next_layer().async_handshake(asio::ssl::stream_base::server, awaiting);
      if (error) co_return false;
    }
    http::request_parser<http::empty_body> parser;
    beast::flat_buffer buffer;
    const auto [error, size] =
        co_await http::async_read_header(socket_.next_layer(), buffer, parser, awaiting);
    (void)size;
    if (error) co_return false;
    const Request& request = parser.get();
    const http::status status = refusal_of(request, rules_);
    if (status != http::status::ok) {
      co_await refuse(status);
      co_return false;
    }
    socket_.set_option(websocket::stream_base::decorator(
        [](websocket::response_type& response) { response.set(http::field::server, "cordon"); }));
    const auto [refused] = co_await socket_.async_accept(request, awaiting);
    if (refused) co_return false;
    // Lines are cut, and large ones refused, by who reads them.
    socket_.read_message_max(0);
    socket_.text(true);
    co_return true;
  }

  bool is_authorized() const override { return !rules_.token.empty(); }
  bool is_meant() const override { return true; }

  asio::awaitable<Input> read() override {
    // One byte is left for the line end.
    const auto [error, size] =
        co_await socket_.async_read_some(asio::buffer(buffer_, sizeof buffer_ - 1), awaiting);
    if (error) co_return Input{.kind = Input::Kind::broken};
    acknowledge_at_once(beast::get_lowest_layer(socket_).native_handle());
    // A line end inside of a message is a blank of its JSON.
    std::replace(buffer_, buffer_ + size, '\n', ' ');
    std::size_t with_end = size;
    if (socket_.is_message_done()) buffer_[with_end++] = '\n';
    co_return Input{.kind = Input::Kind::bytes, .bytes = {buffer_, with_end}};
  }

  // A WebSocket has no half: its end is the end of the connection.
  asio::awaitable<void> until_gone() override { co_return; }

  std::optional<std::size_t> try_write(std::string_view) override { return 0; }

  asio::awaitable<std::optional<std::size_t>> write(std::string_view lines) override {
    // A long message goes in parts, so that a reader that takes its time is seen to make progress.
    const std::string_view part = lines.substr(0, max_written_bytes);
    const std::size_t end = part.find('\n');
    const bool is_last = end != std::string_view::npos;
    const auto [error, size] =
        co_await socket_.async_write_some(is_last, asio::buffer(part.substr(0, end)), awaiting);
    (void)size;
    if (error) co_return std::nullopt;
    co_return is_last ? end + 1 : part.size();
  }

  asio::awaitable<void> finish() override {
    const auto [ignored] = co_await socket_.async_close(websocket::close_code::normal, awaiting);
    (void)ignored;
  }

  void close() override {
    beast::error_code ignored;
    (void)beast::get_lowest_layer(socket_).close(ignored);
  }

 private:
  asio::awaitable<void> refuse(http::status status) {
    http::response<http::empty_body> response(status, 11);
    response.set(http::field::server, "cordon");
    response.set(http::field::connection, "close");
    if (status == http::status::unauthorized) response.set(http::field::www_authenticate, "Bearer");
    if (status == http::status::upgrade_required) response.set(http::field::upgrade, "websocket");
    response.prepare_payload();
    const auto [error, size] = co_await http::async_write(socket_.next_layer(), response, awaiting);
    (void)error;
    (void)size;
  }

  const WebSocketRules& rules_;
  websocket::stream<Stream> socket_;
  char buffer_[4096];
};

}  // namespace

std::unique_ptr<Wire> make_websocket_wire(asio::io_context& io, int descriptor,
                                          asio::ssl::context* tls, const WebSocketRules& rules) {
  using Plain = asio::ip::tcp::socket;
  using Secure = asio::ssl::stream<Plain>;
  if (tls == nullptr) {
    return std::make_unique<WebSocketWire<Plain>>(rules, tcp_socket(io, descriptor));
  }
  return std::make_unique<WebSocketWire<Secure>>(rules, Secure(tcp_socket(io, descriptor), *tls));
}

}  // namespace cordon::transport
