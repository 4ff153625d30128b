#pragma once

// What the operating system tells about processes, and children of our own.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/result.h"

namespace cordon::bench {

// Pages of this process, those that it shares counted by its part of them.
std::uint64_t pss_bytes();
std::uint64_t resident_bytes();

std::string own_path();
// "" where there is none.
std::string file_text(const std::string& path);

// The text that a program writes to its standard output, given `input`. Fails where it does not
// exit with 0.
Result<std::string> output_of(const std::vector<std::string>& command, std::string_view input);

// From before the start until it has been reaped; its output goes nowhere.
Result<std::chrono::duration<double>> time_of_process(const std::vector<std::string>& command);

}  // namespace cordon::bench
