// Each default is said once: what a configuration without keys, an embedder and the layer that
// obeys it have is the same.

#include <type_traits>

#include <gtest/gtest.h>

#include "cordon/config/configuration.h"
#include "cordon/execution.h"
#include "cordon/protocol/tunnel/multipart.h"
#include "cordon/sandbox/command.h"
#include "cordon/server/runner_server.h"
#include "cordon/server/tunnel_server.h"
#include "cordon/server_options.h"
#include "cordon/transport/connection_gate.h"
#include "cordon/transport/http/http_options.h"

namespace cordon::server {
namespace {

// The public struct is the inner one.
static_assert(std::is_base_of_v<ServerOptions, config::Server>);
static_assert(std::is_same_v<decltype(TunnelServerOptions::server), ServerOptions>);
static_assert(std::is_same_v<decltype(transport::http::HttpOptions::limits), HttpLimits>);
static_assert(std::is_same_v<decltype(ServerOptions::http), HttpLimits>);
static_assert(std::is_constructible_v<transport::ConnectionGate, const ConnectionLimits&>);
static_assert(std::is_same_v<decltype(RunnerServerOptions::connections), ConnectionLimits>);
static_assert(std::is_same_v<decltype(TunnelRules::limits), BodyLimits>);
static_assert(std::is_constructible_v<tunnel::MultipartReader, std::string_view,
                                      const decltype(BodyLimits::multipart)&>);
static_assert(std::is_same_v<decltype(config::PluginEntry::options), PluginOptions>);
static_assert(std::is_same_v<decltype(PluginOptions::compile), CompileLimits>);
static_assert(std::is_same_v<decltype(sandbox::CommandOptions::compile), CompileLimits>);
static_assert(std::is_base_of_v<Limits, decltype(config::Configuration::limits)>);
static_assert(std::is_same_v<decltype(config::Server::engine), EngineOptions>);

TEST(Options, HaveTheSameDefaultsInAConfigurationAndForAnEmbedder) {
  const config::Server file;
  const ServerOptions embedder;
  const transport::http::HttpOptions layer;
  EXPECT_EQ(file.http, embedder.http);
  EXPECT_EQ(file.http, layer.limits);
  EXPECT_EQ(file.connections, embedder.connections);
  EXPECT_EQ(file.limits.json_bytes, TunnelRules().limits.json_bytes);
  EXPECT_EQ(file.limits.multipart.file_bytes, MultipartLimits().file_bytes);
  EXPECT_EQ(file.threads, embedder.threads);
  EXPECT_EQ(file.memory_bytes, embedder.memory_bytes);
  EXPECT_EQ(file.auth.header, TunnelRules(embedder).auth.header);
}

TEST(Options, GiveScriptsTheTimeOfAnExecutionAsTheirOwn) {
  const config::Configuration configuration;
  EXPECT_EQ(configuration.limits.timeout, Limits().time.total);
  EXPECT_EQ(configuration.limits.time.total, std::nullopt);
  EXPECT_EQ(configuration.limits.memory_bytes, Limits().memory_bytes);
  EXPECT_EQ(configuration.limits.log_lines, Limits().log_lines);
}

TEST(Options, AreTakenOverByRulesInOneForm) {
  ServerOptions options;
  options.base_path = "tunnel/";
  options.auth.header = "X-Token";
  options.limits.json_bytes = 7;
  options.contexts = {"tenant"};
  options.deadline = std::chrono::seconds(1);
  const TunnelRules rules(options);
  EXPECT_EQ(rules.base_path, "/tunnel");
  EXPECT_EQ(rules.auth.header, "x-token");
  EXPECT_EQ(rules.limits.json_bytes, 7u);
  EXPECT_EQ(rules.contexts, options.contexts);
  EXPECT_EQ(rules.deadline, options.deadline);
}

TEST(Options, ThatLeaveNothingToServeWithAreRefused) {
  EXPECT_TRUE(check({}));
  const auto complaint = [](const auto& change) {
    ServerOptions options;
    change(options);
    return check(options).error().message;
  };
  EXPECT_EQ(complaint([](ServerOptions& made) { made.threads = 0; }),
            "threads: at least 1 is needed");
  EXPECT_EQ(complaint([](ServerOptions& made) { made.connections.max = 0; }),
            "connections.max: at least 1 is needed");
  EXPECT_EQ(complaint([](ServerOptions& made) { made.connections.max_per_address = 0; }),
            "connections.max_per_address: at least 1 is needed");
  EXPECT_EQ(complaint([](ServerOptions& made) { made.listen.clear(); }),
            "listen: at least one address is needed");
  EXPECT_FALSE(check({.listen = {"nowhere"}}));
  EXPECT_FALSE(check({.trusted_proxies = {"10.0.0.0/99"}}));
}

}  // namespace
}  // namespace cordon::server
