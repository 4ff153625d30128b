#pragma once

// The bodies of requests that are not in memory.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>

#include "cordon/base/descriptor.h"
#include "cordon/byte_source.h"
#include "cordon/result.h"
#include "cordon/transport/http/http_request.h"

namespace cordon::transport::http {

// What can be read from a descriptor: a file, a pipe, a terminal. It waits without a thread; the
// descriptor's own flags stay as they are. On the thread of `io`.
std::shared_ptr<ByteSource> descriptor_source(boost::asio::io_context& io, Descriptor descriptor);

// How much a regular file has from where it stands. Nothing for what has no size before it is read:
// a pipe, and a file that says it is empty and is not, as those of /proc.
std::optional<std::uint64_t> known_length(int descriptor);

// A regular file with its size as it is now, or anything else that can be opened and read.
// ErrorCode::not_found, permission_denied or io; the message names no path.
Result<SourcePart> file_part(boost::asio::io_context& io, const std::string& path);

}  // namespace cordon::transport::http
