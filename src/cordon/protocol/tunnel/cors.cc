#include "cordon/protocol/tunnel/cors.h"

#include <algorithm>

namespace cordon::tunnel {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += ", ";
    out += part;
  }
  return out;
}

}  // namespace

Cors::Cors(const CorsRules& rules)
    : credentials_(rules.credentials),
      methods_(rules.methods.empty() ? "POST, OPTIONS" : joined(rules.methods)),
      allowed_headers_(joined(rules.allowed_headers)),
      exposed_headers_(joined(rules.exposed_headers)),
      max_age_(rules.max_age ? std::to_string(*rules.max_age) : std::string()) {
  if (rules.origins) {
    origins_ = *rules.origins;
    varies_ = true;
  } else if (rules.origin && (*rules.origin != "*" || !rules.credentials)) {
    fixed_origin_ = *rules.origin;
  } else if (rules.credentials) {
    // With credentials a browser takes an origin that is named, and no other; none was.
    varies_ = true;
  } else {
    fixed_origin_.assign(1, '*');  // g++ 12 warns of the assignment of a literal
  }
}

std::string_view Cors::allowed(std::string_view origin) const {
  if (!fixed_origin_.empty()) return fixed_origin_;
  if (origin.empty() || std::ranges::find(origins_, origin) == origins_.end()) return {};
  return origin;
}

}  // namespace cordon::tunnel
