#pragma once

// A request that is not worth a handler: the status of its answer, and why, for people.

#include <string_view>

namespace cordon::transport::http {

struct Refusal {
  unsigned status = 400;
  std::string_view why = {};  // a literal

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

}  // namespace cordon::transport::http
