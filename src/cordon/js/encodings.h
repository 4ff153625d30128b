#pragma once

// The labels and indexes of the Encoding Standard. A guest's TextDecoder asks for those that it
// needs, so that no snapshot has to hold them. They are data of the program (tools/encodings.sh):
//
//   u8 count of encodings; each: u8 kind, u8 first table, u8 second table (255: none), u8 size and
//   name, u8 count of labels; each: u8 size and text
//   u8 count of tables; each: u32 size and bytes
//
// guest/web/decoders.c says what the kinds are and reads the tables.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cordon::js {

// The kind, the two tables and the name of the encoding that has this label, which is in lower
// case and has no blanks around it.
std::optional<std::string> encoding_of(std::string_view label);

std::optional<std::string> encoding_table(std::uint8_t number);

}  // namespace cordon::js
