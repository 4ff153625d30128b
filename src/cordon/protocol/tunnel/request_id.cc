#include "cordon/protocol/tunnel/request_id.h"

#include <algorithm>
#include <array>

namespace cordon::tunnel {
namespace {

constexpr std::size_t max_request_id_bytes = 128;
constexpr std::string_view digits = "0123456789abcdef";

bool is_lower_hex(std::string_view text) {
  return text.find_first_not_of(digits) == std::string_view::npos;
}

bool is_zero(std::string_view text) { return text.find_first_not_of('0') == text.npos; }

}  // namespace

bool is_request_id(std::string_view text) {
  if (text.empty() || text.size() > max_request_id_bytes) return false;
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == ':' || c == '-';
  });
}

std::string uuid_text(std::span<const std::uint8_t, 16> random) {
  std::array<std::uint8_t, 16> bytes;
  std::ranges::copy(random, bytes.begin());
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  std::string out;
  out.reserve(36);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += digits[bytes[i] >> 4];
    out += digits[bytes[i] & 15];
  }
  return out;
}

std::optional<TraceParent> parse_traceparent(std::string_view text) {
  // version-trace-parent-flags; a later version may have more behind another dash.
  if (text.size() < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
  const std::string_view version = text.substr(0, 2);
  const std::string_view trace = text.substr(3, 32);
  const std::string_view parent = text.substr(36, 16);
  const std::string_view flags = text.substr(53, 2);
  if (!is_lower_hex(version) || !is_lower_hex(trace) || !is_lower_hex(parent) ||
      !is_lower_hex(flags) || version == "ff" || is_zero(trace) || is_zero(parent)) {
    return std::nullopt;
  }
  if (text.size() > 55 && (version == "00" || text[55] != '-')) return std::nullopt;
  return TraceParent{std::string(trace), std::string(parent), std::string(flags)};
}

std::string child_traceparent(const TraceParent& parent, std::uint64_t span) {
  std::string out = "00-" + parent.trace_id + '-';
  if (span == 0) span = 1;  // all zeros are no id
  for (int shift = 60; shift >= 0; shift -= 4) out += digits[(span >> shift) & 15];
  out += '-';
  out += parent.flags;
  return out;
}

}  // namespace cordon::tunnel
