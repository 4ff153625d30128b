#pragma once

// The Runner tunnel on a Shard: each request is a TunnelRequest.

#include <memory>

#include <boost/asio/ssl/context.hpp>

#include "cordon/server/http_service.h"
#include "cordon/server/tunnel_request.h"
#include "cordon/server/tunnel_rules.h"

namespace cordon::server {

// On the shard's thread, but for what says otherwise.
class TunnelService final : public HttpService {
 public:
  // Requests keep `context`, since the loop may destroy what is left of them after this is gone.
  TunnelService(Shard& shard, transport::http::HttpOptions options,
                std::shared_ptr<TunnelContext> context);

  // Any thread: requests that come from now on; before the shard runs, all of them.
  void expose(std::shared_ptr<const Exposure> exposure);
  // Any thread: the certificate of connections that come from now on.
  void replace_tls(std::shared_ptr<boost::asio::ssl::context> tls);
  // Any thread.
  ShardContext context();
  Engine::Figures load() const;

 private:
  Shard& shard_;
  const std::shared_ptr<TunnelContext> context_;
};

}  // namespace cordon::server
