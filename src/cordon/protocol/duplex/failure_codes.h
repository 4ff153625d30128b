#pragma once

// The words of duplex-rpc's users for what can go wrong with a call: the failure list of the
// specification, and what a host adds to it.

#include <string_view>

#include "cordon/error.h"

namespace cordon::duplex {

// "function_error" where the function failed, "bad_frame" where the guest broke the protocol.
std::string_view code_text(const Error& error);

}  // namespace cordon::duplex
