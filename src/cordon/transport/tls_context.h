#pragma once

// What TLS needs to know before the first connection: a server's certificate and key, or whom a
// client trusts.

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

// The client's side, which trusts what the system trusts (or SSL_CERT_FILE and SSL_CERT_DIR), or
// the certificates of a PEM file. `alpn` is what it offers: "h2,http/1.1".
Result<std::unique_ptr<boost::asio::ssl::context>> make_client_tls_context(
    const std::string& trusted_certificates, const std::string& alpn);

}  // namespace cordon::transport
