#pragma once

// The measurements and their bars.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/subject.h"
#include "engine/table.h"

#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::bench {

struct Plan {
  std::vector<Subject> subjects;  // Cordon first
  std::string node;               // the program; empty where there is none
  std::string program;            // `cordon`
  std::size_t rounds = 3;
  std::size_t soak_runs = 100'000;
  std::size_t cores = 1;
  std::string only;  // a measurement's name; empty for all
};

struct Findings {
  std::vector<Row> rows;
  // What each subject said in each round, for programs.
  std::vector<Value> raw;
  std::vector<std::string> failures;
};

// Measures all subjects in turn, round after round, and keeps each subject's least disturbed round.
// Calls `progress` before each measurement.
Findings measure_rows(const Plan& plan, const std::function<void(const std::string&)>& progress);

}  // namespace cordon::bench
