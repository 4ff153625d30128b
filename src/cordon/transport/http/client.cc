#include "cordon/transport/http/client.h"

#include <array>
#include <expected>
#include <optional>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

namespace cordon::transport::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using boost::system::error_code;
using boost::system::system_error;
using Outcome = std::expected<void, ClientError>;
using PostRequest = wire::request<wire::string_body>;

std::unexpected<ClientError> failed(ClientFailure why, std::string detail) {
  return std::unexpected(ClientError{why, std::move(detail)});
}

PostRequest message_of(const Origin& origin, const ClientRequest& request) {
  PostRequest message(wire::verb::post, request.target, 11);
  message.set(wire::field::host, origin.authority());
  message.set(wire::field::user_agent, "cordon");
  message.set(wire::field::connection, "close");
  for (const HttpHeader& header : request.headers) message.set(header.name, header.value);
  message.body() = request.body;
  message.prepare_payload();
  return message;
}

HttpResponseHead head_of(const wire::response_header<>& answer) {
  HttpResponseHead head{.status = answer.result_int(), .headers = {}};
  for (const auto& field : answer)
    head.headers.push_back({std::string(field.name_string()), std::string(field.value())});
  return head;
}

template <class Stream>
asio::awaitable<Outcome> converse(Stream& stream, const PostRequest& message,
                                  const Client::Reader& reader, ClientLimits limits) {
  (void)co_await wire::async_write(stream, message, asio::use_awaitable);

  beast::flat_buffer buffer(std::size_t{limits.head_bytes} + (std::size_t{64} << 10));
  wire::response_parser<wire::buffer_body> parser;
  parser.header_limit(limits.head_bytes);
  parser.body_limit(boost::none);
  (void)co_await wire::async_read_header(stream, buffer, parser, asio::use_awaitable);
  const HttpResponseHead head = head_of(parser.get().base());
  if (!reader.on_head(head)) co_return failed(ClientFailure::refused, "the answer's head");

  std::array<char, 65'536> piece;
  while (!parser.is_done()) {
    parser.get().body().data = piece.data();
    parser.get().body().size = piece.size();
    error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    (void)co_await wire::async_read(stream, buffer, parser, token);
    if (error == wire::error::need_buffer) error = {};
    if (error) co_return failed(ClientFailure::broken, "the answer broke off: " + error.message());
    const std::size_t size = piece.size() - parser.get().body().size;
    if (size > 0 && !reader.on_piece({piece.data(), size})) {
      co_return failed(ClientFailure::refused, "the answer's body");
    }
  }
  co_return Outcome();
}

}  // namespace

struct Client::State {
  Origin origin;
  ClientLimits limits;
  asio::io_context io{1};
  bool is_connected = false;
  std::optional<Outcome> outcome;

  asio::awaitable<void> go(const ClientRequest& request, const Reader& reader) {
    try {
      outcome = co_await exchange(request, reader);
    } catch (const system_error& error) {
      // One that answers something else, or hangs up, was reached all the same.
      outcome = failed(is_connected ? ClientFailure::broken : ClientFailure::unreachable,
                       error.code().message());
    }
  }

  asio::awaitable<Outcome> exchange(const ClientRequest& request, const Reader& reader) {
    const PostRequest message = message_of(origin, request);
    asio::ip::tcp::resolver resolver(io);
    const auto found =
        co_await resolver.async_resolve(origin.host, origin.port, asio::use_awaitable);
    if (!origin.is_tls) {
      beast::tcp_stream stream(io);
      (void)co_await stream.async_connect(found, asio::use_awaitable);
      is_connected = true;
      Outcome done = co_await converse(stream, message, reader, limits);
      co_return done;
    }
    asio::ssl::context context(asio::ssl::context::tls_client);
    context.set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
    context.set_default_verify_paths();
    context.set_verify_mode(asio::ssl::verify_peer);
    beast::ssl_stream<beast::tcp_stream> stream(io, context);
    stream.set_verify_callback(asio::ssl::host_name_verification(origin.host));
    error_code not_an_address;
    (void)asio::ip::make_address(origin.host, not_an_address);
    if (not_an_address) SSL_set_tlsext_host_name(stream.native_handle(), origin.host.c_str());
    (void)co_await beast::get_lowest_layer(stream).async_connect(found, asio::use_awaitable);
    co_await stream.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
    is_connected = true;
    Outcome done = co_await converse(stream, message, reader, limits);
    co_return done;
  }
};

Client::Client(Origin origin, ClientLimits limits) : state_(std::make_unique<State>()) {
  state_->origin = std::move(origin);
  state_->limits = limits;
}

Client::~Client() = default;

void Client::stop() { state_->io.stop(); }

std::expected<void, ClientError> Client::post(const ClientRequest& request, const Reader& reader,
                                              Instant deadline) {
  asio::co_spawn(state_->io, state_->go(request, reader), asio::detached);
  state_->io.run_until(deadline);
  if (state_->outcome) return *state_->outcome;
  if (state_->io.stopped() && std::chrono::steady_clock::now() < deadline) {
    return failed(ClientFailure::stopped, "it was stopped");
  }
  return failed(ClientFailure::timeout, "there was no answer in time");
}

}  // namespace cordon::transport::http
