#pragma once

// A server's certificate and key, ready for connections.

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "cordon/connection_options.h"
#include "cordon/result.h"

namespace cordon::transport {

// TLS 1.2 and later. With `alpn` ("h2,http/1.1": the best first) a client that offers protocols
// must offer one of these.
Result<std::unique_ptr<boost::asio::ssl::context>> make_tls_context(const TlsFiles& files,
                                                                    const std::string& alpn = {});

}  // namespace cordon::transport
