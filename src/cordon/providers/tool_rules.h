#pragma once

// What a tool may be given and may give, and how much of it one execution may use.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/value.h"

namespace cordon::providers {

struct ToolRules {
  std::string description = {};
  std::optional<Value> input = {};                        // JSON Schema, draft 2020-12
  std::optional<Value> output = {};                       // the same
  std::optional<std::chrono::milliseconds> timeout = {};  // of one call, while it runs
  std::optional<std::size_t> max_calls = {};              // that one execution may make
  std::optional<std::size_t> concurrency = {};            // calls that run at once; others wait
  bool read_only = false;                                 // it changes nothing
};

// By the name that the tool's author gave it, in the order in which tools are shown.
using ToolList = std::vector<std::pair<std::string, ToolRules>>;

}  // namespace cordon::providers
