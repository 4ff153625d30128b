#pragma once

// Finds out which message a text is without reading it whole: `type`, `id` and `callId` of a JSON
// object.
//
// A message that is too large, too deep or not quite UTF-8 is not read, but its sender waits for an
// answer to it. The text may come in any pieces, and only those three members are kept.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cordon::execbox {

struct Envelope {
  std::string type;
  std::optional<std::string> id;
  std::optional<std::string> call_id;
};

class EnvelopeScanner {
 public:
  void feed(std::string_view text);
  // Returns nothing if the text was not a complete object with a type. Call it once, at the end.
  std::optional<Envelope> finish();

 private:
  enum class Place : std::uint8_t { before, key, colon, value, comma, after, broken };

  void take(char c);
  void take_in_string(char c);
  void take_outside(char c);
  void string_ended();
  void open();
  void close();

  Place place_ = Place::before;  // in the outermost object
  std::size_t depth_ = 0;        // objects and arrays that are open
  bool in_string_ = false;
  bool escaped_ = false;
  bool keeps_ = false;  // the string is one of those looked for, or a key
  std::string kept_;    // the string as it is written, with its quotes
  std::string key_;     // the key of the current member
  Envelope envelope_;
};

}  // namespace cordon::execbox
