#pragma once

// Keys for tests of lanes, made anew in each run.

#include <memory>
#include <string>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

namespace cordon::tunnel::testing {

struct KeyPair {
  std::string private_pem;
  std::string public_pem;
};

inline std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

inline KeyPair pair_of(EVP_PKEY* key) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> kept(key, EVP_PKEY_free);
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> secret(BIO_new(BIO_s_mem()), BIO_free_all);
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> open(BIO_new(BIO_s_mem()), BIO_free_all);
  PEM_write_bio_PrivateKey(secret.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  PEM_write_bio_PUBKEY(open.get(), key);
  return {text_of(secret.get()), text_of(open.get())};
}

inline KeyPair ed25519_pair() { return pair_of(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")); }
inline KeyPair ec_pair(const char* curve) { return pair_of(EVP_EC_gen(curve)); }
inline KeyPair rsa_pair(unsigned bits) { return pair_of(EVP_RSA_gen(bits)); }

}  // namespace cordon::tunnel::testing
