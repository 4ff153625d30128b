// `cordon serve` as a service: what it tells its manager, its first line, its figures.

#include <csignal>
#include <cstddef>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "../e2e/conversation.h"
#include "../e2e/cordon_command.h"
#include "../e2e/process.h"
#include "serve_fixture.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"

namespace cordon::e2e {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

// The socket of a service manager.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path) : path_(path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    descriptor_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~NotifySocket() { close(descriptor_); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  const std::string& path() const { return path_; }
  std::string receive() const {
    char buffer[1024];
    const ssize_t got = recv(descriptor_, buffer, sizeof buffer, 0);
    return got < 0 ? "nothing came" : std::string(buffer, static_cast<std::size_t>(got));
  }
  // The next that is no sign of life.
  std::string receive_news() const {
    for (;;) {
      std::string message = receive();
      if (message != "WATCHDOG=1\n") return message;
    }
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

class ServeService : public Serve {
 protected:
  std::string operations(const std::string& path) const {
    return curl({"--unix-socket", folder_.path() + "/operations.sock", "http://o" + path});
  }
};

TEST_F(ServeService, TellsItsManagerWhatItDoes) {
  const NotifySocket manager(folder_.path() + "/notify");
  bool is_told = false;
  const auto converse = [&](pid_t process) {
    if (is_told) return true;
    is_told = true;
    EXPECT_THAT(manager.receive(),
                MatchesRegex("READY=1\nSTATUS=serving 4 tasks and 0 events on http://.*\n"));
    EXPECT_EQ(manager.receive(), "WATCHDOG=1\n");
    EXPECT_EQ(manager.receive(), "WATCHDOG=1\n");
    kill(process, SIGHUP);
    EXPECT_THAT(manager.receive_news(), MatchesRegex("RELOADING=1\nMONOTONIC_USEC=[0-9]+\n"));
    EXPECT_THAT(manager.receive_news(), StartsWith("READY=1\n"));
    kill(process, SIGTERM);
    EXPECT_THAT(manager.receive_news(), StartsWith("STOPPING=1\n"));
    return true;
  };
  const Ended ended =
      run(cordon_program(),
          {.arguments = {"serve", "--config", config()},
           .environment = {{"NOTIFY_SOCKET", manager.path()}, {"WATCHDOG_USEC", "2000000"}},
           .time_limit = std::chrono::seconds(60),
           .meanwhile = converse});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
}

TEST_F(ServeService, OfARunnerTellsItsManagerToo) {
  const NotifySocket manager(folder_.path() + "/notify");
  bool is_told = false;
  const auto converse = [&](pid_t process) {
    if (is_told) return true;
    is_told = true;
    EXPECT_EQ(manager.receive(), "READY=1\nSTATUS=serving on unix:" + folder_.path() + "/s\n");
    kill(process, SIGTERM);
    EXPECT_THAT(manager.receive(), StartsWith("STOPPING=1\n"));
    return true;
  };
  const Ended ended =
      run(cordon_program(), {.arguments = {"runner", "--listen", "unix:" + folder_.path() + "/s"},
                             .environment = {{"NOTIFY_SOCKET", manager.path()}},
                             .meanwhile = converse});
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
}

TEST_F(ServeService, BeginsItsLogWithWhatItServes) {
  const auto stop = [](pid_t process, const std::string& errors) {
    if (errors.contains("operations on")) kill(process, SIGTERM);
  };
  const Ended ended =
      run(cordon_program(), {.arguments = {"serve", "--config", config()}, .on_errors = stop});
  const Value start = *from_json(ended.errors.substr(0, ended.errors.find('\n')));
  EXPECT_EQ(start["event"], "start");
  EXPECT_EQ(start["tasks"], ValueView(4));
  EXPECT_EQ(start["auth"], "token, validators");
  EXPECT_THAT(start["addresses"][0].as<std::string>().value_or(""),
              StartsWith("http://127.0.0.1:"));
  EXPECT_THAT(start["message"].as<std::string>().value_or(""), StartsWith("cordon "));
}

TEST_F(ServeService, WritesWhatItsLogLevelAsksFor) {
  std::string text = configuration;
  text.replace(text.find("\"format\""), 0, "\"level\": \"error\", ");
  folder_.file("cordon.json", text);
  folder_.file("fail.js",
               "export default () => { console.warn('careful'); throw new Error('broken'); };");
  const std::string socket = folder_.path() + "/s";
  const auto errors_with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"serve", "--config", config(), "--listen", "unix:" + socket});
    const auto ask = [&](pid_t process) {
      const std::string answer =
          curl({"--unix-socket", socket, "http://t/__runner/task/app.tasks.fail", "-H",
                "x-runner-token: secret", "-d", "{}"});
      if (answer == " 000") return false;
      kill(process, SIGTERM);
      return true;
    };
    return run(cordon_program(), {.arguments = std::move(more), .meanwhile = ask}).errors;
  };
  const std::string few = errors_with({});
  EXPECT_THAT(few, HasSubstr("broken"));
  EXPECT_THAT(few, Not(HasSubstr("careful")));
  EXPECT_THAT(few, Not(HasSubstr("\"start\"")));
  const std::string more = errors_with({"--log-level", "warn"});
  EXPECT_THAT(more, HasSubstr("careful"));
  EXPECT_THAT(more, Not(HasSubstr("\"start\"")));
  const Ended wrong =
      run(cordon_program(), {.arguments = {"serve", "--config", config(), "--log-level", "loud"}});
  EXPECT_EQ(wrong.exit_code, 64);
  EXPECT_THAT(wrong.errors, HasSubstr("--log-level"));
}

TEST_F(ServeService, CountsByTaskAndByTool) {
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  call(url, "app.tasks.buy", R"({"input":{"id":"a"}})");
  call(url, "app.tasks.buy", R"({"input":{"id":"none"}})");
  call(url, "app.tasks.fail", "{}");
  call(url, "app.tasks.unknown", "{}");
  call(url, "app.tasks.add", R"({"input":{"a":1,"b":2}})", "x-runner-token: wrong");
  ASSERT_TRUE(becomes(
      [&] { return operations("/metrics").contains("request_duration_seconds_count 5\n"); }));
  const std::string text = operations("/metrics");
  for (const char* line : {"cordon_task_duration_seconds_count{task=\"app.tasks.buy\"} 2\n",
                           "cordon_task_errors_total{task=\"app.tasks.buy\"} 0\n",
                           "cordon_task_duration_seconds_count{task=\"app.tasks.fail\"} 1\n",
                           "cordon_task_errors_total{task=\"app.tasks.fail\"} 1\n",
                           "cordon_task_duration_seconds_count{task=\"app.tasks.add\"} 0\n",
                           // Two of the first call; the second ends with the first one that fails.
                           "cordon_tool_duration_seconds_count{tool=\"shop.price\"} 3\n",
                           "cordon_tool_errors_total{tool=\"shop.price\"} 1\n",
                           "cordon_executions_total{end=\"tool_error\"} 0\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("unknown"))) << "nobody outside makes new names";
  EXPECT_THAT(text, testing::ContainsRegex("\ncordon_build_info\\{version=\"[0-9.]+\",wasmtime="));
  for (const char* name : {"process_resident_memory_bytes", "process_cpu_seconds_total",
                           "process_open_fds", "process_max_fds", "process_start_time_seconds"}) {
    EXPECT_THAT(text, testing::ContainsRegex("\n" + std::string(name) + " [0-9.]+\n")) << name;
  }
}

TEST_F(ServeService, CountsAnExecutionThatAToolEndedUnderItsOwnName) {
  folder_.file("buy.js", "export default ({ id }) => shop.price({ id });");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  call(url, "app.tasks.buy", R"({"input":{"id":"none"}})");
  EXPECT_TRUE(becomes([&] {
    return operations("/metrics").contains("cordon_executions_total{end=\"tool_error\"} 1\n");
  }));
}

TEST_F(ServeService, KeepsTheRulesOfItsTools) {
  std::string rules(configuration);
  const std::string entry = R"({ "script": "shop.js" })";
  rules.replace(rules.find(entry), entry.size(),
                R"({ "script": "shop.js", "tools": {"price": {"maxCalls": 2,
                     "input": {"type": "object", "properties": {"id": {"type": "string"}}}}} })");
  folder_.file("cordon.json", rules);
  folder_.file("buy.js",
               "export default async ({ id, times }) => {\n"
               "  const all = [];\n"
               "  for (let i = 0; i < times; ++i)\n"
               "    all.push(await shop.price({ id }).then(() => 'ok', (e) => e.message));\n"
               "  return all;\n"
               "};\n");
  Conversation server(cordon_program(), {"serve", "--config", config()});
  const std::string url = server.receive().value();
  // Each execution has its own count.
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(call(url, "app.tasks.buy", R"({"input":{"id":"a","times":3}})"),
                HasSubstr(R"(["ok","ok","Tool price may be called 2 times in one execution"])"));
  }
  EXPECT_THAT(call(url, "app.tasks.buy", R"({"input":{"id":7,"times":1}})"),
              HasSubstr("Invalid input for tool price: id: the value is not of type"));
  folder_.file("cordon.json", rules.replace(rules.find("\"price\""), 7, "\"prise\""));
  const Ended ended =
      run(cordon_program(), {.arguments = {"serve", "--check", "--config", config()}});
  EXPECT_EQ(ended.exit_code, 64);
  EXPECT_THAT(ended.errors, HasSubstr("there is no function \"prise\""));
}

}  // namespace
}  // namespace cordon::e2e
