#pragma once

// A runner that serves on threads of its own, and what its clients say.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cordon/server/runner_server.h"
#include "cordon/transport/http/testing/raw_client.h"
#include "cordon/transport/listen_address.h"

namespace cordon::server::testing {

using namespace std::chrono_literals;
using transport::http::testing::RawClient;

// One with a tool, `tools.a`.
inline std::string execute(const std::string& code) {
  return R"({"type":"execute","id":"e","code":")" + code +
         R"(","options":{"timeoutMs":60000,"memoryLimitBytes":67108864,"maxLogLines":10,)"
         R"("maxLogChars":1000},"providers":[{"name":"tools","types":"","tools":{"a":)"
         R"({"safeName":"a","originalName":"a"}}}]})";
}

inline RunnerServerOptions options_of(std::vector<std::string> listen) {
  RunnerServerOptions options;
  for (const std::string& address : listen)
    options.listen.push_back(*transport::parse_listen_address(address));
  options.threads = 2;
  options.executions = 8;
  options.grace = 20s;
  return options;
}

// One that serves, on threads of its own.
class Running {
 public:
  explicit Running(RunnerServerOptions options = options_of({"tcp:127.0.0.1:0",
                                                             "ws://127.0.0.1:0/"})) {
    server = *RunnerServer::create(std::move(options));
    thread_ = std::jthread([this] { server->run(); });
  }
  ~Running() { server->stop(); }

  RawClient connect(std::size_t listener = 0) const {
    std::string address = server->addresses().at(listener);
    if (address.ends_with('/')) address.pop_back();
    return RawClient(
        static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1))));
  }
  void wait() { thread_.join(); }

  std::unique_ptr<RunnerServer> server;

 private:
  std::jthread thread_;
};

}  // namespace cordon::server::testing
