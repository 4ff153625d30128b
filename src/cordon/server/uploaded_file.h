#pragma once

// One file of an upload: what has come and was not read, and who waits for more.

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "cordon/base/budget.h"
#include "cordon/byte_source.h"
#include "cordon/server/spill_file.h"

namespace cordon::server {

class Upload;

class UploadedFile final : public ByteSource {
 public:
  // `memory` is what it may keep bytes in.
  UploadedFile(Upload& upload, std::shared_ptr<Budget> memory)
      : upload_(&upload), kept_charge_(std::move(memory)) {}

  void read(Next next) override;
  void close() override;

  // Only the upload uses these; the file may outlive it.
  bool is_wanted() const { return !is_closed_; }
  bool is_waited_for() const { return static_cast<bool>(pending_); }
  bool has_spilled() const { return spill_.unread_bytes() > 0; }
  std::size_t kept_bytes() const { return kept_bytes_; }
  // Call it before you give bytes that no reader waits for. False if there is no room.
  bool take_room(std::size_t bytes) { return kept_charge_.add(bytes); }
  void give(BytesView bytes);  // to who waits, or into memory
  Result<> spill(BytesView bytes);
  void finish();  // no more comes
  void fail_with(Error error);
  void part_from_upload() { upload_ = nullptr; }

 private:
  void answer(Result<Bytes> piece);
  void ask_for_more();

  Upload* upload_;
  Next pending_ = {};
  std::deque<Bytes> kept_ = {};
  std::size_t kept_bytes_ = 0;
  Charge kept_charge_;
  SpillFile spill_;
  std::optional<Error> error_ = {};
  bool has_ended_ = false;
  bool is_closed_ = false;
};

}  // namespace cordon::server
