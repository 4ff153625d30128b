#pragma once

// A server with a certificate of its own, and curl, which trusts it.

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "cordon/transport/http/testing/test_server.h"
#include "cordon/transport/tls_context.h"

namespace cordon::transport::http::testing {

inline std::string output_of(const std::string& command) {
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> room;
  while (const std::size_t size = fread(room.data(), 1, room.size(), pipe))
    text.append(room.data(), size);
  pclose(pipe);
  return text;
}

class TlsServerTest : public ::testing::Test {
 protected:
  TlsServerTest() {
    std::filesystem::create_directories(folder_);
    output_of(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout " +
        key_ + " -out " + certificate_);
    HttpOptions options;
    options.limits.header_timeout = std::chrono::milliseconds(500);
    serve(options);
  }
  ~TlsServerTest() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  // With other options than those it begins with.
  void serve(HttpOptions options) {
    server_.reset();
    options.tls = *make_tls_context({.certificate = certificate_, .key = key_}, "h2,http/1.1");
    server_ = std::make_unique<TestServer>(std::move(options));
  }

  std::string url(const std::string& target) const {
    return "https://localhost:" + std::to_string(server_->port()) + target;
  }
  std::string curl(const std::string& arguments) const {
    return output_of("curl -sS --max-time 20 --resolve '*:" + std::to_string(server_->port()) +
                     ":127.0.0.1' --cacert " + certificate_ + " " + arguments);
  }

  const std::string folder_ = ::testing::TempDir() + "/http_tls_" + std::to_string(getpid());
  const std::string certificate_ = folder_ + "/certificate.pem";
  const std::string key_ = folder_ + "/key.pem";
  std::unique_ptr<TestServer> server_;
};

}  // namespace cordon::transport::http::testing
