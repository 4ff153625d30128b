#pragma once

// Which requests go through a proxy, as curl reads it from the environment.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/result.h"
#include "cordon/transport/http/origin.h"

namespace cordon::transport::http {

struct Proxy {
  Origin origin;
  std::string authorization;  // the value of Proxy-Authorization; empty: none
};

class ProxySettings {
 public:
  // None.
  ProxySettings() = default;
  // http_proxy (in lower case only: HTTP_PROXY is what a CGI program gets from its client),
  // https_proxy and HTTPS_PROXY, all_proxy and ALL_PROXY, no_proxy and NO_PROXY.
  static ProxySettings from_environment();
  using Lookup = std::function<const char*(const char* name)>;
  static ProxySettings from(const Lookup& variable);

  // Nothing: the request goes straight to its origin. An error is a proxy that cannot be used, such
  // as one that speaks SOCKS; its message names the variable, and not the proxy.
  Result<std::optional<Proxy>> proxy_for(const Origin& origin) const;

 private:
  struct Variable {
    std::string name;
    std::string url;
  };
  bool is_exempt(std::string_view host) const;

  std::optional<Variable> http_;
  std::optional<Variable> https_;
  std::vector<std::string> exempt_;
};

}  // namespace cordon::transport::http
