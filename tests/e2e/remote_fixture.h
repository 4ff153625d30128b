#pragma once

// `cordon run --runner` against a runner of the test's making.

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "cordon_command.h"
#include "fake_runner.h"
#include "process.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::e2e {

// A run that must come to its end by itself, and soon.
class FakeRunnerTest : public ::testing::TestWithParam<Transport> {
 protected:
  static constexpr int timeout = 2000;  // milliseconds; nothing below needs a tenth of it

  Ended run_at(const std::string& target, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"run", "--runner", target, "--timeout",
                                          std::to_string(timeout_)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (!has_program_) arguments.insert(arguments.end(), {"-e", "6 * 7"});
    Ended ended = cordon({.arguments = std::move(arguments)});
    EXPECT_LT(ended.took, std::chrono::milliseconds(timeout_ + 1000)) << ended.errors;
    return ended;
  }
  Ended run(FakeRunner::Serve serve, std::vector<std::string> more = {},
            FakeRunner::Handshake handshake = FakeRunner::Handshake::made) const {
    const FakeRunner runner(GetParam(), std::move(serve), handshake);
    Ended ended = run_at(runner.target(), std::move(more));
    EXPECT_EQ(runner.connections(), 1) << "nothing is sent twice";
    return ended;
  }

  // What is wrong is told in one line, and at once.
  static void expect_failure(const Ended& ended, const std::string& error, int exit_code) {
    EXPECT_EQ(ended.exit_code, exit_code);
    EXPECT_EQ(ended.output, "");
    EXPECT_EQ(ended.errors, "error: " + error + "\n");
  }
  static void expect_runner_error(const Ended& ended, const std::string& message) {
    expect_failure(ended, "runner_error: " + message, 2);
    EXPECT_LT(ended.took, std::chrono::milliseconds(timeout));
  }

  int timeout_ = timeout;
  bool has_program_ = false;
  const Folder folder_;
};

}  // namespace cordon::e2e
