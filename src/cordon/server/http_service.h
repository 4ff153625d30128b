#pragma once

// HTTP on a Shard.

#include <utility>

#include "cordon/server/shard.h"
#include "cordon/transport/http/http_server.h"

namespace cordon::server {

class HttpService : public Service {
 public:
  HttpService(Shard& shard, transport::http::HttpOptions options, transport::http::Handler handler)
      : server_(*shard.io(), std::move(options), std::move(handler)) {}

  transport::http::HttpServer& server() { return server_; }

  void drain() override { server_.drain(); }
  void close_all() override { server_.close_all(); }
  bool is_empty() const override { return server_.is_empty(); }

 private:
  transport::http::HttpServer server_;
};

}  // namespace cordon::server
