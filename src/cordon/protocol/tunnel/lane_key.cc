#include "cordon/protocol/tunnel/lane_key.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "cordon/base/bytes.h"
#include "cordon/base/sha256.h"

namespace cordon::tunnel {

class LaneKey::Kind {
 public:
  Kind() = default;
  virtual ~Kind() = default;
  Kind(const Kind&) = delete;
  Kind& operator=(const Kind&) = delete;

  virtual std::string_view algorithm() const = 0;
  virtual bool verifies(std::string_view text, BytesView signature) const = 0;
  virtual Result<Bytes> sign(std::string_view text) const = 0;
};

namespace {

constexpr std::size_t max_pem_bytes = 65'536;
constexpr int min_rsa_bits = 2048;
constexpr int max_rsa_bits = 16'384;  // OpenSSL checks no signature of a larger one
constexpr std::size_t p256_bytes = 32;

template <auto free>
struct Free {
  template <class T>
  void operator()(T* pointer) const {
    free(pointer);
  }
};
using Pkey = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using PkeyContext = std::unique_ptr<EVP_PKEY_CTX, Free<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using EcSignature = std::unique_ptr<ECDSA_SIG, Free<ECDSA_SIG_free>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;

class Secret final : public LaneKey::Kind {
 public:
  explicit Secret(std::string_view secret) : hmac_(as_bytes(secret)) {}

  std::string_view algorithm() const override { return "HS256"; }
  bool verifies(std::string_view text, BytesView signature) const override {
    return is_same_sum(hmac_.of(as_bytes(text)), signature);
  }
  Result<Bytes> sign(std::string_view text) const override {
    const Sha256Sum sum = hmac_.of(as_bytes(text));
    return Bytes(sum.begin(), sum.end());
  }

 private:
  HmacSha256 hmac_;
};

enum class PairType : std::uint8_t { ed25519, p256, rsa };

// JOSE writes the two numbers of such a signature one after the other, and OpenSSL in DER.
std::optional<Bytes> der_of(BytesView signature) {
  if (signature.size() != 2 * p256_bytes) return std::nullopt;
  const EcSignature numbers(ECDSA_SIG_new());
  Number r(BN_bin2bn(signature.data(), p256_bytes, nullptr));
  Number s(BN_bin2bn(signature.data() + p256_bytes, p256_bytes, nullptr));
  if (!numbers || !r || !s) return std::nullopt;
  if (ECDSA_SIG_set0(numbers.get(), r.get(), s.get()) != 1) return std::nullopt;
  // They belong to `numbers` now.
  static_cast<void>(r.release());  // NOLINT(bugprone-unused-return-value)
  static_cast<void>(s.release());  // NOLINT(bugprone-unused-return-value)
  const int size = i2d_ECDSA_SIG(numbers.get(), nullptr);
  if (size <= 0) return std::nullopt;
  Bytes der(static_cast<std::size_t>(size));
  unsigned char* at = der.data();
  i2d_ECDSA_SIG(numbers.get(), &at);
  return der;
}

std::optional<Bytes> jose_of(BytesView der) {
  const unsigned char* at = der.data();
  const EcSignature numbers(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (!numbers) return std::nullopt;
  Bytes signature(2 * p256_bytes);
  const bool is_right =
      BN_bn2binpad(ECDSA_SIG_get0_r(numbers.get()), signature.data(), p256_bytes) >= 0 &&
      BN_bn2binpad(ECDSA_SIG_get0_s(numbers.get()), signature.data() + p256_bytes, p256_bytes) >= 0;
  if (!is_right) return std::nullopt;
  return signature;
}

enum class Half : std::uint8_t { open, secret };

class Pair final : public LaneKey::Kind {
 public:
  Pair(Pkey key, PairType type, Half half) : key_(std::move(key)), type_(type), half_(half) {}

  std::string_view algorithm() const override {
    switch (type_) {
      case PairType::ed25519:
        return "EdDSA";
      case PairType::p256:
        return "ES256";
      case PairType::rsa:
        return "RS256";
    }
    std::unreachable();
  }

  bool verifies(std::string_view text, BytesView signature) const override {
    std::optional<Bytes> der;
    if (type_ == PairType::p256) {
      der = der_of(signature);
      if (!der) return false;
      signature = *der;
    }
    const DigestContext context(EVP_MD_CTX_new());
    const bool is_right =
        context &&
        EVP_DigestVerifyInit(context.get(), nullptr, digest(), nullptr, key_.get()) == 1 &&
        EVP_DigestVerify(context.get(), signature.data(), signature.size(), as_bytes(text).data(),
                         text.size()) == 1;
    // What OpenSSL notes about a wrong one is nobody's.
    if (!is_right) ERR_clear_error();
    return is_right;
  }

  Result<Bytes> sign(std::string_view text) const override {
    if (half_ == Half::open) return fail(ErrorCode::invalid_argument, "a public key cannot sign");
    const DigestContext context(EVP_MD_CTX_new());
    std::size_t size = 0;
    Bytes signature;
    bool is_right =
        context && EVP_DigestSignInit(context.get(), nullptr, digest(), nullptr, key_.get()) == 1 &&
        EVP_DigestSign(context.get(), nullptr, &size, as_bytes(text).data(), text.size()) == 1;
    if (is_right) {
      signature.resize(size);
      is_right = EVP_DigestSign(context.get(), signature.data(), &size, as_bytes(text).data(),
                                text.size()) == 1;
      signature.resize(size);
    }
    if (is_right && type_ == PairType::p256) {
      std::optional<Bytes> jose = jose_of(signature);
      is_right = jose.has_value();
      if (jose) signature = *std::move(jose);
    }
    if (is_right) return signature;
    ERR_clear_error();
    return fail(ErrorCode::internal_error, "the key did not sign");
  }

 private:
  // Ed25519 hashes by itself.
  const EVP_MD* digest() const { return type_ == PairType::ed25519 ? nullptr : EVP_sha256(); }

  const Pkey key_;
  const PairType type_;
  const Half half_;
};

std::unexpected<Error> no_key(std::string_view why) {
  return fail(ErrorCode::invalid_argument, std::string(why));
}

bool is_p256(EVP_PKEY* key) {
  char name[64] = {};
  return EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof name,
                                        nullptr) == 1 &&
         std::string_view(name) == "prime256v1";
}

Result<PairType> type_of(EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "ED25519") == 1) return PairType::ed25519;
  if (EVP_PKEY_is_a(key, "EC") == 1) {
    if (!is_p256(key)) return no_key("is of a curve that is not P-256");
    return PairType::p256;
  }
  if (EVP_PKEY_is_a(key, "RSA") == 1) {
    const int bits = EVP_PKEY_get_bits(key);
    if (bits < min_rsa_bits)
      return no_key("is RSA of " + std::to_string(bits) + " bits; it needs 2048");
    if (bits > max_rsa_bits)
      return no_key("is RSA of " + std::to_string(bits) + " bits; it may have 16384");
    return PairType::rsa;
  }
  return no_key("is neither Ed25519 nor P-256 nor RSA");
}

// A prompt for its password would wait for ever.
int no_password(char*, int, int, void*) { return 0; }

Result<Pkey> read_pem(std::string_view pem, Half half) {
  if (pem.size() > max_pem_bytes) return no_key("has more than 64 KiB");
  const bool names_secret = pem.contains("PRIVATE KEY-----");
  if (half == Half::open && names_secret)
    return no_key("is a private key; write its public half, as `openssl pkey -pubout` gives it");
  if (half == Half::open && !pem.contains("-----BEGIN PUBLIC KEY-----"))
    return no_key("is not in PEM: it begins with -----BEGIN PUBLIC KEY-----");
  if (half == Half::secret && !names_secret)
    return no_key("is not in PEM: it begins with -----BEGIN PRIVATE KEY-----");
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Pkey key(half == Half::open ? PEM_read_bio_PUBKEY(bio.get(), nullptr, no_password, nullptr)
                              : PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  if (!key && pem.contains("ENCRYPTED")) return no_key("is encrypted; write it without a password");
  if (!key) return no_key("cannot be read: what is between its first and last line is no key");
  return key;
}

Result<std::shared_ptr<const LaneKey::Kind>> read_pair(std::string_view pem, Half half) {
  Pkey key = CORDON_TRY(read_pem(pem, half));
  const PairType type = CORDON_TRY(type_of(key.get()));
  const PkeyContext context(EVP_PKEY_CTX_new(key.get(), nullptr));
  // A point that is not on its curve, an exponent of 1.
  const bool is_right = context && EVP_PKEY_public_check(context.get()) == 1;
  ERR_clear_error();
  if (!is_right) return no_key("is no key that anything could be signed with");
  return std::make_shared<const Pair>(std::move(key), type, half);
}

}  // namespace

LaneKey::LaneKey(std::shared_ptr<const Kind> kind) : kind_(std::move(kind)) {}

Result<LaneKey> LaneKey::of_secret(std::string_view secret) {
  if (secret.size() < min_secret_bytes) {
    return no_key("has " + std::to_string(secret.size()) + " bytes; it needs " +
                  std::to_string(min_secret_bytes) + ", and " + std::to_string(good_secret_bytes) +
                  " are better");
  }
  return LaneKey(std::make_shared<const Secret>(secret));
}

Result<LaneKey> LaneKey::of_public_pem(std::string_view pem) {
  return LaneKey(CORDON_TRY(read_pair(pem, Half::open)));
}

Result<LaneKey> LaneKey::of_private_pem(std::string_view pem) {
  return LaneKey(CORDON_TRY(read_pair(pem, Half::secret)));
}

std::string_view LaneKey::algorithm() const { return kind_->algorithm(); }

bool LaneKey::verifies(std::string_view text, BytesView signature) const {
  return kind_->verifies(text, signature);
}

Result<Bytes> LaneKey::sign(std::string_view text) const { return kind_->sign(text); }

}  // namespace cordon::tunnel
