#include "execbox_host.h"

#include <stdexcept>

#include "../e2e/process.h"
#include <gtest/gtest.h>

#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/json.h"

namespace cordon::conformance {
namespace {

Value manifest_of(const std::string& name, const std::vector<std::string>& tools) {
  std::vector<Value::Field> fields;
  for (const std::string& tool : tools) {
    fields.push_back({tool, Value::object({{"safeName", tool}, {"originalName", tool}})});
  }
  return Value::object(
      {{"name", name}, {"tools", Value::object_from(fields)}, {"types", "declare namespace"}});
}

std::vector<std::string> runner_arguments(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "runner");
  return arguments;
}

}  // namespace

std::string execute_line(const Request& request) {
  std::vector<Value> providers;
  for (const auto& [name, tools] : request.providers) providers.push_back(manifest_of(name, tools));
  return *to_json(Value::object({{"type", "execute"},
                                 {"id", request.id},
                                 {"code", request.code},
                                 {"options", Value::object({
                                                 {"timeoutMs", request.timeout_ms},
                                                 {"memoryLimitBytes", request.memory_limit_bytes},
                                                 {"maxLogLines", request.max_log_lines},
                                                 {"maxLogChars", request.max_log_chars},
                                             })},
                                 {"providers", Value::array_from(providers)}}));
}

std::string result_line(const ValueView& call_id, const Value& result) {
  return *json::encode(Value::object({{"type", "tool_result"},
                                      {"callId", call_id.as_string()},
                                      {"ok", true},
                                      {"result", result}}),
                       {.max_depth = 1010});
}

std::string failure_line(const ValueView& call_id, const std::string& code,
                         const std::string& message) {
  return *to_json(
      Value::object({{"type", "tool_result"},
                     {"callId", call_id.as_string()},
                     {"ok", false},
                     {"error", Value::object({{"code", code}, {"message", message}})}}));
}

std::string cancel_line(const std::string& id) {
  return *to_json(Value::object({{"type", "cancel"}, {"id", id}}));
}

Host::Host(std::vector<std::string> arguments)
    : conversation_(e2e::cordon_program(), runner_arguments(std::move(arguments))) {}

void Host::send(const std::string& line) { conversation_.send(line); }

std::optional<Value> Host::receive_any() {
  const std::optional<std::string> line = conversation_.receive();
  if (!line) return std::nullopt;
  Result<Value> message = json::decode(*line, {.max_depth = 1010});
  if (!message) throw std::runtime_error("no JSON on standard output: " + *line);
  return *std::move(message);
}

Value Host::receive(std::string_view type) {
  std::optional<Value> message = receive_any();
  if (!message) throw std::runtime_error("the output ended before " + std::string(type));
  EXPECT_EQ((*message)["type"], type) << *to_json(*message);
  return *std::move(message);
}

Value Host::until_done() {
  for (;;) {
    std::optional<Value> message = receive_any();
    if (!message) throw std::runtime_error("the output ended before done");
    if ((*message)["type"] == "done") return *std::move(message);
    if ((*message)["type"] != "tool_call") continue;
    calls.push_back(*message);
    const ValueView call_id = message->find("callId");
    const ValueView input = message->find("input");
    if ((*message)["safeToolName"] == "fail") {
      send(failure_line(call_id, std::string(input.find("code").as_string()),
                        std::string(input.find("message").as_string())));
    } else if ((*message)["safeToolName"] != "hang") {
      send(result_line(call_id, message->share(input)));
    }
  }
}

void Host::expect_end() {
  EXPECT_FALSE(receive_any().has_value()) << "output after the end";
  EXPECT_EQ(conversation_.wait(), 0);
}

Value run(const Request& request, std::vector<std::string> arguments) {
  Host host(std::move(arguments));
  host.execute(request);
  host.receive("started");
  Value done = host.until_done();
  EXPECT_EQ(done["id"], std::string_view(request.id));
  host.expect_end();
  return done;
}

std::string code_of(const Value& done) {
  return done["ok"].as_bool() ? "ok" : std::string(done["error"]["code"].as_string());
}
std::string message_of(const Value& done) {
  return std::string(done["error"]["message"].as_string());
}
std::vector<std::string> logs_of(const Value& done) {
  std::vector<std::string> logs;
  for (const ValueView line : done["logs"].items()) logs.emplace_back(line.as_string());
  return logs;
}

}  // namespace cordon::conformance
