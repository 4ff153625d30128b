#include "cordon/transport/tls_context.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

namespace cordon::transport {
namespace {

using testing::HasSubstr;
using testing::Not;

// A self-signed certificate and its key, in files of a folder that goes with it.
class TlsPemFiles : public testing::Test {
 protected:
  TlsPemFiles() {
    std::string pattern = testing::TempDir() + "tls_context_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_sign(certificate, key, EVP_sha256());
    FILE* file = std::fopen(path("cert.pem").c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    file = std::fopen(path("key.pem").c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
    std::ofstream(path("text.pem")) << "nothing of the kind\n";
  }
  ~TlsPemFiles() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string failure(const std::string& certificate, const std::string& key) const {
    const auto made = make_tls_context({path(certificate), path(key)});
    return made ? "" : made.error().message;
  }

  std::string folder_;
};

TEST_F(TlsPemFiles, TakesACertificateAndItsKey) { EXPECT_EQ(failure("cert.pem", "key.pem"), ""); }

TEST_F(TlsPemFiles, SaysThatCertificateAndKeyAreSwapped) {
  EXPECT_EQ(failure("key.pem", "cert.pem"),
            "cannot use the certificate: its file has a private key, and the key's file has a "
            "certificate: swap the two");
}

TEST_F(TlsPemFiles, SaysWhatAFileOfTheOtherKindHas) {
  EXPECT_THAT(failure("key.pem", "key.pem"),
              HasSubstr("cannot use the certificate: its file has a private key, and no"));
  EXPECT_THAT(failure("cert.pem", "cert.pem"),
              HasSubstr("cannot use the key: its file has a certificate, and no private key"));
}

TEST_F(TlsPemFiles, LeavesOtherFailuresToThoseWhoFoundThem) {
  EXPECT_THAT(failure("text.pem", "key.pem"), HasSubstr("no start line"));
  EXPECT_THAT(failure("none.pem", "key.pem"), Not(HasSubstr("private key")));
  EXPECT_THAT(failure("cert.pem", "text.pem"), Not(HasSubstr("has a certificate")));
}

}  // namespace
}  // namespace cordon::transport
