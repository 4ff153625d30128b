#pragma once

// The table that people read.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cordon/value.h"

namespace cordon::bench {

struct Row {
  std::string what;
  // In the order of the columns: cordon, quickjs-emscripten, isolated-vm.
  std::array<std::string, 3> figures;
  std::string ratio;
  std::string bar;
  std::optional<bool> met;
};

// One without figures yet.
Row new_row(std::string what, std::string bar);

std::string table_text(const std::vector<Row>& rows);
Value table_value(const std::vector<Row>& rows);

// Numbers for people, with three digits that count: "17.2 µs", "120 KiB".
std::string time_text(double seconds);
std::string size_text(double bytes);

}  // namespace cordon::bench
