#pragma once

// Requests of an HttpClient from their start to their end, on the thread of the test.

#include <chrono>
#include <list>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "cordon/base/bytes.h"
#include "cordon/transport/http/http_client.h"

namespace cordon::transport::http::testing {

// What became of one request.
struct Fetched {
  std::optional<HttpResponseHead> head = {};
  std::string body = {};
  std::optional<HttpError> error = {};
  bool is_over = false;

  unsigned status() const { return head ? head->status : 0; }
  std::string header(std::string_view name) const {
    for (const HttpHeader& header : head->headers) {
      if (header.name == name) return header.value;
    }
    return {};
  }
  // "200 text", or the failure: "truncated", "200 te, then truncated".
  std::string text() const {
    static constexpr const char* names[] = {
        "unreachable", "timeout",     "tls",         "bad_response", "truncated",
        "too_large",   "bad_request", "body_failed", "overloaded",   "cancelled"};
    std::string text = head ? std::to_string(head->status) + " " + body : "";
    if (error)
      text += (head ? ", then " : "") + std::string(names[static_cast<std::size_t>(error->why)]);
    return is_over ? text : text + ", not over";
  }
};

class ClientDriver {
 public:
  explicit ClientDriver(HttpClientOptions options = {}) : client(std::in_place, io, options) {}
  ~ClientDriver() {
    fetches_.clear();
    client.reset();
  }

  // It runs while the loop does.
  Fetched& begin(const std::string& url, HttpRequest request = {}) {
    const Origin origin = *Origin::parse(url);
    if (request.target.empty()) request.target = origin.path.empty() ? "/" : origin.path;
    Fetch& fetch = fetches_.emplace_back();
    fetch.transfer = client->start(origin, std::move(request), [&fetch](auto head) {
      if (!head) return fetch.fail(head.error());
      fetch.fetched.head = *std::move(head);
      fetch.read();
    });
    return fetch.fetched;
  }
  HttpTransfer& transfer_of(const Fetched& fetched) {
    for (Fetch& fetch : fetches_) {
      if (&fetch.fetched == &fetched) return fetch.transfer;
    }
    std::abort();
  }

  template <class Until>
  bool run_until(Until until, std::chrono::milliseconds within = std::chrono::seconds(10)) {
    const auto end = std::chrono::steady_clock::now() + within;
    while (!until() && std::chrono::steady_clock::now() < end) {
      io.restart();
      io.run_for(std::chrono::milliseconds(5));
    }
    return until();
  }
  const Fetched& finish(const Fetched& fetched) {
    run_until([&] { return fetched.is_over; });
    return fetched;
  }
  std::string fetch(const std::string& url, HttpRequest request = {}) {
    return finish(begin(url, std::move(request))).text();
  }

  boost::asio::io_context io{1};
  std::optional<HttpClient> client;

 private:
  struct Fetch {
    HttpTransfer transfer;
    Fetched fetched;

    void read() {
      transfer.read([this](HttpResult<BytesView> piece) {
        if (!piece) return fail(piece.error());
        if (piece->empty()) {
          fetched.is_over = true;
          return;
        }
        fetched.body += as_text(*piece);
        read();
      });
    }
    void fail(const HttpError& error) {
      fetched.error = error;
      fetched.is_over = true;
    }
  };
  std::list<Fetch> fetches_;
};

inline Instant in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

}  // namespace cordon::transport::http::testing
