#pragma once

// TunnelClient: calls tasks, emits events and asks for discovery on a server of the Runner tunnel:
// `cordon serve`, a Server, or nodeExposure of npm @bluelibs/runner.
//
//   Result<TunnelClient> client = TunnelClient::create(
//       {.url = "http://127.0.0.1:7070/__runner", .token = "secret"});
//   TunnelResult<Value> sum =
//       start(client->task("app.tasks.add", Value::object({{"a", 1}, {"b", 2}}))).get();
//   if (!sum) return std::cerr << sum.error() << '\n', 1;
//
// A request is sent once, and never again. docs/tunnel-client.md has more.

#include "cordon/needs_cxx23.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/byte_source.h"
#include "cordon/bytes.h"
#include "cordon/coroutine.h"
#include "cordon/export.h"
#include "cordon/result.h"
#include "cordon/serializer.h"
#include "cordon/value.h"

namespace cordon {

struct TunnelHeader {
  std::string name;
  std::string value;

  friend bool operator==(const TunnelHeader&, const TunnelHeader&) = default;
};

enum class TunnelTarget : std::uint8_t { task, event, discovery };

// Why there is no result.
enum class TunnelFailure : std::uint8_t {
  answered,      // the server said so, in its own words
  unreachable,   // no such name, nobody there, no way through a proxy
  timeout,       // the whole call, with its streams, took longer than it may
  tls,           // no handshake, or a certificate that is not to be trusted
  bad_response,  // what came back is no answer of a tunnel
  truncated,     // the answer ended before its end
  too_large,     // the answer, or what `spend` allows
  redirect,      // never followed: a token goes nowhere but where its owner sent it
  cancelled,     // by its stop_token, or because the client ended
  refused,       // nothing was sent: a wrong argument, a file that cannot be read, too many calls
};

// `unreachable`, `timeout` and so on; for answered: "answered".
CORDON_API std::string_view name_of(TunnelFailure failure);

// `message` names neither the URL nor a header.
struct CORDON_API TunnelError {
  TunnelFailure failure = TunnelFailure::answered;
  // The server's own, such as FORBIDDEN; otherwise the name of `failure`.
  std::string code = {};
  std::string message = {};
  std::optional<unsigned> status = {};       // if a head came
  std::optional<std::string> id = {};        // of a typed error
  Value data = {};                           // of a typed error; may be undefined
  std::optional<std::string> location = {};  // of a redirect
  std::string request_id = {};               // as the server has it; may be empty
  // The server may have begun with it.
  bool was_sent = true;

  // A typed error comes back as one.
  bool is_typed() const { return id.has_value(); }
  // As other functions of the library fail. The code of the server becomes Error::own_code.
  Error to_error() const;
};
CORDON_API std::ostream& operator<<(std::ostream& out, const TunnelError& error);

template <class T>
using TunnelResult = std::expected<T, TunnelError>;

// A file of an input: bytes, the path of a file, or a stream.
struct CORDON_API TunnelFile {
  std::string name = "upload";
  std::string type = "application/octet-stream";
  struct Path {
    std::string path;
  };
  std::variant<Bytes, Path, std::shared_ptr<ByteSource>> content = {};
  // The size of a stream, if it is known: exactly so many bytes are sent.
  std::optional<std::uint64_t> bytes = {};
  Value extra = {};  // an object of your own for the task, or undefined
};

// The input of a task: a value, a value with files, or a stream.
//
//   TunnelInput input;
//   Value scan = input.add({.name = "scan.png", .content = TunnelFile::Path{"/tmp/scan.png"}});
//   input.value = Value::object({{"title", "a scan"}, {"scan", scan}});
//
// With files the request is multipart, with a stream it is an octet-stream, otherwise JSON.
class CORDON_API TunnelInput {
 public:
  TunnelInput() = default;
  TunnelInput(Value input) : value(std::move(input)) {}  // NOLINT(google-explicit-constructor)
  // The task reads the stream itself. It is read on the client's thread, no faster than the server
  // takes it, and may answer on any thread.
  static TunnelInput from_stream(std::shared_ptr<ByteSource> stream,
                                 std::optional<std::uint64_t> bytes = {});

  // What stands for the file in the value. Each file has a place there.
  Value add(TunnelFile file);

  Value value = {};
  std::shared_ptr<ByteSource> stream = {};
  std::optional<std::uint64_t> stream_bytes = {};

  struct Added {
    std::string id;
    TunnelFile file;
  };
  const std::vector<Added>& files() const { return files_; }

 private:
  std::vector<Added> files_ = {};
};

struct TunnelCallOptions {
  // For the whole call, with its streams. Without a value the client's own holds.
  std::optional<std::chrono::milliseconds> timeout = {};
  std::stop_token stop = {};               // aborts the request
  std::vector<TunnelHeader> headers = {};  // they replace those that the client would send
  std::string request_id = {};             // empty: the server makes one
  std::string traceparent = {};            // W3C Trace Context
  // Async contexts of Runner, by their ids.
  std::vector<std::pair<std::string, Value>> contexts = {};
  // The limit for an envelope, and for a stream that is collected.
  std::optional<std::size_t> max_answer_bytes = {};
  // Asked before bytes of either body are sent or kept; false ends the call as too_large. It is
  // called on the client's thread.
  std::function<bool(std::size_t bytes)> spend = {};
};

// A streamed answer. Any thread may read it, a piece at a time; pieces come on the client's thread.
// What is not read is not sent. Dropping it aborts the request.
struct TunnelStream {
  std::shared_ptr<ByteSource> bytes = {};
  std::string content_type = {};
  std::string request_id = {};
};

using TunnelAnswer = std::variant<Value, TunnelStream>;

struct TunnelDiscovery {
  bool enabled = false;  // without an allow-list nothing is listed
  std::vector<std::string> tasks = {};
  std::vector<std::string> events = {};

  friend bool operator==(const TunnelDiscovery&, const TunnelDiscovery&) = default;
};

// What is about to be sent, for a hook that adds headers.
struct TunnelRequest {
  TunnelTarget target = TunnelTarget::task;
  std::string_view id = {};
  // The text of a JSON body. Without a value the request has files or a stream, or no body.
  std::optional<std::string_view> body = {};
  std::string_view request_id = {};
};

// A lane of Runner 6: its calls carry a signed token, about the lane, the task or event, the time
// and a JSON body, beside the token of the server.
struct TunnelLane {
  std::string name = {};
  // Ids, in which * stands for any text. The first lane that has an id counts.
  std::vector<std::string> tasks = {};
  std::vector<std::string> events = {};
  std::string secret = {};               // HS256, with what the server has too: 16 bytes at least
  std::string private_key = {};          // or PEM: Ed25519, P-256 or RSA
  std::string key_id = {};               // by which the server knows the key; may be empty
  std::string header = "authorization";  // which sends Bearer; any other has the bare token
};

struct TunnelClientOptions {
  // http://HOST[:PORT]/BASE, https://…, or unix:SOCKET:/BASE.
  std::string url = {};
  std::string token = {};                                 // empty: none is sent
  std::string token_header = "x-runner-token";            // `authorization` sends it as Bearer
  std::vector<TunnelHeader> headers = {};                 // of every request
  std::vector<TunnelLane> lanes = {};                     // whose calls are signed
  std::optional<std::chrono::milliseconds> timeout = {};  // of a call; without a value none
  std::size_t max_answer_bytes = std::size_t{64} << 20;
  std::size_t max_connections = 64;
  std::size_t max_waiting = 10'000;  // calls without a connection; further ones are refused
  // http_proxy, https_proxy, all_proxy and no_proxy.
  bool uses_proxies = true;
  // A PEM file with the certificates to trust instead of the system's.
  std::string trusted_certificates = {};
  bool offers_http2 = true;  // where the URL is https
  // Called on the calling thread, before each request is sent. An error refuses the call.
  std::function<Result<std::vector<TunnelHeader>>(const TunnelRequest& request)> on_request = {};
  SerializerOptions serializer = {};
  std::vector<SerializerType> types = {};  // your own, as the server knows them
};

// Any thread may use it. It has one thread of its own, on which answers come: coroutines resume
// there, and callbacks are called there. Do not wait on it.
class CORDON_API TunnelClient {
 public:
  // Fails with invalid_argument for a wrong URL, header or certificate. It connects to nothing yet.
  static Result<TunnelClient> create(TunnelClientOptions options);
  // Ends all calls as cancelled.
  ~TunnelClient();
  TunnelClient(TunnelClient&&) noexcept;
  TunnelClient& operator=(TunnelClient&&) noexcept;

  // The result of a task. An answer that is streamed is collected, and becomes a Uint8Array.
  Coroutine<TunnelResult<Value>> task(std::string id, TunnelInput input = TunnelInput(),
                                      TunnelCallOptions options = TunnelCallOptions());
  // The same, with a streamed answer as a stream.
  Coroutine<TunnelResult<TunnelAnswer>> call(std::string id, TunnelInput input = TunnelInput(),
                                             TunnelCallOptions options = TunnelCallOptions());
  Coroutine<TunnelResult<void>> emit(std::string id, Value payload = Value(),
                                     TunnelCallOptions options = TunnelCallOptions());
  // Gives back the payload as the listeners left it.
  Coroutine<TunnelResult<Value>> emit_and_return(std::string id, Value payload = Value(),
                                                 TunnelCallOptions options = TunnelCallOptions());

  // What the server says that it serves, from memory if it is known. A call that the server answers
  // with 403 or 404 makes it ask again the next time.
  enum class Known : std::uint8_t { accepted, asked_again };
  Coroutine<TunnelResult<TunnelDiscovery>> discover(TunnelCallOptions options = TunnelCallOptions(),
                                                    Known known = Known::accepted);

  // The form that all of these use. `done` is called once, on the client's thread.
  enum class Streams : std::uint8_t { passed_on, collected };
  struct Call {
    TunnelTarget target = TunnelTarget::task;
    std::string id = {};
    TunnelInput input = {};        // of an event: its payload
    bool returns_payload = false;  // of an event
    Streams streams = Streams::passed_on;
    TunnelCallOptions options = {};
  };
  using Done = std::move_only_function<void(TunnelResult<TunnelAnswer> answer)>;
  void start(Call call, Done done);

 private:
  struct State;
  explicit TunnelClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

namespace tunnel {
using Client = TunnelClient;
}

}  // namespace cordon
