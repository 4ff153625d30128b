#include "cordon/protocol/duplex/messages.h"

#include <cstdint>
#include <utility>

#include "cordon/base/bytes.h"
#include "cordon/codec/msgpack/decode.h"
#include "cordon/codec/msgpack/encode.h"
#include "cordon/codec/msgpack/format.h"
#include "cordon/protocol/duplex/frame_reader.h"

namespace cordon::duplex {
namespace {

// In the order of the variant: a message's index is its type.
enum Type : std::uint8_t {
  function_call,
  function_response,
  function_error,
  stream_chunk,
  stream_end,
  stream_error,
};

std::unexpected<Error> undecodable(const Error& error) {
  switch (error.code) {
    case ErrorCode::unsupported:
    case ErrorCode::invalid_utf8:
      return fail(ErrorCode::bad_message, error.message);
    case ErrorCode::too_deep:
    case ErrorCode::too_large:
      return fail(ErrorCode::too_large, error.message);
    default:
      return fail(ErrorCode::bad_frame, error.message);
  }
}

// Looks at the fields of one message.
class Fields {
 public:
  Fields(const Value& message, const Limits& limits) : message_(message), limits_(limits) {}

  Result<std::string> name(std::string_view key) const {
    const ValueView field = message_.find(key);
    if (!field.is_string()) return wrong(key, "a string", field);
    if (field.as_string().size() > limits_.name_bytes) {
      return fail(ErrorCode::too_large, "the field `" + std::string(key) + "` has " +
                                            std::to_string(field.as_string().size()) + " bytes");
    }
    return std::string(field.as_string());
  }

  Result<std::string> text(std::string_view key) const {
    const ValueView field = message_.find(key);
    if (!field.is_string()) return wrong(key, "a string", field);
    return std::string(field.as_string());
  }

  Value value(std::string_view key) const { return message_.share(message_.find(key)); }
  bool has(std::string_view key) const { return message_.contains(key); }

  std::unexpected<Error> wrong(std::string_view key, std::string_view expected,
                               const ValueView& found) const {
    std::string detail = "the field `" + std::string(key) + "` should be " + std::string(expected);
    detail += has(key) ? ", and is " + debug_text(found) : ", and is not there";
    return fail(ErrorCode::bad_message, std::move(detail));
  }

 private:
  const Value& message_;
  const Limits& limits_;
};

template <class T>
Result<Message> with_error(std::string id, const Fields& fields) {
  Result<std::string> error = fields.text("error");
  if (!error) return std::unexpected(std::move(error).error());
  return T{std::move(id), *std::move(error)};
}

Result<Message> read_call(std::string id, const Fields& fields, const ValueView& message) {
  Result<std::string> name = fields.name("functionName");
  if (!name) return std::unexpected(std::move(name).error());
  bool expects_response = true;
  if (fields.has("expectsResponse")) {
    const ValueView field = message.find("expectsResponse");
    if (!field.is_bool()) return fields.wrong("expectsResponse", "a boolean", field);
    expects_response = field.as_bool();
  }
  return FunctionCall{std::move(id), *std::move(name), fields.value("params"), expects_response};
}

// Writes one frame, and takes it back if it does not come to its end: by an error, or out of memory
// in the middle of it. The next frame would be part of it otherwise.
class FrameWriter {
 public:
  FrameWriter(Bytes& out, const Limits& limits) : out_(out), start_(out.size()), limits_(limits) {}
  ~FrameWriter() {
    if (!is_whole_) out_.resize(start_);
  }
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  // Call it first. `fields` is the number of fields without `type`.
  void begin(Type type, std::uint8_t fields) {
    out_.resize(start_ + frame_head_bytes);
    out_.push_back(static_cast<std::uint8_t>(msgpack::fixmap | (fields + 1)));
    text("type");
    out_.push_back(type);
  }

  void text(std::string_view text) {
    if (text.size() < 32) {
      out_.push_back(static_cast<std::uint8_t>(msgpack::fixstr | text.size()));
    } else {
      out_.push_back(msgpack::str32);
      big_endian(static_cast<std::uint32_t>(text.size()));
    }
    out_.insert(out_.end(), text.begin(), text.end());
  }

  void field(std::string_view key, std::string_view content) {
    text(key);
    text(content);
  }

  void boolean(std::string_view key, bool content) {
    text(key);
    out_.push_back(content ? msgpack::true_ : msgpack::false_);
  }

  Result<> value(std::string_view key, const ValueView& content) {
    text(key);
    const msgpack::EncodeOptions options{.max_bytes = limits_.frame_bytes,
                                         .max_depth = limits_.nesting,
                                         .not_finite = msgpack::NotFinite::refused};
    return msgpack::encode_to(out_, content, options);
  }

  Result<> finish() {
    const std::size_t size = out_.size() - start_ - frame_head_bytes;
    if (size > limits_.frame_bytes || size > UINT32_MAX) {
      return fail(ErrorCode::too_large, "a message of " + std::to_string(size) + " bytes, where " +
                                            std::to_string(limits_.frame_bytes) + " are allowed");
    }
    out_[start_] = protocol_version;
    for (std::size_t i = 0; i < 4; ++i) {
      out_[start_ + 1 + i] = static_cast<std::uint8_t>(size >> (24 - 8 * i));
    }
    is_whole_ = true;
    return {};
  }

 private:
  void big_endian(std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      out_.push_back(static_cast<std::uint8_t>(number >> shift));
    }
  }

  Bytes& out_;
  std::size_t start_;
  const Limits& limits_;
  bool is_whole_ = false;
};

Result<> write_with_value(Bytes& out, Type type, std::string_view id, std::string_view key,
                          const ValueView& value, const Limits& limits) {
  const bool is_there = !value.is_undefined() || type == stream_chunk;
  FrameWriter frame(out, limits);
  frame.begin(type, is_there ? 2 : 1);
  frame.field("id", id);
  if (is_there) CORDON_TRY(frame.value(key, value));
  return frame.finish();
}

Result<> write_with_error(Bytes& out, Type type, std::string_view id, std::string_view error,
                          const Limits& limits) {
  FrameWriter frame(out, limits);
  frame.begin(type, 2);
  frame.field("id", id);
  frame.field("error", error);
  return frame.finish();
}

}  // namespace

Result<Message> read_message(BytesView payload, const Limits& limits,
                             std::shared_ptr<Budget> budget) {
  const msgpack::DecodeOptions options{.max_bytes = limits.frame_bytes,
                                       .max_depth = limits.nesting + 1,
                                       .other_keys = msgpack::OtherKeys::refused,
                                       .duplicate_keys = msgpack::DuplicateKeys::refused,
                                       .not_finite = msgpack::NotFinite::refused,
                                       .budget = std::move(budget)};
  const Result<Value> decoded = msgpack::decode(payload, options);
  if (!decoded) return undecodable(decoded.error());
  const Value& message = *decoded;
  if (!message.is_object()) {
    return fail(ErrorCode::bad_message, "a message is a map, and not " + debug_text(message));
  }
  const Fields fields(message, limits);
  const ValueView type = message.find("type");
  const Result<std::uint8_t> number = type.as<std::uint8_t>();
  if (!number || *number > stream_error) return fields.wrong("type", "0 to 5", type);
  Result<std::string> id = fields.name("id");
  if (!id) return std::unexpected(std::move(id).error());

  switch (static_cast<Type>(*number)) {
    case function_call:
      return read_call(*std::move(id), fields, message);
    case function_response:
      return FunctionResponse{*std::move(id), fields.value("result")};
    case function_error:
      return with_error<FunctionError>(*std::move(id), fields);
    case stream_chunk:
      if (!fields.has("chunk")) return fields.wrong("chunk", "any value", {});
      return StreamChunk{*std::move(id), fields.value("chunk")};
    case stream_end:
      return StreamEnd{*std::move(id)};
    case stream_error:
      return with_error<StreamError>(*std::move(id), fields);
  }
  std::unreachable();
}

Result<> write_function_call(Bytes& out, std::string_view id, std::string_view function_name,
                             const ValueView& params, bool expects_response, const Limits& limits) {
  const bool has_params = !params.is_undefined();
  const int fields = 2 + (has_params ? 1 : 0) + (expects_response ? 0 : 1);
  FrameWriter frame(out, limits);
  frame.begin(function_call, static_cast<std::uint8_t>(fields));
  frame.field("id", id);
  frame.field("functionName", function_name);
  if (has_params) CORDON_TRY(frame.value("params", params));
  if (!expects_response) frame.boolean("expectsResponse", false);
  return frame.finish();
}

Result<> write_function_response(Bytes& out, std::string_view id, const ValueView& result,
                                 const Limits& limits) {
  return write_with_value(out, function_response, id, "result", result, limits);
}

Result<> write_function_error(Bytes& out, std::string_view id, std::string_view error,
                              const Limits& limits) {
  return write_with_error(out, function_error, id, error, limits);
}

Result<> write_stream_chunk(Bytes& out, std::string_view id, const ValueView& chunk,
                            const Limits& limits) {
  return write_with_value(out, stream_chunk, id, "chunk", chunk, limits);
}

Result<> write_stream_end(Bytes& out, std::string_view id, const Limits& limits) {
  FrameWriter frame(out, limits);
  frame.begin(stream_end, 1);
  frame.field("id", id);
  return frame.finish();
}

Result<> write_stream_error(Bytes& out, std::string_view id, std::string_view error,
                            const Limits& limits) {
  return write_with_error(out, stream_error, id, error, limits);
}

Result<> write_message(Bytes& out, const Message& message, const Limits& limits) {
  struct Write {
    Bytes& out;
    const Limits& limits;
    Result<> operator()(const FunctionCall& m) const {
      return write_function_call(out, m.id, m.function_name, m.params, m.expects_response, limits);
    }
    Result<> operator()(const FunctionResponse& m) const {
      return write_function_response(out, m.id, m.result, limits);
    }
    Result<> operator()(const FunctionError& m) const {
      return write_function_error(out, m.id, m.error, limits);
    }
    Result<> operator()(const StreamChunk& m) const {
      return write_stream_chunk(out, m.id, m.chunk, limits);
    }
    Result<> operator()(const StreamEnd& m) const { return write_stream_end(out, m.id, limits); }
    Result<> operator()(const StreamError& m) const {
      return write_stream_error(out, m.id, m.error, limits);
    }
  };
  return std::visit(Write{out, limits}, message);
}

}  // namespace cordon::duplex
