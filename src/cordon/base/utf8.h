#pragma once

// UTF-8 and WTF-8.
//
// JavaScript strings are UTF-16 that may hold lone surrogates. WTF-8 writes them as UTF-8 in which
// a lone surrogate is its three bytes (ED A0 80 … ED BF BF); a surrogate pair is always the four
// bytes of its code point, never two times three. So each JavaScript string has exactly one WTF-8
// form.

#include <cstddef>
#include <string>
#include <string_view>

namespace cordon {

// The length of the longest well-formed prefix; text.size() if all of the text is well formed.
std::size_t valid_utf8_prefix(std::string_view text);
std::size_t valid_wtf8_prefix(std::string_view text);

inline bool is_utf8(std::string_view text) { return valid_utf8_prefix(text) == text.size(); }
inline bool is_wtf8(std::string_view text) { return valid_wtf8_prefix(text) == text.size(); }

// The first `max_bytes` of the text, without a character that would be cut in two.
std::string_view cut_before(std::string_view text, std::size_t max_bytes);

// Replaces each maximal part that is not well formed by U+FFFD, as TextDecoder does.
std::string to_utf8_lossy(std::string_view text);
std::string to_wtf8_lossy(std::string_view text);

// Writes one code point, a surrogate too, and returns the end; up to four bytes.
char* write_code_point(char* out, char32_t code_point);

// Appends WTF-8 to WTF-8, joining a high surrogate at the end with a low one at the start.
void append_wtf8(std::string& text, std::string_view more);

// The results of JavaScript's `length` and `slice(0, units)`. The text is well-formed WTF-8.
std::size_t utf16_length(std::string_view wtf8);
std::string first_utf16_units(std::string_view wtf8, std::size_t units);

}  // namespace cordon
