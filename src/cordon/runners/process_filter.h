#pragma once

// What a jailed process may not ask of the kernel. Each call is refused with an error that programs
// know, so that they say what is wrong or do without.

#include <cstdint>
#include <linux/filter.h>
#include <vector>

namespace cordon::runners {

// Who keeps files from being opened for writing: the filter cannot tell a file from a device such
// as /dev/null.
enum class OpeningForWriting : std::uint8_t { left_to_landlock, refused };

std::vector<sock_filter> make_process_filter(OpeningForWriting opening);

}  // namespace cordon::runners
