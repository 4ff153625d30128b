#pragma once

// Runs a checkout of test262 in sandboxes: each test is a program of its own, in sloppy mode and in
// strict mode, as the suite's INTERPRETING.md asks.

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "front_matter.h"

#include "cordon/engine.h"

namespace cordon::test262 {

struct SuiteOptions {
  std::string folder = {};                           // with harness/ and test/
  std::vector<std::string> filters = {};             // parts of names; none: all tests
  std::map<std::string, std::string> left_out = {};  // features and folders, with the reason
  std::function<void(std::size_t, std::size_t)> on_progress = {};  // done, of how many
};

struct SuiteResult {
  std::set<std::string> ran = {};
  std::map<std::string, std::string> failed = {};    // with what went wrong
  std::map<std::string, std::size_t> left_out = {};  // by feature or folder, how many
};

Result<SuiteResult> run_suite(const SuiteOptions& options);

// What a report means for a test: empty if it passed, or what went wrong.
std::string judge(const FrontMatter& matter, const Report& report);

}  // namespace cordon::test262
