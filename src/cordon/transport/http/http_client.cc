#include "cordon/transport/http/http_client.h"

#include <utility>

#include "cordon/transport/http/connection_pool.h"

namespace cordon::transport::http {

HttpClient::HttpClient(boost::asio::io_context& io, HttpClientOptions options)
    : pool_(std::make_unique<ConnectionPool>(io, std::move(options))) {}

HttpClient::~HttpClient() = default;

HttpTransfer HttpClient::start(const Origin& origin, HttpRequest request, OnHead on_head) {
  return HttpTransfer(pool_->start(origin, std::move(request), std::move(on_head)));
}

void HttpClient::close_idle() { pool_->close_idle(); }

HttpClient::Figures HttpClient::figures() const { return pool_->figures(); }

}  // namespace cordon::transport::http
