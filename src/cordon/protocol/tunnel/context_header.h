#pragma once

// `x-runner-context`: what the client's asynchronous contexts hold, as a serialized map of ids to
// texts, each again a serialized value.

#include <span>
#include <string>
#include <string_view>

#include "cordon/codec/rich/serializer.h"
#include "cordon/value.h"

namespace cordon::tunnel {

// An object with those of `ids` that the header has. An entry that is no text, or whose text cannot
// be read, is left out; so is everything where the header itself cannot be read.
Value contexts_of(const rich::Serializer& serializer, std::string_view header,
                  std::span<const std::string> ids, const rich::ParseOptions& options = {});

}  // namespace cordon::tunnel
