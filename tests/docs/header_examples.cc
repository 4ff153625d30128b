// The examples in the comments of src/cordon/**/*.h, with what they stand in. This file is compiled
// and not run: an example that names what is not there does not compile. The test examples.snippets
// compares the two.

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cordon/base/budget.h"
#include "cordon/base/budget_allocator.h"
#include "cordon/base/error_table.h"
#include "cordon/base/thread_annotations.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/config/form.h"
#include "cordon/host/awaited.h"
#include "cordon/host/idle_threads.h"
#include "cordon/host/script_task.h"
#include "cordon/protocol/duplex/host_session.h"
#include "cordon/protocol/tunnel/client_session.h"
#include "cordon/protocol/tunnel/multipart.h"
#include "cordon/protocol/tunnel/server_session.h"
#include "cordon/protocol/tunnel/upload_session.h"
#include "cordon/providers/conversation.h"
#include "cordon/server/shard.h"
#include "cordon/transport/acceptor.h"
#include "cordon/transport/http/http_client.h"
#include "cordon/transport/http/http_server.h"
#include "cordon/transport/listening_socket.h"
#include "cordon/value/value_builder.h"

// Examples use nothing of what they make, and say again what stands before them.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wshadow"

using namespace cordon;
using namespace std::chrono_literals;

// base/budget.h
void use_budget(std::string_view text) {
  auto budget = std::make_shared<Budget>(Budget::Limits{.bytes = 64 << 20});
  Result<Value> value = json::decode(text, {.budget = budget});  // ErrorCode::too_large past it
}

// base/budget_allocator.h
struct Open {};
void use_budget_allocator(Budget* budget) {
  std::vector<Open, BudgetAllocator<Open>> open_{budget};
}

// base/error_table.h
constexpr ErrorTable<int>::Rows rows = [] {
  ErrorTable<int>::Rows made{};
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = {static_cast<ErrorCode>(i), 1};
  return made;
}();
void use_error_table(const Error& error) {
  constexpr auto exit_codes = error_table<int>(rows);  // one row for each code
  const int exit_code = exit_codes[error.code];
}

// base/thread_annotations.h
class Counter {
 public:
  void add() {
    const MutexLock lock(mutex_);
    ++count_;
  }

 private:
  Mutex mutex_;
  int count_ CORDON_GUARDED_BY(mutex_) = 0;
};

// codec/rich/serializer.h
extern const Value value;
void use_serializer(const rich::RegExpOracle& regexps) {
  const rich::Serializer serializer({}, regexps);
  Result<std::string> tree = serializer.stringify(value);   // plain JSON with typed records
  Result<std::string> graph = serializer.serialize(value);  // keeps shared nodes and cycles
  Result<Value> value = serializer.parse(*graph);           // reads either
}

// config/form.h
namespace cordon::config {
void use_form() {
  const Form<TimePolicy> clocks =
      Record<TimePolicy>()
          .key("totalMs", &TimePolicy::total, milliseconds(1, 60'000), "All waits count.")
          .form();
}
}  // namespace cordon::config

// host/awaited.h, host/idle_threads.h, host/script_task.h
namespace cordon::host {
Report use_awaited(Scheduler& scheduler, void (*then)(std::function<void(Report)>)) {
  const auto report = std::make_shared<Awaited<Report>>();
  then([report](Report made) { report->set(std::move(made)); });
  return report->wait(scheduler);
}

void use_idle_threads(IdleThreads& idle, bool (*there_is_work)(), Instant until) {
  const auto ticket = idle.prepare();
  if (there_is_work()) return idle.cancel();
  idle.wait(ticket, until);
}

void use_script_task(Engine& engine, std::string_view text, const ExecuteOptions& options,
                     const Value& input) {
  const Result<Module> module = ScriptTask::load(engine, text, options);
  ScriptTask add(*module, {.execute = options});
  add.call({.input = input}, [](TaskAnswer answer) { /* … */ });
}
}  // namespace cordon::host

// protocol/duplex/host_session.h
namespace cordon::duplex {
Result<> use_host_session(const RandomSource& random_bytes, Instant now) {
  HostSession session({}, random_bytes);
  auto call = session.call("add", Value::array({1, 2}), {.deadline = now + 30s});
  // Write session.output() to the guest, and hand its bytes to session.receive().
  while (true) {
    auto message = session.next();
    if (!message) return fail(message.error());  // the guest is to be ended
    if (!*message) break;                        // read more
  }
  return {};
}
}  // namespace cordon::duplex

// protocol/tunnel/multipart.h
namespace cordon::tunnel {
void use_multipart_reader(std::string_view boundary, const MultipartLimits& limits,
                          std::span<const BytesView> body) {
  MultipartReader reader(boundary, limits);
  for (BytesView piece : body) {
    for (;;) {
      const auto event = reader.next(piece);  // takes what it read off the piece
      if (!event || std::holds_alternative<NeedMore>(*event)) break;
      /* … */
    }
  }
  reader.is_complete();
}

// protocol/tunnel/client_session.h
void use_client_session(const ClientOptions& options, const rich::Serializer& serializer,
                        const Value& input) {
  ClientSession session(options, serializer);
  Result<OutgoingRequest> request = session.request({.id = "app.tasks.add", .input = input});
  // Send it, and hand the answer's head to on_head() and its pieces to on_piece().
  ClientOutcome outcome = session.on_end();
}

// protocol/tunnel/server_session.h
Order carry_out(const Order& order, ServerSession& session);
void use_server_session(const Policy& policy, const rich::Serializer& serializer,
                        const HttpRequestHead& head, std::mt19937_64& random, LaneTime now) {
  ServerSession session(policy, serializer, head, random);
  Order order = session.on_head(now);
  while (!session.is_over()) order = carry_out(order, session);  // tells what came of it
}

// protocol/tunnel/upload_session.h
void use_upload_session(UploadSession& session, BytesView piece) {
  for (;;) {
    const UploadOrder order = session.next(piece);  // takes what it read off the piece
    if (std::holds_alternative<NeedMore>(order)) break;
    /* … */
  }
}
}  // namespace cordon::tunnel

// providers/conversation.h
namespace cordon::providers {
void show(const GuestEvent& event);
Result<> use_conversation(std::unique_ptr<PluginLink> link, const CallbackRules& rules,
                          const Value& params, Instant until) {
  Conversation conversation(std::move(link), rules);
  auto sent = conversation.send({.function = "add", .params = params, .deadline = until});
  while (true) {
    auto event = conversation.next(until);
    if (!event) return fail(event.error());  // the process is gone
    if (*event) show(**event);               // an answer, a chunk, the end of a stream
  }
}
}  // namespace cordon::providers

// server/shard.h
namespace cordon::server {
struct MyService : Service, transport::Adopter {
  explicit MyService(Shard& shard);
  void drain() override;
  void close_all() override;
  bool is_empty() const override;
  std::size_t load() const override;
  void adopt(transport::Arrival arrival) override;
  void turn_away(Descriptor descriptor) override;
};
Result<> use_shard(transport::ListeningSocket& socket, transport::ConnectionGate& gate) {
  auto shard = CORDON_TRY(Shard::create({.engine = EngineOptions()}));
  auto& service = shard->serve(std::make_unique<MyService>(*shard));
  shard->accept(*socket.duplicate(), gate, {.own = service, .all = {&service}});
  shard->run();  // until another thread calls stop()
  return {};
}
}  // namespace cordon::server

// transport/acceptor.h
namespace cordon::transport {
void use_acceptor(boost::asio::io_context& io, ListeningSocket& socket, ConnectionGate& gate,
                  Adopter& mine, Adopter& yours) {
  Acceptor acceptor(io, *socket.duplicate(), gate, {.own = mine, .all = {&mine, &yours}});
}
}  // namespace cordon::transport

// transport/http/http_client.h
namespace cordon::transport::http {
void use_http_client(asio::io_context& io, const Origin& origin,
                     void (*take_piece)(HttpResult<BytesView> piece)) {
  HttpClient client(io, {.proxies = ProxySettings::from_environment()});
  HttpTransfer transfer = client.start(origin, {.target = "/"}, [&](auto head) {
    if (head) transfer.read(take_piece);  // once more after each piece, until an empty one
  });
  io.run();
}
}  // namespace cordon::transport::http

// transport/http/http_server.h
namespace cordon::transport::http {
void use_http_server(asio::io_context& io, const HttpOptions& options, ListeningSocket& socket,
                     ConnectionGate& gate) {
  HttpServer server(io, options, [](Exchange& exchange) -> asio::awaitable<void> {
    const ResponseHead head{.headers = {{"content-type", "text/plain"}}};
    co_await exchange.respond(head, "hello\n");
  });
  Acceptor acceptor(io, *socket.duplicate(), gate, {.own = server, .all = {&server}});
}
}  // namespace cordon::transport::http

// value/value_builder.h
void use_value_builder() {
  ValueBuilder builder;
  const std::size_t mark = builder.mark();
  builder.push(builder.string("a"));
  builder.push(1);
  Value value = builder.finish(builder.object_since(mark));  // {a: 1}
}
