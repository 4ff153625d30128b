#include "cordon/transport/http/proxy_settings.h"

#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstdlib>
#include <span>
#include <utility>

#include "cordon/base/ascii.h"
#include "cordon/base/base64.h"
#include "cordon/base/bytes.h"
#include "cordon/transport/http/characters.h"

namespace cordon::transport::http {
namespace {

struct Address {
  std::array<std::uint8_t, 16> bytes = {};
  unsigned bits = 0;  // 32 or 128; 0: none
};

Address address_of(std::string_view text) {
  const std::string copy(text);
  Address address;
  if (inet_pton(AF_INET, copy.c_str(), address.bytes.data()) == 1) {
    address.bits = 32;
  } else if (inet_pton(AF_INET6, copy.c_str(), address.bytes.data()) == 1) {
    address.bits = 128;
  }
  return address;
}

// 10.0.0.0/8
bool is_in_network(const Address& address, std::string_view network) {
  const std::size_t slash = network.find('/');
  const Address base = address_of(network.substr(0, slash));
  if (base.bits == 0 || base.bits != address.bits) return false;
  unsigned bits = base.bits;
  if (slash != network.npos) {
    const std::string_view count = network.substr(slash + 1);
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): its end is given.
    const auto read = std::from_chars(count.data(), count.data() + count.size(), bits);
    if (read.ec != std::errc() || read.ptr != count.data() + count.size() || bits > base.bits)
      return false;
  }
  for (unsigned i = 0; i < bits; ++i) {
    const unsigned mask = 0x80u >> i % 8;
    if (((address.bytes[i / 8] ^ base.bytes[i / 8]) & mask) != 0) return false;
  }
  return true;
}

bool is_domain_of(std::string_view host, std::string_view domain) {
  if (host.size() < domain.size()) return false;
  const std::size_t rest = host.size() - domain.size();
  return equals_in_any_case(host.substr(rest), domain) && (rest == 0 || host[rest - 1] == '.');
}

int hex_value(char c) {
  c = ascii_lower(c);
  if (is_digit(c)) return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// "a%40b" -> "a@b"
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low < 0) {
      out += text[i];
    } else {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

Result<Proxy> parse_proxy(std::string_view url) {
  Proxy proxy;
  if (const std::size_t scheme = url.find("://"); scheme != url.npos) {
    if (!equals_in_any_case(url.substr(0, scheme), "http"))
      return fail(ErrorCode::unsupported, "only proxies of http:// are supported");
    url.remove_prefix(scheme + 3);
  }
  url = url.substr(0, url.find('/'));
  if (const std::size_t at = url.rfind('@'); at != url.npos) {
    std::string user(url.substr(0, at));
    if (!user.contains(':')) user += ':';
    proxy.authorization = "Basic " + to_base64(as_bytes(percent_decoded(user)));
    url.remove_prefix(at + 1);
  }
  // Where no port is given, curl takes this one.
  const std::size_t bracket = url.find(']');
  const bool has_port = url.find(':', bracket == url.npos ? 0 : bracket) != url.npos;
  proxy.origin =
      CORDON_TRY(Origin::parse("http://" + std::string(url) + (has_port ? "" : ":1080")));
  return proxy;
}

}  // namespace

ProxySettings ProxySettings::from_environment() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment.
  return from([](const char* name) { return std::getenv(name); });
}

ProxySettings ProxySettings::from(const Lookup& variable) {
  const auto first_of = [&](std::span<const char* const> names) -> std::optional<Variable> {
    for (const char* const name : names) {
      const char* const value = variable(name);
      if (value == nullptr) continue;
      // An empty one is set, to none.
      if (*value == '\0') return std::nullopt;
      return Variable{name, value};
    }
    return std::nullopt;
  };
  constexpr std::array http = {"http_proxy", "all_proxy", "ALL_PROXY"};
  constexpr std::array https = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
  constexpr std::array exempt = {"no_proxy", "NO_PROXY"};
  ProxySettings settings;
  settings.http_ = first_of(http);
  settings.https_ = first_of(https);
  const std::optional<Variable> list = first_of(exempt);
  std::string name;
  for (const char c : list ? list->url + "," : "") {
    if (c != ',' && c != ' ' && c != '\t') {
      name += c;
    } else if (!name.empty()) {
      settings.exempt_.push_back(std::exchange(name, {}));
    }
  }
  return settings;
}

bool ProxySettings::is_exempt(std::string_view host) const {
  const Address address = address_of(host);
  if (host.ends_with('.')) host.remove_suffix(1);
  for (std::string_view name : exempt_) {
    if (name == "*") return true;
    if (address.bits > 0) {
      if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
      if (is_in_network(address, name)) return true;
      continue;
    }
    if (name.starts_with('.')) name.remove_prefix(1);
    if (name.ends_with('.')) name.remove_suffix(1);
    if (!name.empty() && is_domain_of(host, name)) return true;
  }
  return false;
}

Result<std::optional<Proxy>> ProxySettings::proxy_for(const Origin& origin) const {
  const std::optional<Variable>& variable = origin.is_tls ? https_ : http_;
  if (!variable || origin.is_socket() || is_exempt(origin.host)) return std::optional<Proxy>();
  Result<Proxy> proxy = parse_proxy(variable->url);
  if (!proxy) return fail(proxy.error().code, variable->name + ": " + proxy.error().message);
  return std::optional<Proxy>(*std::move(proxy));
}

}  // namespace cordon::transport::http
