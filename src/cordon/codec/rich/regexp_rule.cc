#include "cordon/codec/rich/regexp_rule.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cordon/base/utf8.h"

namespace cordon::rich {
namespace {

using std::u16string_view;

// JavaScript compares in UTF-16, where half of a pair is the beginning of the whole pair.
std::u16string to_utf16(std::string_view wtf8) {
  std::u16string out;
  out.reserve(wtf8.size());
  for (std::size_t at = 0; at < wtf8.size();) {
    const auto lead = static_cast<unsigned char>(wtf8[at]);
    const auto more = [&](std::size_t i) {
      return static_cast<char32_t>(static_cast<unsigned char>(wtf8[at + i]) & 0x3f);
    };
    if (lead < 0x80) {
      out.push_back(lead);
      at += 1;
    } else if (lead < 0xe0) {
      out.push_back(static_cast<char16_t>(((lead & 0x1fu) << 6) | more(1)));
      at += 2;
    } else if (lead < 0xf0) {
      out.push_back(static_cast<char16_t>(((lead & 0x0fu) << 12) | (more(1) << 6) | more(2)));
      at += 3;
    } else {
      const char32_t code_point =
          (((lead & 0x07u) << 18) | (more(1) << 12) | (more(2) << 6) | more(3)) - 0x10000;
      out.push_back(static_cast<char16_t>(0xd800 + (code_point >> 10)));
      out.push_back(static_cast<char16_t>(0xdc00 + (code_point & 0x3ff)));
      at += 4;
    }
  }
  return out;
}

// Goes through a pattern and stops at each unit that is neither escaped nor in a character class.
class Plain {
 public:
  explicit Plain(u16string_view pattern) : pattern_(pattern) {}

  // The position of the next one, or the pattern's size.
  std::size_t next() {
    for (; at_ < pattern_.size(); ++at_) {
      const char16_t unit = pattern_[at_];
      if (unit == u'\\') {
        ++at_;
      } else if (in_class_) {
        in_class_ = unit != u']';
      } else if (unit == u'[') {
        in_class_ = true;
      } else {
        return at_++;
      }
    }
    return pattern_.size();
  }

 private:
  u16string_view pattern_;
  std::size_t at_ = 0;
  bool in_class_ = false;
};

// {2}, {2,} {2,5} and, as the original takes them, {,5}.
bool is_counted_quantifier(u16string_view at) {
  bool digits = false;
  bool comma = false;
  for (const char16_t unit : at.substr(1)) {
    if (unit >= u'0' && unit <= u'9') {
      digits = true;
    } else if (unit == u',' && !comma) {
      comma = true;
    } else {
      return unit == u'}' && digits;
    }
  }
  return false;
}

bool begins_with_quantifier(u16string_view at) {
  if (at.empty()) return false;
  return at[0] == u'*' || at[0] == u'+' || at[0] == u'?' ||
         (at[0] == u'{' && is_counted_quantifier(at));
}

// What follows ?: ?= ?! ?> ?<= ?<! or ?<name> of a group.
u16string_view without_group_prefix(u16string_view body) {
  for (const u16string_view prefix : {u"?:", u"?=", u"?!", u"?>", u"?<=", u"?<!"}) {
    if (body.starts_with(prefix)) return body.substr(prefix.size());
  }
  if (body.starts_with(u"?<")) {
    const std::size_t close = body.find(u'>');
    if (close != body.npos) return body.substr(close + 1);
  }
  return body;
}

bool has_overlapping_alternatives(u16string_view body) {
  body = without_group_prefix(body);
  std::vector<u16string_view> alternatives;
  std::size_t groups = 0;
  std::size_t start = 0;
  Plain plain(body);
  for (std::size_t at = plain.next(); at < body.size(); at = plain.next()) {
    if (body[at] == u'(') {
      ++groups;
    } else if (body[at] == u')') {
      if (groups > 0) --groups;
    } else if (body[at] == u'|' && groups == 0) {
      alternatives.push_back(body.substr(start, at - start));
      start = at + 1;
    }
  }
  if (alternatives.empty()) return false;
  alternatives.push_back(body.substr(start));
  // Sorted, whatever begins with an alternative stands right behind it.
  std::ranges::sort(alternatives);
  for (std::size_t i = 1; i < alternatives.size(); ++i) {
    if (alternatives[i].starts_with(alternatives[i - 1])) return true;
  }
  return false;
}

}  // namespace

bool is_safe_regexp_pattern(std::string_view pattern_text) {
  const std::u16string text = to_utf16(pattern_text);
  const u16string_view pattern = text;
  struct Group {
    std::size_t start;
    bool has_quantifier;
  };
  std::vector<Group> groups;
  Plain plain(pattern);
  for (std::size_t at = plain.next(); at < pattern.size(); at = plain.next()) {
    if (pattern[at] == u'(') {
      groups.push_back({at + 1, false});
    } else if (pattern[at] == u')') {
      if (groups.empty()) continue;
      const Group closed = groups.back();
      groups.pop_back();
      if (begins_with_quantifier(pattern.substr(at + 1)) &&
          (closed.has_quantifier ||
           has_overlapping_alternatives(pattern.substr(closed.start, at - closed.start)))) {
        return false;
      }
      if (closed.has_quantifier && !groups.empty()) groups.back().has_quantifier = true;
    } else if (!groups.empty() && begins_with_quantifier(pattern.substr(at)) &&
               // The ? of (?: and its kin.
               !(pattern[at] == u'?' && pattern[at - 1] == u'(')) {
      groups.back().has_quantifier = true;
    }
  }
  return true;
}

bool are_regexp_flags(std::string_view flags) {
  constexpr std::string_view known = "dgimsuvy";
  for (std::size_t i = 0; i < flags.size(); ++i) {
    // More than eight hold one twice, so this takes few steps.
    if (i >= known.size() || !known.contains(flags[i]) || flags.substr(0, i).contains(flags[i])) {
      return false;
    }
  }
  return true;
}

std::string sorted_regexp_flags(std::string_view flags) {
  std::string sorted(flags);
  std::ranges::sort(sorted);
  return sorted;
}

std::string regexp_source_of(std::string_view pattern) {
  if (pattern.empty()) return "(?:)";
  if (pattern.find_first_of("/\n\r\xe2") == pattern.npos) return std::string(pattern);
  std::string source;
  bool escaped = false;
  bool in_class = false;
  const auto line_end = [&](std::string_view letters) {
    // An escaped line end is one backslash too, that of its escape.
    if (!escaped) source += '\\';
    source += letters;
    escaped = false;
  };
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const std::string_view rest = pattern.substr(at);
    const char c = pattern[at];
    if (c == '\n') {
      line_end("n");
    } else if (c == '\r') {
      line_end("r");
    } else if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) {
      line_end(rest[2] == '\xa8' ? "u2028" : "u2029");
      at += 2;
    } else {
      if (escaped) {
        escaped = false;
      } else {
        if (c == '/' && !in_class) source += '\\';
        if (c == '[') in_class = true;
        if (c == ']') in_class = false;
        escaped = c == '\\';
      }
      source += c;
    }
  }
  return source;
}

}  // namespace cordon::rich
