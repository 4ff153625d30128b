#include "cordon/transport/stream.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <new>
#include <sys/socket.h>
#include <sys/uio.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

namespace cordon::transport {
namespace {

constexpr std::size_t max_pieces = 4;
constexpr std::size_t record_bytes = 16'384;  // of TLS

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

template <class Call>
ssize_t uninterrupted(Call call) {
  for (;;) {
    const ssize_t result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

Stream::Outcome outcome_of_read(ssize_t result) {
  using Status = Stream::Status;
  if (result > 0) return {.status = Status::moved, .bytes = static_cast<std::size_t>(result)};
  if (result == 0) return {.status = Status::ended, .bytes = 0};
  return {.status = would_block() ? Status::wants_read : Status::broken, .bytes = 0};
}

// OpenSSL's own socket BIO writes without MSG_NOSIGNAL, and a client that went would end a program
// that has not said what SIGPIPE is to do.
int descriptor_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}
int bio_read(BIO* bio, char* room, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t result = uninterrupted(
      [&] { return recv(descriptor_of(bio), room, static_cast<std::size_t>(size), 0); });
  if (result < 0 && would_block()) BIO_set_retry_read(bio);
  return static_cast<int>(result);
}
int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t result = uninterrupted([&] {
    return send(descriptor_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  });
  if (result < 0 && would_block()) BIO_set_retry_write(bio);
  return static_cast<int>(result);
}
long bio_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* bio_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    if (made == nullptr) throw std::bad_alloc();
    BIO_meth_set_read(made, bio_read);
    BIO_meth_set_write(made, bio_write);
    BIO_meth_set_ctrl(made, bio_control);
    return made;
  }();
  return method;
}

}  // namespace

void Stream::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

Stream::Stream(int descriptor, ssl_ctx_st* context) : descriptor_(descriptor) {
  if (context == nullptr) return;
  ssl_.reset(SSL_new(context));
  BIO* const bio = BIO_new(bio_method());
  if (ssl_ == nullptr || bio == nullptr) {
    BIO_free(bio);
    throw std::bad_alloc();
  }
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)));
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_accept_state(ssl_.get());
}

Stream Stream::to_host(int descriptor, ssl_ctx_st& context, const std::string& host) {
  Stream stream(descriptor, &context);
  SSL* const ssl = stream.ssl_.get();
  SSL_set_connect_state(ssl);
  std::array<unsigned char, sizeof(in6_addr)> address;
  if (inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
      inet_pton(AF_INET6, host.c_str(), address.data()) == 1) {
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) != 1)
      throw std::bad_alloc();
    return stream;
  }
  // The name that ends in a dot is the same one, but no certificate has it.
  const std::string name = host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (SSL_set1_host(ssl, name.c_str()) != 1 || SSL_set_tlsext_host_name(ssl, name.c_str()) != 1)
    throw std::bad_alloc();
  return stream;
}

Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;

Stream::Status Stream::status_of(int result) {
  const int error = SSL_get_error(ssl_.get(), result);
  ERR_clear_error();
  switch (error) {
    case SSL_ERROR_WANT_READ:
      return Status::wants_read;
    case SSL_ERROR_WANT_WRITE:
      return Status::wants_write;
    case SSL_ERROR_ZERO_RETURN:
      return Status::ended;
    default:
      // An end without close_notify is one too: what was cut off may look like a whole.
      return Status::broken;
  }
}

bool Stream::has_pending() const { return ssl_ != nullptr && SSL_pending(ssl_.get()) > 0; }

Stream::Status Stream::shake_hands() {
  const int result = SSL_do_handshake(ssl_.get());
  if (result == 1) return Status::moved;
  const unsigned long error = ERR_peek_error();
  const long verified = SSL_get_verify_result(ssl_.get());
  const Status status = status_of(result);
  if (status == Status::broken && verified != X509_V_OK) {
    handshake_failure_ = X509_verify_cert_error_string(verified);
  } else if (const char* const reason = ERR_reason_error_string(error); reason != nullptr) {
    handshake_failure_ = reason;
  }
  return status;
}

std::string_view Stream::protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  if (ssl_ != nullptr) SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

Stream::Outcome Stream::read(std::span<std::uint8_t> room) {
  if (ssl_ == nullptr) {
    return outcome_of_read(
        uninterrupted([&] { return recv(descriptor_, room.data(), room.size(), 0); }));
  }
  Outcome outcome;
  const int result = SSL_read_ex(ssl_.get(), room.data(), room.size(), &outcome.bytes);
  outcome.status = result == 1 ? Status::moved : status_of(result);
  return outcome;
}

Stream::Outcome Stream::read(std::span<std::uint8_t> room, std::span<std::uint8_t> more_room) {
  if (ssl_ != nullptr || more_room.empty()) return read(room);
  const iovec rooms[] = {{.iov_base = room.data(), .iov_len = room.size()},
                         {.iov_base = more_room.data(), .iov_len = more_room.size()}};
  return outcome_of_read(uninterrupted([&] { return readv(descriptor_, rooms, 2); }));
}

Stream::Outcome Stream::write(std::span<const BytesView> pieces) {
  if (ssl_ != nullptr) return write_secure(pieces);
  std::array<iovec, max_pieces> parts;
  msghdr message{};
  message.msg_iov = parts.data();
  for (const BytesView piece : pieces.first(std::min(pieces.size(), max_pieces))) {
    if (piece.empty()) continue;
    parts[message.msg_iovlen++] = {.iov_base = const_cast<std::uint8_t*>(piece.data()),
                                   .iov_len = piece.size()};
  }
  const ssize_t result =
      uninterrupted([&] { return sendmsg(descriptor_, &message, MSG_NOSIGNAL); });
  if (result >= 0) return {.status = Status::moved, .bytes = static_cast<std::size_t>(result)};
  return {.status = would_block() ? Status::wants_write : Status::broken, .bytes = 0};
}

Stream::Outcome Stream::write_secure(std::span<const BytesView> pieces) {
  // Small pieces share a record, as a head and its body.
  std::array<std::uint8_t, record_bytes> record;
  std::size_t size = 0;
  BytesView chosen;
  for (const BytesView piece : pieces) {
    if (piece.empty()) continue;
    if (size == 0 && piece.size() >= record_bytes) {
      chosen = piece;
      break;
    }
    const std::size_t part = std::min(piece.size(), record.size() - size);
    std::memcpy(&record[size], piece.data(), part);
    size += part;
    chosen = {record.data(), size};
    if (size == record.size()) break;
  }
  if (chosen.empty()) return {.status = Status::moved, .bytes = 0};
  Outcome outcome;
  const int result = SSL_write_ex(ssl_.get(), chosen.data(), chosen.size(), &outcome.bytes);
  outcome.status = result == 1 ? Status::moved : status_of(result);
  return outcome;
}

Stream::Status Stream::end_output() {
  if (ssl_ != nullptr && SSL_is_init_finished(ssl_.get()) == 1) {
    // The peer's own notice is not waited for, so 0 is as good as 1.
    const int result = SSL_shutdown(ssl_.get());
    const Status status = result >= 0 ? Status::moved : status_of(result);
    if (status == Status::wants_write) return status;
  }
  shutdown(descriptor_, SHUT_WR);
  return Status::moved;
}

}  // namespace cordon::transport
