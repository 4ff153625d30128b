// Clients that go at any byte of any kind of request: no descriptor, stream or call is left behind.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "running_server.h"
#include <gtest/gtest.h>

namespace cordon::tunnel_test {
namespace {

using namespace std::chrono_literals;

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// Tells how many calls are under way.
struct Held {
  explicit Held(std::atomic<int>& count) : counter(count) { ++counter; }
  ~Held() { --counter; }
  Held(const Held&) = delete;
  std::atomic<int>& counter;
};

void set_up(Server& server, std::atomic<int>& under_way) {
  server.task("add", [](Value input) -> Result<Value> { return input; });
  server.task("echo", [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.body}; });
  server.task("upload", [&](TaskCall& call) -> Coroutine<Result<Value>> {
    const Held held(under_way);
    double bytes = 0;
    // The last first, so that others spill.
    for (auto file = call.files.rbegin(); file != call.files.rend(); ++file) {
      for (;;) {
        Result<Bytes> piece = co_await next_piece(*file->stream);
        if (!piece) co_return fail(piece.error());
        if (piece->empty()) break;
        bytes += static_cast<double>(piece->size());
      }
    }
    co_return Value(bytes);
  });
}

std::string request(std::string_view task, std::string_view type, const std::string& body) {
  return "POST /__runner/task/" + std::string(task) + " HTTP/1.1\r\nhost: x\r\n" +
         std::string(token) + "content-type: " + std::string(type) +
         "\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string upload_body() {
  const std::string content(400'000, 'x');
  std::string body =
      "--b\r\nContent-Disposition: form-data; name=\"__manifest\"\r\n\r\n"
      R"({"input":[{"$runnerFile":"File","id":"1","meta":{"name":"a","type":"t"}},)"
      R"({"$runnerFile":"File","id":"2","meta":{"name":"a","type":"t"}}]})"
      "\r\n";
  for (const char* id : {"1", "2"}) {
    body += "--b\r\nContent-Disposition: form-data; name=\"file:" + std::string(id) +
            "\"; filename=\"a\"\r\n\r\n" + content + "\r\n";
  }
  return body + "--b--\r\n";
}

TEST(TunnelVanishingClients, LeaveNothingBehind) {
  std::atomic<int> under_way = 0;
  const RunningServer server({.auth = {.tokens = {"secret"}}},
                             [&](Server& made) { set_up(made, under_way); });
  const std::vector<std::string> requests = {
      request("add", "application/json", R"({"input":{"a":1}})"),
      request("echo", "application/octet-stream", std::string(600'000, 'y')),
      request("upload", "multipart/form-data; boundary=b", upload_body())};
  ASSERT_EQ(server.post("/__runner/task/add", "1").status, 200U);
  const std::size_t before = open_descriptors();

  std::mt19937 random(7);
  std::vector<std::unique_ptr<HttpPeer>> lingering;
  for (int i = 0; i < 300; ++i) {
    const std::string& whole = requests[random() % requests.size()];
    // Most cuts in the head and the manifest, some anywhere.
    const std::size_t most =
        random() % 2 == 0 ? std::min<std::size_t>(600, whole.size()) : whole.size();
    auto peer = std::make_unique<HttpPeer>(server.port());
    // An echo that nobody reads would block us as well as the server.
    peer->send(
        std::string_view(whole).substr(0, std::min<std::size_t>(random() % (most + 1), 300'000)));
    switch (random() % 3) {
      case 0:
        peer->vanish();
        break;
      case 1:
        break;  // closes
      default:
        lingering.push_back(std::move(peer));
        if (lingering.size() > 20) lingering.erase(lingering.begin());
    }
  }
  lingering.clear();

  const auto until = std::chrono::steady_clock::now() + 20s;
  while ((open_descriptors() > before || under_way > 0) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(10ms);
  EXPECT_LE(open_descriptors(), before);
  EXPECT_EQ(under_way, 0);
  EXPECT_EQ(server.post("/__runner/task/add", "1").status, 200U);
}

}  // namespace
}  // namespace cordon::tunnel_test
