#include "cordon/codec/rich/url.h"

#include <cstddef>

#include <ada.h>

namespace cordon::rich {

std::optional<std::string> href_of_url(std::string_view text) {
  const auto url = ada::parse<ada::url_aggregator>(scalar_values(text));
  if (!url) return std::nullopt;
  return std::string(url->get_href());
}

std::string scalar_values(std::string_view wtf8) {
  std::string out(wtf8);
  // ED A0 80 … ED BF BF; U+FFFD takes three bytes too.
  for (std::size_t at = out.find('\xed'); at != out.npos; at = out.find('\xed', at + 3)) {
    if (static_cast<unsigned char>(out[at + 1]) >= 0xa0) out.replace(at, 3, "\xef\xbf\xbd");
  }
  return out;
}

}  // namespace cordon::rich
