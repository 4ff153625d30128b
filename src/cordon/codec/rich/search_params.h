#pragma once

// URLSearchParams: the pairs of a query, as the URL standard reads and writes them.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cordon::rich {

using SearchParams = std::vector<std::pair<std::string, std::string>>;

// A leading ? is skipped; bytes that are not UTF-8 and lone surrogates become U+FFFD.
SearchParams search_params_from_text(std::string_view text);

// `new URLSearchParams(text).toString()`.
std::string normal_search_params(std::string_view text);

}  // namespace cordon::rich
