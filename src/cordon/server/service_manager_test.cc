#include "cordon/server/service_manager.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::server {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

// The manager's end: a datagram socket, by a path or by a name.
class Manager {
 public:
  explicit Manager(std::string name) : name_(std::move(name)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name_.data(), name_.size());
    const bool is_abstract = name_[0] == '@';
    if (is_abstract) address.sun_path[0] = '\0';
    descriptor_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size() +
                                             (is_abstract ? 0 : 1));
    EXPECT_EQ(bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), size), 0);
  }
  ~Manager() {
    close(descriptor_);
    if (name_[0] == '/') unlink(name_.c_str());
  }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  const std::string& name() const { return name_; }
  // The next message; empty where none comes.
  std::string receive(int flags = 0) const {
    char buffer[1024];
    const ssize_t got = recv(descriptor_, buffer, sizeof buffer, flags);
    return got < 0 ? "" : std::string(buffer, static_cast<std::size_t>(got));
  }

 private:
  std::string name_;
  int descriptor_ = -1;
};

std::string fresh_path() {
  static int count = 0;
  return testing::TempDir() + "manager_" + std::to_string(getpid()) + "_" + std::to_string(++count);
}

TEST(ServiceManager, TellsEachStep) {
  const Manager manager(fresh_path());
  ServiceManager told({.socket = manager.name()});
  told.ready("serving 2 tasks");
  EXPECT_EQ(manager.receive(), "READY=1\nSTATUS=serving 2 tasks\n");
  told.reloading();
  EXPECT_THAT(manager.receive(), MatchesRegex("RELOADING=1\nMONOTONIC_USEC=[0-9]+\n"));
  told.stopping();
  EXPECT_THAT(manager.receive(), StartsWith("STOPPING=1\n"));
}

TEST(ServiceManager, ReachesAbstractSockets) {
  const Manager manager("@cordon-test-" + std::to_string(getpid()));
  ServiceManager told({.socket = manager.name()});
  told.ready("x");
  EXPECT_THAT(manager.receive(), StartsWith("READY=1\n"));
}

TEST(ServiceManager, KeepsAStatusToItsLine) {
  const Manager manager(fresh_path());
  ServiceManager told({.socket = manager.name()});
  told.ready("a\nMAINPID=1");
  EXPECT_EQ(manager.receive(), "READY=1\nSTATUS=a MAINPID=1\n");
}

TEST(ServiceManager, GivesSignsOfLifeOnceItIsReadyAndWhileItLives) {
  const Manager manager(fresh_path());
  std::atomic<bool> lives = true;
  ServiceManager told({.socket = manager.name(), .watchdog = 20ms},
                      [&](auto) { return lives.load(); });
  EXPECT_EQ(manager.receive(MSG_DONTWAIT), "");
  told.ready("");
  EXPECT_THAT(manager.receive(), StartsWith("READY=1\n"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(manager.receive(), "WATCHDOG=1\n");
  lives = false;
  // What was sent before it was asked again may still come.
  std::this_thread::sleep_for(100ms);
  while (!manager.receive(MSG_DONTWAIT).empty()) continue;
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(manager.receive(MSG_DONTWAIT), "");
  lives = true;
  EXPECT_EQ(manager.receive(), "WATCHDOG=1\n");
  lives = false;
  std::this_thread::sleep_for(100ms);
  while (!manager.receive(MSG_DONTWAIT).empty()) continue;
  told.stopping();
  EXPECT_THAT(manager.receive(), StartsWith("STOPPING=1\n"));
  EXPECT_EQ(manager.receive(), "WATCHDOG=1\n") << "its threads may have ended already";
}

TEST(ServiceManager, DoesNothingWhereThereIsNone) {
  for (const char* nowhere : {"", "/no/such/socket", "relative", "vsock:2:1"}) {
    ServiceManager told({.socket = nowhere, .watchdog = 1ms});
    told.reloading();
    told.ready("x");
    told.stopping();
  }
  ServiceManager({.socket = "/" + std::string(200, 'x')}).ready("too long for an address");
}

TEST(ServiceManager, TakesItsSettingsOutOfTheEnvironment) {
  setenv("NOTIFY_SOCKET", "/run/s", 1);
  setenv("WATCHDOG_USEC", "3000000", 1);
  setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  const ServiceManagerOptions ours = ServiceManagerOptions::take_from_environment();
  EXPECT_EQ(ours.socket, "/run/s");
  EXPECT_EQ(ours.watchdog, 3s);
  EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr) << "plugins would take it for theirs";
  EXPECT_EQ(ServiceManagerOptions::take_from_environment().socket, "");

  setenv("WATCHDOG_USEC", "3000000", 1);
  setenv("WATCHDOG_PID", "1", 1);
  EXPECT_EQ(ServiceManagerOptions::take_from_environment().watchdog, std::nullopt)
      << "of another process";
  for (const char* wrong : {"", "0", "-1", "soon", "99999999999999999999"}) {
    setenv("WATCHDOG_USEC", wrong, 1);
    EXPECT_EQ(ServiceManagerOptions::take_from_environment().watchdog, std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace cordon::server
