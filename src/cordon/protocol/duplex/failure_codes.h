#pragma once

// The names of failures in duplex-rpc: the list of the specification, and what a host adds to it.

#include <string_view>

#include "cordon/error.h"

namespace cordon::duplex {

// "function_error" if the function failed, "bad_frame" if the guest broke the protocol.
std::string_view code_text(const Error& error);

}  // namespace cordon::duplex
