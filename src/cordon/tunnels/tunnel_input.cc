#include <array>
#include <filesystem>
#include <utility>

#include "cordon/base/random.h"
#include "cordon/protocol/tunnel/outgoing_form.h"
#include "cordon/protocol/tunnel/request_id.h"
#include "cordon/tunnel_client.h"

namespace cordon {

TunnelInput TunnelInput::from_stream(std::shared_ptr<ByteSource> stream,
                                     std::optional<std::uint64_t> bytes) {
  TunnelInput input;
  input.stream = std::move(stream);
  input.stream_bytes = bytes;
  return input;
}

Value TunnelInput::add(TunnelFile file) {
  std::array<std::uint8_t, 16> random{};
  // Unique within the input is enough, should the system have no randomness.
  if (!fill_with_randomness(random)) random[0] = static_cast<std::uint8_t>(files_.size());
  tunnel::OutgoingFile described{
      .id = tunnel::uuid_text(random), .name = file.name, .type = file.type, .bytes = file.bytes};
  if (const auto* const bytes = std::get_if<Bytes>(&file.content)) {
    described.bytes = bytes->size();
  } else if (const auto* const path = std::get_if<TunnelFile::Path>(&file.content)) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path->path, error);
    if (!error) described.bytes = size;
  }
  Value placeholder = tunnel::file_placeholder(described, file.extra);
  files_.push_back({std::move(described.id), std::move(file)});
  return placeholder;
}

}  // namespace cordon
