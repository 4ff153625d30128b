#include "cordon/server/redaction.h"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include "cordon/base/ascii.h"
#include "cordon/base/bytes.h"
#include "cordon/base/number_text.h"
#include "cordon/base/utf8.h"

namespace cordon::server {
namespace {

constexpr std::size_t max_message_bytes = std::size_t{16} << 10;
// Shorter texts are words of messages too.
constexpr std::size_t min_hidden_bytes = 4;

std::string cut(std::string text) {
  if (text.size() <= max_message_bytes) return text;
  const std::string_view first = std::string_view(text).substr(0, max_message_bytes);
  return std::string(first.substr(0, valid_utf8_prefix(first))) + "…";
}

// The text of a node itself, without those of its parts.
std::vector<std::string_view> texts_of(const ValueView& node, NumberBuffer& buffer) {
  switch (node.kind()) {
    case Kind::string:
      return {node.as_string()};
    case Kind::number:
      return {number_to_text(node.as_number(), buffer)};
    case Kind::bigint:
      return {node.bigint_text()};
    case Kind::symbol:
      return {node.symbol_key()};
    case Kind::regexp:
      return {node.regexp_source()};
    case Kind::url:
      return {node.url_text()};
    case Kind::url_search_params:
      return {node.url_search_params_text()};
    case Kind::error:
      return {node.error_name(), node.error_message()};
    default:
      if (node.is_bytes()) return {as_text(node.as_bytes())};
      return {};
  }
}

void add_parts(const ValueView& node, std::vector<ValueView>& left) {
  const auto add_members = [&](std::span<const Member> members) {
    for (const Member& member : members) {
      left.push_back(member.name);
      left.push_back(member.value);
    }
  };
  if (node.is_array() || node.is_set())
    left.insert(left.end(), node.items().begin(), node.items().end());
  if (node.is_object()) add_members(node.members());
  for (const Entry& entry : node.entries()) {
    left.push_back(entry.key);
    left.push_back(entry.value);
  }
  if (!node.is_error()) return;
  add_members(node.error_fields());
  left.push_back(node.error_stack());
  left.push_back(node.error_cause());
}

}  // namespace

Redaction::Redaction(const config::TunnelTarget& target) {
  hide_url(target.url);
  if (target.token) {
    hide(*target.token);
    if (target.token->size() < min_hidden_bytes) short_token_ = ascii_lower_case(*target.token);
  }
  for (const auto& [name, value] : target.headers) hide(value);
  // Or a part would be found first, and the rest would stay.
  std::ranges::sort(hidden_, std::ranges::greater{}, &std::string::size);
}

// http://HOST:PORT/PATH or unix:SOCKET:/PATH.
void Redaction::hide_url(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  hide(url);
  const bool is_socket = equals_in_any_case(url.substr(0, 5), "unix:");
  const std::size_t scheme = is_socket ? 3 : url.find("://");
  if (scheme == url.npos) return;
  const std::string_view rest = url.substr(scheme + (is_socket ? 2 : 3));
  const std::size_t path = is_socket ? rest.find(":/") : rest.find('/');
  const std::string_view place = rest.substr(0, path);
  hide(place);
  // A name such as localhost is a word of messages too.
  const std::string_view host = place.substr(0, std::min(place.rfind(':'), place.size()));
  if (!is_socket && host.find_first_of(".:") != host.npos) hide(host);
  if (path == rest.npos) return;
  const std::string_view base = rest.substr(path + (is_socket ? 1 : 0));
  if (base != "/__runner") hide(base);
}

void Redaction::hide(std::string_view text) {
  if (text.size() >= min_hidden_bytes) hidden_.push_back(ascii_lower_case(std::string(text)));
}

void Redaction::hide_in(providers::RemoteFailure& failure) const {
  const bool is_short_shown =
      has_short_token(failure.message) || (failure.id && has_short_token(*failure.id));
  if (is_short_shown) {
    failure = {.fault = failure.fault};
    return;
  }
  failure.message = cut(shown(std::move(failure.message)));
  if (failure.id) failure.id = cut(shown(*std::move(failure.id)));
  if (has_secret(failure.data)) failure.data = {};
}

std::string Redaction::shown(std::string text) const {
  for (const std::string& hidden : hidden_) {
    const std::string lower = ascii_lower_case(text);
    std::string made;
    std::size_t at = 0;
    for (std::size_t found = lower.find(hidden); found != lower.npos;
         found = lower.find(hidden, at)) {
      made.append(text, at, found - at).append("…");
      at = found + hidden.size();
    }
    if (at > 0) text = std::move(made.append(text, at));
  }
  return text;
}

bool Redaction::has_short_token(std::string_view text) const {
  return !short_token_.empty() && ascii_lower_case(std::string(text)).contains(short_token_);
}

bool Redaction::has_secret(std::string_view text) const {
  const std::string lower = ascii_lower_case(std::string(text));
  return (!short_token_.empty() && lower.contains(short_token_)) ||
         std::ranges::any_of(hidden_,
                             [&](const std::string& hidden) { return lower.contains(hidden); });
}

bool Redaction::has_secret(ValueView data) const {
  std::unordered_set<const void*> seen;
  std::vector<ValueView> left = {data};
  NumberBuffer buffer{};
  while (!left.empty()) {
    const ValueView node = left.back();
    left.pop_back();
    if (node.identity() != nullptr && !seen.insert(node.identity()).second) continue;
    for (const std::string_view text : texts_of(node, buffer))
      if (has_secret(text)) return true;
    add_parts(node, left);
  }
  return false;
}

}  // namespace cordon::server
