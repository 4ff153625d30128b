#include "cordon/transport/tls_context.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

namespace cordon::transport {
namespace {

namespace ssl = boost::asio::ssl;

// Whether `name` is among those that a client offers, each with its length in front; where.
const unsigned char* find_protocol(std::string_view name, const unsigned char* offered,
                                   unsigned offered_size) {
  for (unsigned i = 0; i < offered_size; i += 1U + offered[i]) {
    const unsigned size = offered[i];
    if (size > offered_size - i - 1) break;
    if (size == name.size() && std::equal(name.begin(), name.end(), offered + i + 1))
      return offered + i + 1;
  }
  return nullptr;
}

// The best that both speak: a client that offers others alone is told so in the handshake.
int select_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned offered_size, void* wanted) {
  std::string_view left = *static_cast<const std::string*>(wanted);
  while (!left.empty()) {
    const std::string_view name = left.substr(0, left.find(','));
    left.remove_prefix(std::min(name.size() + 1, left.size()));
    if (const unsigned char* const found = find_protocol(name, offered, offered_size)) {
      *chosen = found;
      *chosen_size = static_cast<unsigned char>(name.size());
      return SSL_TLSEXT_ERR_OK;
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

int protocol_index() {
  static const int index = SSL_CTX_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void*, void* name, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<std::string*>(name);
      });
  return index;
}

struct PemKinds {
  bool has_certificate = false;
  bool has_key = false;
};

// What a PEM file says that it has. Only its first part is read: that is where such a file begins.
PemKinds kinds_in(const std::string& path) {
  std::string text(std::size_t{64} << 10, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return {.has_certificate = text.contains("CERTIFICATE-----"),
          .has_key = text.contains("PRIVATE KEY-----")};
}

// OpenSSL calls a file of another kind one without a start line.
std::string why_no_certificate(const TlsFiles& files, const std::string& otherwise) {
  const PemKinds found = kinds_in(files.certificate);
  if (found.has_certificate || !found.has_key) return otherwise;
  const PemKinds other = kinds_in(files.key);
  return other.has_certificate && !other.has_key
             ? "its file has a private key, and the key's file has a certificate: swap the two"
             : "its file has a private key, and no certificate";
}

std::string why_no_key(const TlsFiles& files, const std::string& otherwise) {
  const PemKinds found = kinds_in(files.key);
  return found.has_certificate && !found.has_key ? "its file has a certificate, and no private key"
                                                 : otherwise;
}

}  // namespace

Result<std::unique_ptr<ssl::context>> make_tls_context(const TlsFiles& files,
                                                       const std::string& alpn) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  context->set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 |
                       ssl::context::no_tlsv1_1);
  boost::system::error_code error;
  if (context->use_certificate_chain_file(files.certificate, error)) {
    return fail(ErrorCode::invalid_argument,
                "cannot use the certificate: " + why_no_certificate(files, error.message()));
  }
  if (context->use_private_key_file(files.key, ssl::context::pem, error)) {
    return fail(ErrorCode::invalid_argument,
                "cannot use the key: " + why_no_key(files, error.message()));
  }
  SSL_CTX* const raw = context->native_handle();
  // Idle connections keep no buffers; a peer cannot make us compute handshakes over and over.
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION);
  if (!alpn.empty()) {
    auto name = std::make_unique<std::string>(alpn);
    SSL_CTX_set_alpn_select_cb(raw, select_protocol, name.get());
    SSL_CTX_set_ex_data(raw, protocol_index(), name.release());
  }
  return context;
}

Result<std::unique_ptr<ssl::context>> make_client_tls_context(
    const std::string& trusted_certificates, const std::string& alpn) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_client);
  context->set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 |
                       ssl::context::no_tlsv1_1);
  boost::system::error_code error;
  if (trusted_certificates.empty()) {
    (void)context->set_default_verify_paths(error);
  } else {
    (void)context->load_verify_file(trusted_certificates, error);
  }
  if (error)
    return fail(ErrorCode::invalid_argument,
                "cannot use the trusted certificates: " + error.message());
  context->set_verify_mode(ssl::verify_peer);
  std::string offered;
  for (std::string_view left = alpn; !left.empty();) {
    const std::string_view name = left.substr(0, left.find(','));
    left.remove_prefix(std::min(name.size() + 1, left.size()));
    offered += static_cast<char>(name.size());
    offered += name;
  }
  // Alone among its kin it returns 0 for success.
  if (SSL_CTX_set_alpn_protos(context->native_handle(),
                              reinterpret_cast<const unsigned char*>(offered.data()),
                              static_cast<unsigned>(offered.size())) != 0)
    return fail(ErrorCode::internal_error, "cannot offer protocols");
  SSL_CTX_set_mode(context->native_handle(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

}  // namespace cordon::transport
