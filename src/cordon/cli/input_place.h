#pragma once

// Where a file goes in an input, as `--file PLACE=FILE` says it: a path of keys and indices.
//
//   .                the whole input
//   report           {"report": file}
//   pages.0.scan     {"pages": [{"scan": file}]}
//   a\.b             {"a.b": file}

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::cli {

struct InputPlace {
  std::vector<std::string> keys;  // none: the whole input

  // As it is written, for messages.
  std::string text() const;
};

// `\.` is a dot, `\=` an equals sign and `\\` a backslash, as parts of a key.
Result<InputPlace> parse_input_place(std::string_view text);

// The two halves of PLACE=FILE, at its first equals sign that is not escaped.
struct FileAtPlace {
  InputPlace place;
  std::string file;
};
Result<FileAtPlace> parse_file_at_place(std::string_view text);

// The index of an array that a key is, if it is one: digits.
std::optional<std::size_t> index_of(std::string_view key);

// An input with other values at its places. What is missing on the way is made: an array where an
// index follows, an object otherwise. What a place has already is replaced, and elements that an
// array lacks before an index are undefined. Fails where the way leads through a value that is
// neither an array nor an object, and where two places are one, or one is part of the other. The
// input is used up: it is changed where it is.
struct PlacedValue {
  InputPlace place;
  Value value;
};
Result<Value> with_values_at(Value&& input, const std::vector<PlacedValue>& placed);

}  // namespace cordon::cli
