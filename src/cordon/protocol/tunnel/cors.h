#pragma once

// Cross-origin rules: which headers tell a browser that a page may read the answer.

#include <string>
#include <string_view>
#include <vector>

#include "cordon/tunnel_options.h"

namespace cordon::tunnel {

// The rules with all that does not depend on the request worked out.
class Cors {
 public:
  explicit Cors(const CorsRules& rules = {});

  // `add(name, value)` for each header of an answer. `origin` is the request's, empty where it has
  // none.
  template <class Add>
  void answer(std::string_view origin, const Add& add) const {
    common(origin, add);
    if (!exposed_headers_.empty()) add("Access-Control-Expose-Headers", exposed_headers_);
  }

  // The same of a preflight; `asked` is its Access-Control-Request-Headers.
  template <class Add>
  void preflight(std::string_view origin, std::string_view asked, const Add& add) const {
    common(origin, add);
    add("Access-Control-Allow-Methods", methods_);
    const std::string_view headers =
        allowed_headers_.empty() ? asked : std::string_view(allowed_headers_);
    if (!headers.empty()) add("Access-Control-Allow-Headers", headers);
    if (!max_age_.empty()) add("Access-Control-Max-Age", max_age_);
  }

 private:
  // Empty: none is allowed.
  std::string_view allowed(std::string_view origin) const;

  template <class Add>
  void common(std::string_view origin, const Add& add) const {
    if (varies_) add("Vary", "Origin");
    const std::string_view sent = allowed(origin);
    if (!sent.empty()) add("Access-Control-Allow-Origin", sent);
    if (credentials_) add("Access-Control-Allow-Credentials", "true");
  }

  std::string fixed_origin_;
  std::vector<std::string> origins_;
  bool varies_ = false;
  bool credentials_ = false;
  std::string methods_;
  std::string allowed_headers_;
  std::string exposed_headers_;
  std::string max_age_;
};

}  // namespace cordon::tunnel
