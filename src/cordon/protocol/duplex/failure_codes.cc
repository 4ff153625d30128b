#include "cordon/protocol/duplex/failure_codes.h"

#include <array>

namespace cordon::duplex {
namespace {

// Codes that have another name in duplex-rpc. All others keep their names.
struct Word {
  ErrorCode code;
  std::string_view text;
};
constexpr std::array words = {
    Word{ErrorCode::tool_error, "function_error"},
    Word{ErrorCode::io, "stream_error"},
    Word{ErrorCode::invalid_argument, "invalid_params"},
    Word{ErrorCode::validation_error, "invalid_result"},
};

}  // namespace

std::string_view code_text(const Error& error) {
  if (!error.own_code.empty()) return error.own_code;
  for (const Word& word : words)
    if (word.code == error.code) return word.text;
  return name_of(error.code);
}

}  // namespace cordon::duplex
