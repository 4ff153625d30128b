#include "cordon/protocol/tunnel/part_head.h"

#include <algorithm>
#include <utility>

#include "cordon/base/ascii.h"
#include "cordon/base/utf8.h"
#include "cordon/protocol/tunnel/percent.h"
#include "cordon/protocol/tunnel/text_encoding.h"

namespace cordon::tunnel {
namespace {

constexpr std::size_t max_boundary_bytes = 70;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_token_character(char c) {
  return is_alphanumeric(c) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

bool is_boundary_character(char c) {
  return is_alphanumeric(c) || std::string_view("'()+_,-./:=? ").contains(c);
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

bool same(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, {}, ascii_lower);
}

void skip_blanks(std::string_view& text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
}

std::string_view trimmed(std::string_view text) {
  skip_blanks(text);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::string_view take_token(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_token_character(text[size])) ++size;
  const std::string_view token = text.substr(0, size);
  text.remove_prefix(size);
  return token;
}

// After its opening quote. A backslash escapes a quote or another one; any other stands for itself,
// since some clients write the paths of Windows as they are.
std::optional<std::string> take_quoted(std::string_view& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return out;
    }
    const bool escapes =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    if (escapes) ++i;
    out += text[i];
  }
  return std::nullopt;
}

// Calls `parameter(name, value)` for each `; name=value`. False where the text is something else.
template <class Parameter>
bool for_each_parameter(std::string_view text, const Parameter& parameter) {
  for (;;) {
    skip_blanks(text);
    if (text.empty()) return true;
    if (!text.starts_with(';')) return false;
    text.remove_prefix(1);
    skip_blanks(text);
    if (text.empty()) return true;  // a semicolon at the end
    const std::string_view name = take_token(text);
    if (name.empty() || !text.starts_with('=')) return false;
    text.remove_prefix(1);
    if (text.starts_with('"')) {
      text.remove_prefix(1);
      std::optional<std::string> value = take_quoted(text);
      if (!value) return false;
      parameter(name, *std::move(value));
    } else {
      // Not only tokens: clients write boundaries with `=` and names in UTF-8 without quotes.
      const std::string_view value = text.substr(0, text.find(';'));
      text.remove_prefix(value.size());
      parameter(name, std::string(trimmed(value)));
    }
  }
}

// FormData writes a quote and line ends as these three escapes, and no other.
std::string without_form_escapes(std::string text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view escape = std::string_view(text).substr(i, 3);
    const char stands_for = same(escape, "%22")   ? '"'
                            : same(escape, "%0d") ? '\r'
                            : same(escape, "%0a") ? '\n'
                                                  : '\0';
    if (stands_for == '\0') {
      out += text[i];
      continue;
    }
    out += stands_for;
    i += 2;
  }
  return out;
}

// charset'language'text, of RFC 5987.
std::optional<std::string> extended_text(std::string_view value) {
  const std::size_t first = value.find('\'');
  if (first == value.npos) return std::nullopt;
  const std::size_t second = value.find('\'', first + 1);
  if (second == value.npos) return std::nullopt;
  const std::string_view charset = value.substr(0, first);
  std::optional<std::string> bytes = percent_decoded(value.substr(second + 1));
  if (!bytes) return std::nullopt;
  if (same(charset, "utf-8")) {
    if (is_utf8(*bytes)) return bytes;
  } else if (same(charset, "iso-8859-1")) {
    return latin1_to_utf8(*bytes);
  }
  return std::nullopt;
}

std::string base_name(const std::string& path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

bool read_disposition(std::string_view value, PartHead& head) {
  if (!same(take_token(value), "form-data")) return false;
  bool has_name = false;
  std::optional<std::string> extended;
  const bool is_fine = for_each_parameter(value, [&](std::string_view name, std::string text) {
    if (same(name, "name")) {
      has_name = true;
      head.name = header_text(without_form_escapes(std::move(text)));
    } else if (same(name, "filename")) {
      head.file_name = base_name(header_text(without_form_escapes(std::move(text))));
    } else if (same(name, "filename*")) {
      extended = extended_text(text);
    }
  });
  if (extended) head.file_name = base_name(*extended);
  return is_fine && has_name;
}

}  // namespace

std::optional<std::string> boundary_of(std::string_view content_type) {
  const std::size_t semicolon = content_type.find(';');
  if (semicolon == content_type.npos) return std::nullopt;
  std::optional<std::string> boundary;
  const bool is_fine = for_each_parameter(content_type.substr(semicolon),
                                          [&](std::string_view name, std::string value) {
                                            if (same(name, "boundary") && !boundary)
                                              boundary = std::move(value);
                                          });
  if (!is_fine || !boundary || boundary->empty() || boundary->size() > max_boundary_bytes ||
      boundary->ends_with(' ') || !std::ranges::all_of(*boundary, is_boundary_character)) {
    return std::nullopt;
  }
  return boundary;
}

bool PartHead::is_file() const {
  if (name == manifest_name) return false;
  return name.starts_with(file_prefix) || file_name.has_value();
}

std::optional<PartHead> parse_part_head(std::string_view lines) {
  PartHead head;
  bool has_disposition = false;
  while (!lines.empty()) {
    const std::size_t end = lines.find("\r\n");
    if (end == lines.npos) return std::nullopt;
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 2);
    const std::string_view name = take_token(line);
    if (name.empty() || !line.starts_with(':') || std::ranges::any_of(line, is_control))
      return std::nullopt;
    const std::string_view value = trimmed(line.substr(1));
    if (same(name, "content-disposition")) {
      if (std::exchange(has_disposition, true) || !read_disposition(value, head))
        return std::nullopt;
    } else if (same(name, "content-type")) {
      // Without parameters, as tasks know it from their other clients.
      const std::string_view type = trimmed(value.substr(0, value.find(';')));
      if (!type.empty()) head.content_type = header_text(type);
    }
  }
  if (!has_disposition) return std::nullopt;
  return head;
}

}  // namespace cordon::tunnel
