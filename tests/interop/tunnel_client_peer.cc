// TunnelClient against any server that has the tasks of tunnel_client.mjs.
//
//   tunnel_client_peer URL      prints what is wrong, a line each, and how many checks there were

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cordon/tunnel_client.h"

using namespace cordon;

namespace {

int checks = 0;
int failures = 0;

void check(bool is_right, const std::string& what) {
  ++checks;
  if (is_right) return;
  ++failures;
  std::cout << "wrong: " << what << '\n';
}

std::string text_of(const TunnelError& error) {
  return std::string(name_of(error.failure)) + " " + std::to_string(error.status.value_or(0)) +
         " " + error.code + ": " + error.message;
}

void expect(const TunnelResult<Value>& result, const Value& wanted, const std::string& what) {
  check(result && *result == wanted, what + (result ? "" : ": " + text_of(result.error())));
}

void expect_error(const TunnelResult<Value>& result, unsigned status, const std::string& code,
                  const std::string& what) {
  check(!result && result.error().failure == TunnelFailure::answered &&
            result.error().status == status && result.error().code == code &&
            !result.error().request_id.empty(),
        what + (result ? ": a result" : ": " + text_of(result.error())));
}

// Pieces of text, each once.
class Pieces : public ByteSource {
 public:
  Pieces(std::string piece, int count) : piece_(std::move(piece)), left_(count) {}
  void read(Next next) override {
    next(left_-- > 0 ? Bytes(piece_.begin(), piece_.end()) : Bytes());
  }
  void close() override {}

 private:
  std::string piece_;
  int left_;
};

std::string read_all(ByteSource& source) {
  std::string all;
  for (;;) {
    std::promise<Result<Bytes>> piece;
    source.read([&](Result<Bytes> bytes) { piece.set_value(std::move(bytes)); });
    const Result<Bytes> got = piece.get_future().get();
    if (!got) return all + ", then " + std::string(name_of(got.error().code));
    if (got->empty()) return all;
    all.append(got->begin(), got->end());
  }
}

std::string stream_of(TunnelResult<TunnelAnswer> answer) {
  if (!answer) return text_of(answer.error());
  auto* const stream = std::get_if<TunnelStream>(&*answer);
  return stream == nullptr ? "a value" : read_all(*stream->bytes);
}

Value rich_value() {
  Builder builder;
  const ValueView set = builder.set({*builder.bigint("1"), *builder.bigint("22")});
  const ValueView map = builder.map({Entry{builder.string("a"), set}});
  return builder.finish(builder.object({{"when", Builder::date(86'400'000)},
                                        {"map", map},
                                        {"pattern", builder.regexp("a+", "gi")},
                                        {"nothing", ValueView()},
                                        {"numbers", builder.array({ValueView(0.5), ValueView(-1)})},
                                        {"text", builder.string("ü\n\"")}}));
}

void check_tasks(TunnelClient& client) {
  expect(start(client.task("app.tasks.add", Value::object({{"a", 1}, {"b", 2}}))).get(), 3, "add");
  expect(start(client.task("app.tasks.same", rich_value())).get(), rich_value(), "rich values");
  expect(start(client.task("app.tasks.same")).get(), Value(), "undefined");
  expect(start(client.task("app.tasks.same", Value::array({1, nullptr, "x"}))).get(),
         Value::array({1, nullptr, "x"}), "an array");
  expect(start(client.task("app.tasks/with slash")).get(), "found", "an id with a slash");
  expect_error(start(client.task("app.tasks.fail")).get(), 500, "INTERNAL_ERROR", "a failure");
  expect_error(start(client.task("app.tasks.unknown")).get(), 403, "FORBIDDEN", "an unknown task");

  const TunnelResult<Value> typed =
      start(client.task("app.tasks.typed", Value::object({{"missing", 7}}))).get();
  check(!typed && typed.error().is_typed() && typed.error().id == "app.errors.funds" &&
            typed.error().data == Value::object({{"missing", 7}}),
        "a typed error" + (typed ? std::string(": a result") : ": " + text_of(typed.error())));

  expect(start(client.task(
                   "app.tasks.context", {},
                   {.contexts = {{"app.ctx.tenant", Value::object({{"since", Value::date(0)}})}}}))
             .get(),
         Value::object({{"since", Value::date(0)}}), "a context");
  expect(start(client.task("app.tasks.requestId", {}, {.request_id = "mine:1"})).get(), "mine:1",
         "a request id");
}

void check_events(TunnelClient& client) {
  const Value payload = Value::object({{"id", 1}});
  const TunnelResult<void> emitted = start(client.emit("app.events.notify", payload)).get();
  check(emitted.has_value(), "an event" + (emitted ? "" : ": " + text_of(emitted.error())));
  expect(start(client.emit_and_return("app.events.notify", payload)).get(),
         Value::object({{"id", 1}, {"seen", true}}), "an event's payload");
}

void check_files(TunnelClient& client) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("tunnel_client_" + std::to_string(getpid()));
  std::ofstream(path) << std::string(100'000, 'f');
  TunnelInput input;
  const Value memory =
      input.add({.name = "m \"1\".txt", .type = "text/plain", .content = Bytes{'h', 'i'}});
  const Value file = input.add({.name = "f.bin", .content = TunnelFile::Path{path}});
  const Value stream = input.add(
      {.name = "s.bin", .content = std::make_shared<Pieces>(std::string(1'000, 's'), 50)});
  input.value = Value::object({{"files", Value::array({memory, file, stream})}, {"when", "kept"}});
  const TunnelResult<Value> answer = start(client.task("app.tasks.upload", input)).get();
  std::remove(path.c_str());
  expect(answer,
         Value::object({{"sizes", Value::array({2, 100'000, 50'000})},
                        {"names", Value::array({"m \"1\".txt", "f.bin", "s.bin"})},
                        {"when", "kept"}}),
         "files");
}

void check_streams(TunnelClient& client) {
  check(stream_of(start(client.call("app.tasks.stream")).get()) == "hello world", "a stream");
  std::string sent;
  for (int i = 0; i < 100; ++i) sent += std::string(30'000, 'e');
  const TunnelInput unknown =
      TunnelInput::from_stream(std::make_shared<Pieces>(std::string(30'000, 'e'), 100));
  check(stream_of(start(client.call("app.tasks.echo", unknown)).get()) == sent,
        "a duplex stream of unknown size");
  const TunnelInput known =
      TunnelInput::from_stream(std::make_shared<Pieces>(std::string(30'000, 'e'), 100), 3'000'000);
  check(stream_of(start(client.call("app.tasks.echo", known)).get()) == sent,
        "a duplex stream of known size");
  const TunnelResult<Value> collected = start(client.task("app.tasks.stream")).get();
  check(collected && collected->as_bytes().size() == 11, "a stream that is collected");
}

void check_ends(TunnelClient& client) {
  const TunnelResult<Value> late =
      start(client.task("app.tasks.never", {}, {.timeout = std::chrono::milliseconds(100)})).get();
  check(!late && late.error().failure == TunnelFailure::timeout, "a timeout");
  std::stop_source stop;
  auto future = start(client.task("app.tasks.never", {}, {.stop = stop.get_token()}));
  stop.request_stop();
  const TunnelResult<Value> stopped = future.get();
  check(!stopped && stopped.error().failure == TunnelFailure::cancelled, "a stop");
  expect(start(client.task("app.tasks.add", Value::object({{"a", 2}, {"b", 2}}))).get(), 4,
         "a call after those");
}

void check_discovery(TunnelClient& client) {
  const TunnelResult<TunnelDiscovery> found = start(client.discover()).get();
  check(found && found->enabled && std::ranges::count(found->tasks, "app.tasks.add") == 1 &&
            found->events == std::vector<std::string>{"app.events.notify"},
        "discovery" + (found ? "" : ": " + text_of(found.error())));
}

void check_token(const std::string& url) {
  TunnelClient client = *TunnelClient::create({.url = url, .token = "wrong"});
  expect_error(start(client.task("app.tasks.add")).get(), 401, "UNAUTHORIZED", "a wrong token");
  // The answer comes while the body is still on its way.
  const TunnelInput large =
      TunnelInput::from_stream(std::make_shared<Pieces>(std::string(60'000, 'e'), 1'000));
  const TunnelResult<Value> refused = start(client.task("app.tasks.echo", large)).get();
  expect_error(refused, 401, "UNAUTHORIZED", "a wrong token with a large body");
}

void check_many(TunnelClient& client) {
  std::vector<std::future<TunnelResult<Value>>> all;
  for (int i = 0; i < 500; ++i)
    all.push_back(start(client.task("app.tasks.add", Value::object({{"a", i}, {"b", 1}}))));
  int right = 0;
  for (int i = 0; i < 500; ++i) {
    const TunnelResult<Value> result = all[static_cast<std::size_t>(i)].get();
    right += result && result->as_number() == i + 1 ? 1 : 0;
  }
  check(right == 500, "500 calls at once: " + std::to_string(right));
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 64;
  Result<TunnelClient> client = TunnelClient::create({.url = words[1], .token = "secret"});
  if (!client) return std::cerr << client.error() << '\n', 64;
  check_tasks(*client);
  check_events(*client);
  check_files(*client);
  check_streams(*client);
  check_ends(*client);
  check_discovery(*client);
  check_token(words[1]);
  check_many(*client);
  std::cout << checks << " checks\n";
  return failures == 0 ? 0 : 1;
}
