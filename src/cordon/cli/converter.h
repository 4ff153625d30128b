#pragma once

// One payload from a format to another: what `cordon convert` does between its streams.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cordon/codec/rich/serializer.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::cli {

enum class Format : std::uint8_t { runner, json, msgpack };

struct ConverterOptions {
  Format from = Format::json;
  Format to = Format::json;
  bool graph = false;          // Runner text that keeps shared nodes and cycles
  rich::Options serializer{};  // its depth and layout hold for the other formats too
};

class Converter {
 public:
  // Borrows the oracle.
  Converter(const ConverterOptions& options, const rich::RegExpOracle& regexps);

  // Bytes or text to bytes or text, without a line end. The error's detail tells the reason, and
  // the position in the payload or the place in the value. `regexps` is asked for the patterns of
  // this payload, if it is there.
  Result<std::string> convert(std::string_view payload,
                              const rich::RegExpOracle* regexps = nullptr) const;

 private:
  Result<Value> read(std::string_view payload, const rich::RegExpOracle* regexps) const;
  Result<std::string> write(const Value& value) const;
  std::size_t max_containers() const;

  ConverterOptions options_;
  rich::Serializer serializer_;
};

// Lower-case digits, two a byte. Back again, blanks around it are ignored.
std::string to_hex(std::string_view bytes);
Result<std::string> from_hex(std::string_view text);

}  // namespace cordon::cli
