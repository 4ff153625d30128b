// Memory of `cordon runner --listen` after a burst of sessions.

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "../conformance/execbox_host.h"
#include "conversation.h"
#include "process.h"
#include "socket_peer.h"
#include <gtest/gtest.h>

namespace cordon::e2e {
namespace {

using namespace std::chrono_literals;

// Memory that is the process's own, in KiB: pages of files that others have too do not count.
std::size_t own_kib(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/smaps_rollup");
  for (std::string word; file >> word;) {
    std::size_t kib = 0;
    if (word == "Anonymous:" && file >> kib) return kib;
  }
  return 0;
}

TEST(RunnerMemory, IsGivenBackOnceABurstIsOver) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const Folder folder;
  Conversation runner(cordon_program(),
                      {"runner", "--threads", "1", "--listen", "unix:" + folder.path() + "/s"});
  const std::string address = runner.receive().value();

  constexpr int count = 3000;
  std::vector<std::unique_ptr<SocketPeer>> peers;
  for (int i = 0; i < count; ++i) {
    peers.push_back(std::make_unique<SocketPeer>(address));
    peers.back()->send(
        conformance::execute_line({.code = "await tools.hang()", .timeout_ms = 600'000}));
  }
  for (const auto& peer : peers) {
    EXPECT_TRUE(peer->receive().value_or("").contains("started"));
    EXPECT_TRUE(peer->receive().value_or("").contains("tool_call"));
  }
  const std::size_t burst = own_kib(runner.process());
  ASSERT_GT(burst, 20'000u);
  peers.clear();
  std::size_t left = burst;
  for (int i = 0; i < 300 && left > burst / 2; ++i) {
    std::this_thread::sleep_for(100ms);
    left = own_kib(runner.process());
  }
  EXPECT_LT(left, burst / 2) << "of " << burst << " KiB";

  SocketPeer next(address);
  next.send(conformance::execute_line({.code = "6 * 7"}));
  EXPECT_TRUE(next.receive().value_or("").contains("started"));
  EXPECT_TRUE(next.receive().value_or("").contains("42"));
}

}  // namespace
}  // namespace cordon::e2e
