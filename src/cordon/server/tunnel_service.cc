#include "cordon/server/tunnel_service.h"

#include <functional>
#include <utility>

#include <boost/asio/post.hpp>

namespace cordon::server {
namespace {

namespace asio = boost::asio;
namespace http = transport::http;

asio::awaitable<void> serve(std::shared_ptr<TunnelContext> context, http::Exchange& exchange) {
  TunnelRequest request(*context, exchange);
  co_await request.run();
}

}  // namespace

TunnelService::TunnelService(Shard& shard, http::HttpOptions options,
                             std::shared_ptr<TunnelContext> context)
    : HttpService(shard, std::move(options),
                  [context](http::Exchange& exchange) { return serve(context, exchange); }),
      shard_(shard),
      context_(std::move(context)) {}

void TunnelService::expose(std::shared_ptr<const Exposure> exposure) {
  asio::post(*shard_.io(), [this, exposure = std::move(exposure)]() mutable {
    context_->exposure = std::move(exposure);
  });
}

void TunnelService::replace_tls(std::shared_ptr<asio::ssl::context> tls) {
  asio::post(*shard_.io(),
             [this, tls = std::move(tls)]() mutable { server().replace_tls(std::move(tls)); });
}

ShardContext TunnelService::context() {
  return {
      shard_.engine(),
      [io = shard_.io()](std::function<void()> function) { asio::post(*io, std::move(function)); },
      &context_->pool};
}

Engine::Figures TunnelService::load() const {
  const Engine* const engine = shard_.engine();
  return engine != nullptr ? engine->figures() : Engine::Figures();
}

}  // namespace cordon::server
