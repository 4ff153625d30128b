#pragma once

// Stand-ins for JavaScript in tests and fuzz targets: no engine and no URL parser lives this low.

#include <optional>
#include <string>
#include <string_view>

#include "cordon/codec/rich/serializer.h"

namespace cordon::rich {

class StandIns : public Oracles {
 public:
  // Parentheses that match, and flags that go together.
  bool is_regexp(std::string_view pattern, std::string_view flags) const override {
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

  // A scheme, and lower case up to the path.
  std::optional<std::string> url(std::string_view text) const override {
    const std::size_t scheme = text.find("://");
    if (scheme == text.npos || scheme == 0 || text.size() == scheme + 3) return std::nullopt;
    std::string href(text);
    std::size_t path = href.find('/', scheme + 3);
    if (path == href.npos) href += '/';
    path = href.find('/', scheme + 3);
    for (std::size_t i = 0; i < path; ++i) {
      if (href[i] >= 'A' && href[i] <= 'Z') href[i] = static_cast<char>(href[i] | 0x20);
    }
    return href;
  }
};

}  // namespace cordon::rich
