#pragma once

// A number of JSON text.

#include <cstdint>

namespace cordon::json {

struct NumberText {
  double number = 0;
  const char* end = nullptr;      // past the number, or where it is wrong
  const char* problem = nullptr;  // what is wrong there; nullptr if nothing
};

// `at` points at a digit or a minus sign. The number is correctly rounded. What no double can hold
// becomes ±Infinity or ±0. Linear in the number of digits.
NumberText read_number(const char* at, const char* end);

}  // namespace cordon::json
