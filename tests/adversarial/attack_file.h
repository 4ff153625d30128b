#pragma once

// A program that tries to do harm, and what must come of it, read from the comments at its head:
//
//   // Burns time in a comparator, which no JavaScript-level check can interrupt.
//   // expect: code=timeout            or ok=<JSON>, or ok=undefined
//   // runner: code=timeout            the same where `cordon runner` comes to another end
//   // timeout: 200                    milliseconds
//   // memory: 32MiB
//   // log: before                     all log lines, in order, where any is given; or a JSON
//   string
//   // runner-log: before              the same of a runner, where it differs
//   // message: timed out              part of the error's message

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/value.h"

namespace cordon::adversarial {

struct AttackFile {
  std::filesystem::path path;
  std::string source;
  std::string code;                // of the error; empty where it must succeed
  std::optional<Value> result;     // where it must succeed
  bool has_end_of_runner = false;  // `code` or `result` is that of a runner alone
  std::string message;             // part of the error's message
  std::vector<std::string> log;    // checked where not empty
  std::chrono::milliseconds timeout{300};
  std::uint64_t memory_bytes = std::uint64_t{32} << 20;
};

enum class RunBy { engine, runner };

// Throws std::runtime_error where the head of the file says nothing, or something unknown: a
// mistake in a test is loud.
AttackFile read_attack(const std::filesystem::path& path, RunBy by = RunBy::engine);

// All of tests/adversarial/*.js below the current directory, by name.
std::vector<std::filesystem::path> attack_paths();

// One test for each of them, named after its file.
template <class AttackTest>
void register_attacks(const char* suite) {
  for (const std::filesystem::path& path : attack_paths()) {
    testing::RegisterTest(suite, path.stem().c_str(), nullptr, nullptr, path.c_str(), 1,
                          [path]() -> testing::Test* { return new AttackTest(path); });
  }
}

}  // namespace cordon::adversarial
