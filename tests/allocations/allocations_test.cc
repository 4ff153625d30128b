// Memory may run out at every allocation. Each reader and writer is run again and again: at first
// its first allocation fails, then its second, until none fails any more. std::bad_alloc must come
// out, what was being written must be as it was before, and nothing may leak.

#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "failing_allocation.h"
#include <gtest/gtest.h>

#include "cordon/base/bytes.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/codec/msgpack/decode.h"
#include "cordon/codec/msgpack/encode.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/protocol/duplex/frame_reader.h"
#include "cordon/protocol/duplex/host_session.h"
#include "cordon/protocol/duplex/messages.h"
#include "cordon/protocol/execbox/line_cutter.h"
#include "cordon/protocol/execbox/messages.h"
#include "cordon/protocol/execbox/runner_session.h"
#include "cordon/protocol/tunnel/body.h"
#include "cordon/protocol/tunnel/envelope.h"
#include "cordon/protocol/tunnel/manifest.h"
#include "cordon/protocol/tunnel/multipart.h"

namespace cordon {
namespace {

using testing::FailingAllocation;
using namespace std::string_literals;

// `work` gives what it made. `is_right` looks at it, with memory again, and where memory ran out at
// nothing, for the code may have gone on without what it wanted.
template <class Work, class Made = std::invoke_result_t<Work>>
void fail_each_allocation(
    Work work, const std::function<bool(const Made&)>& is_right,
    const std::function<bool()>& is_as_before = [] { return true; }) {
  constexpr std::size_t enough = 100'000;
  ASSERT_TRUE(is_right(work()));  // what is made once for ever is made here
  for (std::size_t number = 1; number < enough; ++number) {
    const long before = testing::live_blocks();
    std::optional<Made> made;
    bool has_failed = false;
    {
      const FailingAllocation failing(number);
      try {
        made.emplace(work());
      } catch (const std::bad_alloc&) {
      }
      has_failed = FailingAllocation::has_happened();
    }
    if (made) {
      ASSERT_TRUE(is_right(*made)) << "allocation " << number << " failed and nobody was told";
    } else {
      ASSERT_TRUE(has_failed) << "out of memory that was there";
      ASSERT_TRUE(is_as_before()) << "after allocation " << number;
    }
    made.reset();
    ASSERT_EQ(testing::live_blocks(), before) << "allocation " << number << " failed, and it leaks";
    if (!has_failed) {
      EXPECT_GT(number, 1u) << "it allocates nothing, so nothing was tested";
      return;
    }
  }
  FAIL() << "it allocates without an end";
}

// For what appends to `out`, after what was there.
template <class Out, class Write>
void fail_each_allocation_of_writing(Write write) {
  const Out before = {'b', 'e', 'f', 'o', 'r', 'e'};
  const Out whole = [&] {
    Out out = before;
    EXPECT_TRUE(write(out));
    return out;
  }();
  Out out;
  const auto taken = [&] { return std::exchange(out, Out()); };
  fail_each_allocation(
      [&] {
        Out fresh = before;
        out.swap(fresh);
        return write(out);
      },
      std::function<bool(const bool&)>([&](bool written) { return taken() == whole && written; }),
      [&] {
        const Out left = taken();
        return left == before || left.empty();
      });
}

std::function<bool(const Result<Value>&)> is(const Value& expected) {
  return [expected](const Result<Value>& made) { return made && *made == expected; };
}

// Many keys, so that there is an index; texts that are long, escaped and not ASCII; deep nesting.
Value plain_value() {
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) keys.push_back("key number " + std::to_string(i));
  std::vector<Value::Field> members;
  for (const std::string& key : keys) members.push_back({key, Value(1.5)});
  Value nested = "the innermost";
  for (int i = 0; i < 100; ++i) nested = Value::array({nested, i});
  return Value::object({{"text", std::string(3000, 'x') + "\"é😀\n"},
                        {"numbers", Value::array({0, -1, 1e300, 0.1})},
                        {"rest", Value::array({nullptr, true, Value::object({})})},
                        {"members", Value::object_from(members)},
                        {"nested", nested}});
}

class NoOracle final : public rich::RegExpOracle {
 public:
  Result<bool> is_regexp(std::string_view, std::string_view) const override { return true; }
};

const rich::Serializer& serializer() {
  static const NoOracle oracle;
  static const rich::Serializer made({}, oracle);
  return made;
}

constexpr std::string_view rich_tree =
    R"({"map":{"__type":"Map","value":[["a",1],[{"b":[2]},{"__type":"Date","value":"2024-01-02T03:04:05.000Z"}]]},)"
    R"("set":{"__type":"Set","value":[1,"two",{"three":3}]},"big":{"__type":"BigInt","value":"123456789012345678901234567890"},)"
    R"("pattern":{"__type":"RegExp","value":{"pattern":"a+b","flags":"g"}}})";

TEST(Allocations, OfJson) {
  const Value value = plain_value();
  const std::string text = *json::encode(value);
  fail_each_allocation([&] { return json::decode(text); }, is(value));
  fail_each_allocation([&] { return json::decode(text, {.key_order = KeyOrder::javascript}); },
                       is(value));
  fail_each_allocation([&] { return json::decode(text + "]"); },
                       std::function<bool(const Result<Value>&)>([](const Result<Value>& made) {
                         return !made && made.error().code == ErrorCode::malformed;
                       }));
  fail_each_allocation_of_writing<std::string>(
      [&](std::string& out) { return json::encode_to(out, value).has_value(); });
}

TEST(Allocations, OfMsgpack) {
  const Value value =
      Value::object({{"plain", plain_value()},
                     {"big", Value::bigint(std::numeric_limits<std::int64_t>::min())},
                     {"bytes", Value::typed_array(ElementType::uint8, Bytes(500, 7))}});
  const Bytes bytes = *msgpack::encode(value);
  fail_each_allocation([&] { return msgpack::decode(bytes); }, is(value));
  fail_each_allocation(
      [&] { return msgpack::decode(bytes, {.other_keys = msgpack::OtherKeys::map}); }, is(value));
  fail_each_allocation_of_writing<Bytes>(
      [&](Bytes& out) { return msgpack::encode_to(out, value).has_value(); });
}

TEST(Allocations, OfMapsWithOtherKeys) {
  // {1: "one", 2: "two", "three": 3, 1: "more"}
  const std::string bytes =
      "\x84\x01\xa3one\x02\xa3two\xa5three\x03\x01\xa4"
      "more";
  const msgpack::DecodeOptions options{.other_keys = msgpack::OtherKeys::map};
  const Value map = *msgpack::decode(as_bytes(bytes), options);
  EXPECT_EQ(map.size(), 3u);
  fail_each_allocation([&] { return msgpack::decode(as_bytes(bytes), options); }, is(map));
}

TEST(Allocations, OfRichTrees) {
  const Value value = *serializer().parse(rich_tree);
  fail_each_allocation([&] { return serializer().parse(rich_tree); }, is(value));
  fail_each_allocation_of_writing<std::string>(
      [&](std::string& out) { return serializer().stringify_to(out, value).has_value(); });
}

TEST(Allocations, OfRichGraphs) {
  const Value shared = Value::object({{"a", Value::array({1, 2})}, {"b", Value::date(5)}});
  const Value value = Value::object({{"one", shared},
                                     {"two", shared},
                                     {"plain", plain_value()},
                                     {"tree", *serializer().parse(rich_tree)}});
  const std::string text = *serializer().serialize(value);
  fail_each_allocation([&] { return serializer().parse(text); }, is(value));
  fail_each_allocation_of_writing<std::string>(
      [&](std::string& out) { return serializer().serialize_to(out, value).has_value(); });

  const std::string cycle =
      R"({"__graph":true,"version":1,"root":{"__ref":"obj_1"},"nodes":{"obj_1":{"kind":"object","value":{"self":{"__ref":"obj_1"}}}}})";
  fail_each_allocation([&] { return serializer().parse(cycle); },
                       std::function<bool(const Result<Value>&)>([](const Result<Value>& made) {
                         return made &&
                                made->find("self").identity() == ValueView(*made).identity();
                       }));
}

TEST(Allocations, OfExecboxMessages) {
  const std::string execute =
      R"({"type":"execute","id":"an id that is longer than a short string","code":"1 + 1",)"
      R"("options":{"timeoutMs":1000,"memoryLimitBytes":1048576,"maxLogLines":10,"maxLogChars":100},)"
      R"("providers":[{"name":"tools","tools":{"add":{"safeName":"add"},"and another one":{"safeName":"and_another_one"}}}]})";
  const Value message = *json::decode(execute);
  fail_each_allocation(
      [&] { return execbox::read_message(message, {}); },
      std::function<bool(const execbox::HostMessage&)>([](const execbox::HostMessage& made) {
        const auto* const read = std::get_if<execbox::Execute>(&made);
        return read != nullptr && read->providers.at(0).safe_names.size() == 2;
      }));

  const Value value = plain_value();
  fail_each_allocation_of_writing<std::string>([&](std::string& out) {
    execbox::write_started(out, "an id that is longer than a short string");
    return true;
  });
  fail_each_allocation_of_writing<std::string>([&](std::string& out) {
    return execbox::write_tool_call(out, "1", "tools", "add", value).has_value();
  });
  const execbox::Done done{"an id that is longer than a short string",
                           std::chrono::milliseconds(5),
                           {"a line of a log that is long enough to be on the heap"},
                           value};
  fail_each_allocation_of_writing<std::string>([&](std::string& out) {
    execbox::write_done(out, done);
    return true;
  });
  fail_each_allocation(
      [&] {
        execbox::RunnerSession session(execbox::SessionLimits{});
        session.on_message(execute);
        return session.take_orders().size();
      },
      std::function<bool(const std::size_t&)>([](std::size_t orders) { return orders == 1; }));
}

TEST(Allocations, OfDuplexMessages) {
  const duplex::Message messages[] = {
      duplex::FunctionCall{"an id that is longer than a short string", "name", plain_value(),
                           false},
      duplex::FunctionResponse{"id", plain_value()},
      duplex::FunctionError{"id", std::string(500, 'e')},
      duplex::StreamChunk{"id", Value(std::string(500, 'c'))},
      duplex::StreamEnd{std::string(100, 'i')},
      duplex::StreamError{"id", std::string(500, 'e')},
  };
  for (const duplex::Message& message : messages) {
    fail_each_allocation_of_writing<Bytes>(
        [&](Bytes& out) { return duplex::write_message(out, message, {}).has_value(); });
    Bytes frame;
    ASSERT_TRUE(duplex::write_message(frame, message, {}));
    fail_each_allocation(
        [&] {
          duplex::FrameReader reader(1 << 20);
          reader.feed(frame);
          const auto payload = reader.next();
          return duplex::read_message(**payload, {});
        },
        std::function<bool(const Result<duplex::Message>&)>(
            [&](const Result<duplex::Message>& read) {
              Bytes again;
              return read && duplex::write_message(again, *read, {}) && again == frame;
            }));
  }
}

TEST(Allocations, OfADuplexSession) {
  const Value params = plain_value();
  const auto random = [](std::span<std::uint8_t> bytes) {
    for (std::uint8_t& byte : bytes) byte = 7;
  };
  fail_each_allocation(
      [&] {
        duplex::HostSession session({}, random);
        const Result<std::string> id = session.call("function", params);
        if (!id) return false;
        Bytes answer;
        if (!duplex::write_function_response(answer, *id, params, {})) return false;
        session.receive(answer);
        const auto message = session.next();
        return message.has_value() && message->has_value() && session.pending_calls() == 0;
      },
      std::function<bool(const bool&)>([](bool is_whole) { return is_whole; }));
}

TEST(Allocations, OfTunnelBodies) {
  const std::string body = "{\"input\":" + std::string(rich_tree) + "}";
  const Value value = *serializer().parse(rich_tree);
  fail_each_allocation([&] { return tunnel::task_input(serializer(), body); }, is(value));
  const auto is_text = [](const std::string& expected) {
    return std::function<bool(const Result<std::string>&)>(
        [expected](const Result<std::string>& made) { return made && *made == expected; });
  };
  fail_each_allocation([&] { return tunnel::result_text(serializer(), value); },
                       is_text(*tunnel::result_text(serializer(), value)));
  const auto typed = [&] {
    return tunnel::typed_error_text(serializer(), "app.error", std::string(100, 'm'), value);
  };
  fail_each_allocation(typed, is_text(*typed()));
}

TEST(Allocations, OfMultipart) {
  const std::string manifest =
      R"({"input":{"file":{"$runnerFile":"File","id":"f1","meta":{"name":"a name that is long.txt"}}}})";
  const std::string body =
      "--boundary\r\ncontent-disposition: form-data; name=\"__manifest\"\r\n\r\n" + manifest +
      "\r\n--boundary\r\ncontent-disposition: form-data; name=\"file:f1\"; "
      "filename=\"a name that is long.txt\"\r\ncontent-type: text/plain\r\n\r\nhello\r\n"
      "--boundary--\r\n";
  fail_each_allocation(
      [&] {
        tunnel::MultipartReader reader("boundary", MultipartLimits{});
        BytesView rest = as_bytes(body);
        std::size_t files = 0;
        while (!reader.is_complete()) {
          const auto event = reader.next(rest);
          if (!event || std::holds_alternative<tunnel::NeedMore>(*event)) break;
          if (std::holds_alternative<tunnel::FileEnd>(*event)) ++files;
        }
        return files;
      },
      std::function<bool(const std::size_t&)>([](std::size_t files) { return files == 1; }));
  fail_each_allocation(
      [&] {
        auto parsed = tunnel::Manifest::parse(serializer(), manifest);
        if (!parsed) return Value();
        return std::move(*parsed).hydrated([](const std::string&) { return nullptr; });
      },
      std::function<bool(const Value&)>(
          [](const Value& input) { return input["file"]["name"] == "a name that is long.txt"; }));
}

}  // namespace
}  // namespace cordon
