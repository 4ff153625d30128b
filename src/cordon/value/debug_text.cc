#include <ostream>

#include "cordon/base/number_text.h"
#include "cordon/base/utf8.h"
#include "cordon/value.h"

namespace cordon {
namespace {

constexpr std::size_t max_text = 400;
constexpr int deepest_level = 8;

class DebugWriter {
 public:
  // The recursion is bounded by the depth and by the length of the text, also for a cycle.
  void write(ValueView value, int level) {
    if (full()) return;
    if (level > deepest_level) {
      out_ += "…";
      return;
    }
    switch (value.kind()) {
      case Kind::undefined:
        out_ += value.is_hole() ? "<hole>" : "undefined";
        break;
      case Kind::null:
        out_ += "null";
        break;
      case Kind::boolean:
        out_ += value.as_bool() ? "true" : "false";
        break;
      case Kind::number:
        number(value.as_number());
        break;
      case Kind::string:
        quoted(value.as_string());
        break;
      case Kind::bigint:
        out_.append(value.bigint_text().substr(0, max_text)).append("n");
        break;
      case Kind::symbol:
        out_ += value.symbol_kind() == SymbolKind::global ? "Symbol.for" : "Symbol.";
        quoted(value.symbol_key());
        break;
      case Kind::date:
        out_ += "Date(";
        number(value.date_ms());
        out_ += ')';
        break;
      case Kind::regexp:
        out_.append("/").append(value.regexp_source().substr(0, max_text));
        out_.append("/").append(value.regexp_flags());
        break;
      case Kind::url:
        out_ += "URL ";
        quoted(value.url_text());
        break;
      case Kind::url_search_params:
        out_ += "URLSearchParams ";
        quoted(value.url_search_params_text());
        break;
      case Kind::array:
        list("[", value, "]", level);
        break;
      case Kind::set:
        list("Set{", value, "}", level);
        break;
      case Kind::object:
        fields("{", value.members(), level);
        break;
      case Kind::map:
        map(value, level);
        break;
      case Kind::error:
        out_.append(value.error_name().substr(0, max_text)).append(" ");
        quoted(value.error_message());
        if (!value.error_cause().is_hole()) {
          out_ += " cause ";
          write(value.error_cause(), level + 1);
        }
        if (!value.error_fields().empty()) fields(" {", value.error_fields(), level);
        break;
      default:
        bytes(value);
        break;
    }
  }

  std::string finish() {
    if (full()) {
      out_.resize(valid_wtf8_prefix(std::string_view(out_).substr(0, max_text)));
      out_ += "…";
    }
    return to_utf8_lossy(out_);
  }

 private:
  bool full() const { return out_.size() > max_text; }

  void number(double value) {
    NumberBuffer buffer;
    // -0 differs from 0 in a comparison, so a failed one must show it.
    if (value == 0 && 1 / value < 0) out_ += '-';
    out_ += number_to_text(value, buffer);
  }

  void quoted(std::string_view text) {
    out_ += '"';
    for (const char c : text.substr(0, max_text + 1)) {
      if (c == '"' || c == '\\') out_ += '\\';
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
        static constexpr char digits[] = "0123456789abcdef";
        out_.append("\\x");
        out_ += digits[static_cast<unsigned char>(c) >> 4];
        out_ += digits[static_cast<unsigned char>(c) & 15];
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  void list(const char* open, ValueView value, const char* close, int level) {
    out_ += open;
    const char* separator = "";
    for (const ValueView item : value.items()) {
      if (full()) return;
      out_ += std::exchange(separator, ", ");
      write(item, level + 1);
    }
    out_ += close;
  }

  void fields(const char* open, std::span<const Member> members, int level) {
    out_ += open;
    const char* separator = "";
    for (const auto& [key, value] : members) {
      if (full()) return;
      out_ += std::exchange(separator, ", ");
      quoted(key);
      out_ += ": ";
      write(value, level + 1);
    }
    out_ += '}';
  }

  void map(ValueView value, int level) {
    out_ += "Map{";
    const char* separator = "";
    for (const Entry& entry : value.entries()) {
      if (full()) return;
      out_ += std::exchange(separator, ", ");
      write(entry.key, level + 1);
      out_ += " => ";
      write(entry.value, level + 1);
    }
    out_ += '}';
  }

  void bytes(ValueView value) {
    const bool typed = value.kind() == Kind::typed_array;
    out_.append(typed ? name_of(value.element_type()) : name_of(value.kind())).append("<");
    static constexpr char digits[] = "0123456789abcdef";
    for (const std::uint8_t byte : value.as_bytes()) {
      if (full()) return;
      out_ += digits[byte >> 4];
      out_ += digits[byte & 15];
    }
    out_ += '>';
  }

  std::string out_;
};

}  // namespace

std::string debug_text(const ValueView& value) {
  DebugWriter writer;
  writer.write(value, 0);
  return writer.finish();
}

void PrintTo(const ValueView& value, std::ostream* out) { *out << debug_text(value); }
void PrintTo(const Value& value, std::ostream* out) { *out << debug_text(value); }
void PrintTo(const ValueAt& value, std::ostream* out) { *out << debug_text(value); }

}  // namespace cordon
