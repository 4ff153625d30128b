#pragma once

// A stand-in for the guest's engine in tests and fuzz targets: none lives this low.

#include <cstddef>
#include <string_view>

#include "cordon/codec/rich/serializer.h"

namespace cordon::rich {

class StandInRegExps : public RegExpOracle {
 public:
  // Parentheses that match, and flags that go together.
  Result<bool> is_regexp(std::string_view pattern, std::string_view flags) const override {
    if (flags.contains('u') && flags.contains('v')) return false;
    int open = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] == '\\')
        ++i;
      else if (pattern[i] == '(')
        ++open;
      else if (pattern[i] == ')' && --open < 0)
        return false;
    }
    return open == 0;
  }
};

}  // namespace cordon::rich
