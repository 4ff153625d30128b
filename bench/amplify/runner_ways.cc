// Lines to a runner on a socket, and messages to one on a WebSocket.

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "amplify/plain_client.h"
#include "amplify/way.h"

#include "cordon/server/runner_server.h"

namespace cordon::amplify {
namespace {

class Runner {
 public:
  Runner() {
    server::RunnerServerOptions options;
    options.listen = {*transport::parse_listen_address("tcp:127.0.0.1:0"),
                      *transport::parse_listen_address("ws://127.0.0.1:0/")};
    options.executions = 16;
    auto made = server::RunnerServer::create(std::move(options));
    if (!made) throw std::runtime_error(to_string(made.error()));
    server_ = *std::move(made);
    thread_ = std::jthread([this] { server_->run(); });
  }
  ~Runner() {
    server_->stop();
    thread_.join();
  }
  std::uint16_t port(std::size_t listener) const {
    const std::string& address = server_->addresses().at(listener);
    return static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
  }

 private:
  std::unique_ptr<server::RunnerServer> server_;
  std::jthread thread_;
};

const Runner& runner() {
  static const Runner made;
  return made;
}

std::string execute(const std::string& code, const std::string& providers = "") {
  return R"({"type":"execute","id":"e","code":")" + code +
         R"(","options":{"timeoutMs":60000,"memoryLimitBytes":536870912,"maxLogLines":100000,)"
         R"("maxLogChars":16777216},"providers":[)" +
         providers + "]}\n";
}

std::string providers_of(const std::string& tools) {
  return R"({"name":"tools","tools":{)" + tools + R"(},"types":""})";
}

std::string tool(const std::string& name) {
  return "\"" + name + R"(":{"safeName":")" + name + R"(","originalName":"a"})";
}

// All of it, until the session is done.
Attack lines(std::size_t in, std::string text) {
  const std::uint16_t port = runner().port(0);
  auto kept = std::make_shared<const std::string>(std::move(text));
  return {.in = in, .run = [=] {
            PlainClient client(port);
            client.send(*kept);
            const bool is_done = client.read_until("\"durationMs\"");
            return Outcome{.text = is_done ? "done" : "closed"};
          }};
}

Way line_way() {
  const auto tools = [](std::size_t size) {
    std::string list = text_of_size(
        size, tool("a"), [](std::size_t i) { return "," + tool(std::to_string(i)); }, "");
    std::string text = execute("1", providers_of(list));
    const std::size_t in = text.size();
    return lines(in, std::move(text));
  };
  const auto providers = [](std::size_t size) {
    std::string list = text_of_size(
        size, providers_of(""),
        [](std::size_t i) {
          return R"(,{"name":")" + std::to_string(i) + R"(","tools":{},"types":""})";
        },
        "");
    std::string text = execute("1", list);
    const std::size_t in = text.size();
    return lines(in, std::move(text));
  };
  const auto code = [](std::size_t size) {
    std::string text = execute(repeated_to(size, "", ";", ""));
    const std::size_t in = text.size();
    return lines(in, std::move(text));
  };
  const auto noise = [](std::size_t size) {
    std::string text = repeated_to(size, "", "{}\n", execute("1"));
    const std::size_t in = text.size();
    return lines(in, std::move(text));
  };
  const auto escapes = [](std::size_t size) {
    std::string text = execute("'" + repeated_to(size, "", "\\u00e9", "") + "'.length");
    const std::size_t in = text.size();
    return lines(in, std::move(text));
  };
  const auto answer = [](std::size_t size) {
    std::string text = execute("(await tools.a()).length", providers_of(tool("a")));
    text += R"({"type":"tool_result","callId":"call-1","ok":true,"result":[0)";
    text += repeated_to(size, "", ",0", "") + "]}\n";
    const std::size_t in = text.size();
    const std::uint16_t port = runner().port(0);
    auto kept = std::make_shared<const std::string>(std::move(text));
    return Attack{.in = in, .run = [=] {
                    PlainClient client(port);
                    const std::size_t first = kept->find('\n') + 1;
                    client.send(std::string_view(*kept).substr(0, first));
                    client.read_until("tool_call");
                    client.send(std::string_view(*kept).substr(first));
                    const bool is_done = client.read_until("\"durationMs\"");
                    return Outcome{.text = is_done ? "done" : "closed"};
                  }};
  };
  return {.name = "execbox line",
          .inputs = {{"tools", tools},
                     {"providers", providers},
                     {"code", code},
                     {"noise", noise},
                     {"escapes", escapes},
                     {"a tool's result `[0,0,…`", answer}},
          .fixed_bytes = std::size_t{40} << 20,
          .limited_by =
              "the message's limit; 24 bytes for each byte, 32 MiB at least; 64 MiB of "
              "output that nobody reads"};
}

Way answer_way() {
  const auto from_guest = [](std::string program) {
    return [program = std::move(program)](std::size_t size) {
      std::string code = program;
      code.replace(code.find('$'), 1, std::to_string(size));
      return lines(size, execute(code, providers_of(tool("a"))));
    };
  };
  return {.name = "a guest's value, as a line",
          .inputs = {{"a result of holes", from_guest("new Array($)")},
                     {"a result of control characters", from_guest("'\\\\u0001'.repeat($)")},
                     {"log lines", from_guest("for (let i = 0; i < $ / 2; i++) console.log('x')")},
                     {"a call of holes", from_guest("tools.a(new Array($)).catch(() => 1); 1")}},
          .bytes_per_byte = 32,
          .fixed_bytes = std::size_t{16} << 20,
          .limited_by =
              "16 of a value, and its text, which is there twice while it grows; the "
              "message's limit"};
}

std::string frame(std::string_view payload, unsigned first) {
  std::string text(1, static_cast<char>(first));
  if (payload.size() < 126) {
    text += static_cast<char>(0x80 | payload.size());
  } else {
    text += static_cast<char>(0x80 | 127);
    for (int shift = 56; shift >= 0; shift -= 8)
      text += static_cast<char>(static_cast<std::uint8_t>(payload.size() >> shift));
  }
  text.append(4, '\0');  // the mask
  text += payload;
  return text;
}

Attack messages(std::string frames) {
  constexpr std::string_view upgrade =
      "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  const std::size_t in = frames.size();
  const std::uint16_t port = runner().port(1);
  auto kept = std::make_shared<const std::string>(std::move(frames));
  return {.in = in, .run = [=] {
            PlainClient client(port);
            client.send(upgrade);
            client.read_until("\r\n\r\n");
            client.send(*kept);
            const bool is_done = client.read_until("\"durationMs\"");
            return Outcome{.text = is_done ? "done" : client.first_line()};
          }};
}

Way websocket_way() {
  const auto whole = [](std::size_t size) {
    const std::string tools = text_of_size(
        size, tool("a"), [](std::size_t i) { return "," + tool(std::to_string(i)); }, "");
    std::string text = execute("1", providers_of(tools));
    text.pop_back();
    return messages(frame(text, 0x81));
  };
  const auto bytewise = [](std::size_t size) {
    std::string text = execute(repeated_to(size / 7, "", ";", ""));
    text.pop_back();
    std::string frames = frame(text.substr(0, 1), 0x01);
    for (std::size_t i = 1; i + 1 < text.size(); ++i) frames += frame(text.substr(i, 1), 0x00);
    return messages(frames + frame(text.substr(text.size() - 1), 0x80));
  };
  const auto empty = [](std::size_t size) {
    std::string text = execute("1");
    text.pop_back();
    return messages(repeated_to(size, "", frame("", 0x81), frame(text, 0x81)));
  };
  const auto pings = [](std::size_t size) {
    std::string text = execute("1");
    text.pop_back();
    return messages(repeated_to(size, "", frame("", 0x89), frame(text, 0x81)));
  };
  return {.name = "WebSocket",
          .inputs = {{"tools", whole},
                     {"frames of a byte", bytewise},
                     {"messages of nothing", empty},
                     {"pings", pings}},
          .fixed_bytes = std::size_t{40} << 20,
          .limited_by = "as a line's"};
}

}  // namespace

std::vector<Way> runner_ways() { return {line_way(), answer_way(), websocket_way()}; }

}  // namespace cordon::amplify
