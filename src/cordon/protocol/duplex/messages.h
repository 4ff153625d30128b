#pragma once

// The six messages of duplex-rpc, from and to the payload of a frame. Both sides send all of them.

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "cordon/base/budget.h"
#include "cordon/bytes.h"
#include "cordon/protocol/duplex/limits.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon::duplex {

struct FunctionCall {
  std::string id;
  std::string function_name;
  Value params = {};  // undefined where there are none
  bool expects_response = true;
};

struct FunctionResponse {
  std::string id;
  Value result = {};  // undefined where there is none
};

struct FunctionError {
  std::string id;
  std::string error;
};

struct StreamChunk {
  std::string id;
  Value chunk;
};

struct StreamEnd {
  std::string id;
};

struct StreamError {
  std::string id;
  std::string error;
};

using Message = std::variant<FunctionCall, FunctionResponse, FunctionError, StreamChunk, StreamEnd,
                             StreamError>;

// Reads a payload. What is no MessagePack is `bad_frame`. An extension, a number that is not
// finite, a text that is not UTF-8, a map with a key that is no text or with one key twice, and
// what the schema does not allow are `bad_message`. What the budget does not cover is `too_large`.
// Unknown fields are ignored, and integers are exact over all 64 bits. A lone surrogate, as
// JavaScript's encoders write it, passes as text.
Result<Message> read_message(BytesView payload, const Limits& limits,
                             std::shared_ptr<Budget> budget = {});

// Appends a frame. The value's errors name its place; after a failure `out` is as before.
Result<> write_function_call(Bytes& out, std::string_view id, std::string_view function_name,
                             const ValueView& params, bool expects_response, const Limits& limits);
Result<> write_function_response(Bytes& out, std::string_view id, const ValueView& result,
                                 const Limits& limits);
Result<> write_stream_chunk(Bytes& out, std::string_view id, const ValueView& chunk,
                            const Limits& limits);
Result<> write_function_error(Bytes& out, std::string_view id, std::string_view error,
                              const Limits& limits);
Result<> write_stream_end(Bytes& out, std::string_view id, const Limits& limits);
Result<> write_stream_error(Bytes& out, std::string_view id, std::string_view error,
                            const Limits& limits);
Result<> write_message(Bytes& out, const Message& message, const Limits& limits);

}  // namespace cordon::duplex
