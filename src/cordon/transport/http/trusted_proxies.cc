#include "cordon/transport/http/trusted_proxies.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstring>

#include "cordon/transport/http/characters.h"

namespace cordon::transport::http {
namespace {

constexpr unsigned mapped_bits = 96;     // of an IPv4 address, before its own
constexpr std::size_t max_hops = 64;     // that a chain of proxies is followed
constexpr std::size_t max_address = 45;  // characters

struct Hop {
  std::string_view address;
  std::string_view protocol;
};

std::string_view unquote(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    return text.substr(1, text.size() - 2);
  return text;
}

// "1.2.3.4:5678", "[::1]:5678", "::1", "1.2.3.4".
std::string_view without_port(std::string_view node) {
  if (node.starts_with('[')) {
    const std::size_t end = node.find(']');
    return end == node.npos ? std::string_view() : node.substr(1, end - 1);
  }
  const std::size_t colon = node.find(':');
  const bool is_port = colon != node.npos && node.find(':', colon + 1) == node.npos;
  return is_port ? node.substr(0, colon) : node;
}

// The last ones of a list that may go over several headers. A list of nothing but commas has
// thousands, of which none is looked at: so no more than that are taken apart.
std::vector<std::string_view> last_pieces(const std::vector<Header>& headers,
                                          std::string_view name) {
  std::vector<std::string_view> pieces;
  for (auto header = headers.rbegin(); header != headers.rend(); ++header) {
    if (header->name != name) continue;
    std::string_view left = header->value;
    for (bool is_first = false; !is_first && pieces.size() <= max_hops;) {
      const std::size_t comma = left.rfind(',');
      is_first = comma == left.npos;
      pieces.push_back(trim(is_first ? left : left.substr(comma + 1)));
      if (!is_first) left = left.substr(0, comma);
    }
  }
  std::ranges::reverse(pieces);
  return pieces;
}

// Reads `Forwarded: for=…;proto=…, for=…`. A comma or semicolon inside quotes cannot be part of an
// address, so such a value does not parse as one.
std::vector<Hop> forwarded_hops(const std::vector<Header>& headers) {
  std::vector<Hop> hops;
  for (const std::string_view element : last_pieces(headers, "forwarded")) {
    Hop& hop = hops.emplace_back();
    for_each_piece(element, ';', [&](std::string_view pair) {
      const std::size_t equals = std::min(pair.find('='), pair.size());
      const std::string_view name = trim(pair.substr(0, equals));
      const std::string_view value = unquote(trim(pair.substr(std::min(equals + 1, pair.size()))));
      if (equals_in_any_case(name, "for")) hop.address = without_port(value);
      if (equals_in_any_case(name, "proto")) hop.protocol = value;
    });
  }
  return hops;
}

std::vector<Hop> x_forwarded_hops(const std::vector<Header>& headers) {
  std::vector<Hop> hops;
  for (const std::string_view piece : last_pieces(headers, "x-forwarded-for"))
    hops.push_back({.address = without_port(piece), .protocol = {}});
  const std::vector<std::string_view> protocols = last_pieces(headers, "x-forwarded-proto");
  if (hops.empty() && !protocols.empty()) hops.emplace_back();
  // Most proxies say one for all; some add theirs to the list.
  for (std::size_t i = 0; i < hops.size(); ++i) {
    if (protocols.size() == 1) hops[i].protocol = protocols[0];
    if (protocols.size() == hops.size()) hops[i].protocol = protocols[i];
  }
  return hops;
}

std::string text_of(const AddressBytes& address) {
  char text[INET6_ADDRSTRLEN] = {};
  const bool is_mapped =
      std::all_of(address.begin(), address.begin() + 10, [](auto byte) { return byte == 0; }) &&
      address[10] == 0xff && address[11] == 0xff;
  inet_ntop(is_mapped ? AF_INET : AF_INET6, is_mapped ? &address[12] : address.data(), text,
            sizeof text);
  return text;
}

std::unexpected<Error> no_range(const std::string& entry) {
  return fail(ErrorCode::invalid_argument,
              "'" + entry + "' is no address and no range as 10.0.0.0/8 or fd00::/8");
}

}  // namespace

std::optional<AddressBytes> parse_address(std::string_view text) {
  if (text.size() > max_address) return std::nullopt;
  const std::string name(text);
  AddressBytes bytes{};
  if (inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1) return bytes;
  bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (inet_pton(AF_INET, name.c_str(), &bytes[12]) == 1) return bytes;
  return std::nullopt;
}

Result<TrustedProxies> TrustedProxies::parse(std::span<const std::string> entries) {
  TrustedProxies proxies;
  for (const std::string& entry : entries) {
    if (entry == "unix") {
      proxies.unix_ = true;
      continue;
    }
    const std::size_t slash = std::min(entry.find('/'), entry.size());
    const std::optional<AddressBytes> address = parse_address(entry.substr(0, slash));
    if (!address) return no_range(entry);
    const bool is_v4 = entry.find(':') == entry.npos;
    unsigned bits = is_v4 ? 32 : 128;
    if (slash < entry.size()) {
      const unsigned most = bits;
      const char* const end = entry.data() + entry.size();
      const auto parsed = std::from_chars(entry.data() + slash + 1, end, bits);
      if (parsed.ec != std::errc() || parsed.ptr != end || bits > most) return no_range(entry);
    }
    proxies.ranges_.push_back({.address = *address, .bits = is_v4 ? bits + mapped_bits : bits});
  }
  return proxies;
}

bool TrustedProxies::trusts(const AddressBytes& address) const {
  return std::ranges::any_of(ranges_, [&](const Range& range) {
    const std::size_t whole = range.bits / 8;
    if (std::memcmp(address.data(), range.address.data(), whole) != 0) return false;
    const unsigned rest = range.bits % 8;
    if (rest == 0) return true;
    const unsigned difference = address[whole] ^ range.address[whole];
    return difference >> (8 - rest) == 0;
  });
}

bool TrustedProxies::trusts(std::string_view peer) const {
  if (peer.empty()) return unix_;
  const std::optional<AddressBytes> address = parse_address(peer);
  return address && trusts(*address);
}

TrustedProxies::Origin TrustedProxies::origin_of(Origin socket,
                                                 const std::vector<Header>& headers) const {
  if ((ranges_.empty() && !unix_) || !trusts(socket.address)) return socket;
  std::vector<Hop> hops = forwarded_hops(headers);
  if (hops.empty()) hops = x_forwarded_hops(headers);

  Origin origin = std::move(socket);
  const std::size_t last = hops.size() - std::min(hops.size(), max_hops);
  for (std::size_t i = hops.size(); i > last; --i) {
    const Hop& hop = hops[i - 1];
    // What the trusted proxy says about its own peer.
    if (!hop.protocol.empty()) origin.is_secure = equals_in_any_case(hop.protocol, "https");
    const std::optional<AddressBytes> address = parse_address(hop.address);
    if (!address) break;  // "unknown", or a name that hides it
    origin.address = text_of(*address);
    if (!trusts(*address)) break;
  }
  return origin;
}

}  // namespace cordon::transport::http
