#pragma once

// Findings about the machine, each with what follows from it.

#include <string>
#include <vector>

namespace cordon::cli {

enum class Grade {
  good,
  limited,  // it works, with less of something
  missing,  // sandboxes cannot run without it
};

struct Finding {
  std::string subject = {};
  Grade grade = Grade::good;
  std::string state = {};   // what there is
  std::string advice = {};  // what to do about it; empty where all is well
};

std::vector<Finding> examine_machine();

}  // namespace cordon::cli
