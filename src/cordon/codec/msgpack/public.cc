#include "cordon/codec/msgpack/decode.h"
#include "cordon/codec/msgpack/encode.h"
#include "cordon/msgpack.h"

namespace cordon {

Result<Value> from_msgpack(BytesView bytes) {
  return msgpack::decode(bytes, {.other_keys = msgpack::OtherKeys::text,
                                 .extensions = msgpack::Extensions::timestamp});
}

Result<Bytes> to_msgpack(const ValueView& value) {
  return msgpack::encode(value, {.extensions = msgpack::Extensions::timestamp});
}

}  // namespace cordon
