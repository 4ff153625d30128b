#include "cordon/server/metrics_text.h"

#include <charconv>
#include <iterator>

namespace cordon::server {

void MetricsText::head(std::string_view name, std::string_view type, std::string_view help) {
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
  text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void MetricsText::line(std::string_view name, std::string_view labels, std::uint64_t value) {
  put(name, labels, std::to_string(value));
}

void MetricsText::line(std::string_view name, std::string_view labels, double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, std::end(buffer), value, std::chars_format::fixed, 6);
  put(name, labels, {buffer, end.ptr});
}

void MetricsText::put(std::string_view name, std::string_view labels, std::string_view value) {
  text_.append(name);
  if (!labels.empty()) text_.append("{").append(labels).append("}");
  text_.append(" ").append(value).append("\n");
}

std::string label(std::string_view name, std::string_view value) {
  std::string text = std::string(name) + "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text + "\"";
}

}  // namespace cordon::server
