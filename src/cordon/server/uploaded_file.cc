#include "cordon/server/uploaded_file.h"

#include <utility>

#include "cordon/server/tunnel_upload.h"

namespace cordon::server {

void UploadedFile::read(Next next) {
  if (is_closed_) return next(fail(ErrorCode::cancelled, "the file was closed"));
  if (!kept_.empty()) {
    Bytes piece = std::move(kept_.front());
    kept_.pop_front();
    kept_bytes_ -= piece.size();
    kept_charge_.give_back(piece.size());
    ask_for_more();
    return next(std::move(piece));
  }
  if (spill_.unread_bytes() > 0) {
    Result<Bytes> piece = spill_.take();
    ask_for_more();
    return next(std::move(piece));
  }
  if (error_) return next(fail(*error_));
  if (has_ended_) return next(Bytes());
  if (upload_ == nullptr) return next(fail(ErrorCode::closed, "the request is over"));
  pending_ = std::move(next);
  ask_for_more();
}

void UploadedFile::close() {
  is_closed_ = true;
  kept_.clear();
  kept_bytes_ = 0;
  kept_charge_.reset();
  if (pending_) answer(fail(ErrorCode::cancelled, "the file was closed"));
  ask_for_more();
}

void UploadedFile::give(BytesView bytes) {
  if (pending_) return answer(Bytes(bytes.begin(), bytes.end()));
  kept_.emplace_back(bytes.begin(), bytes.end());
  kept_bytes_ += bytes.size();
}

Result<> UploadedFile::spill(BytesView bytes) { return spill_.append(bytes); }

void UploadedFile::finish() {
  has_ended_ = true;
  if (pending_) answer(Bytes());
}

void UploadedFile::fail_with(Error error) {
  if (has_ended_ || error_) return;
  error_ = std::move(error);
  if (pending_) answer(fail(*error_));
}

void UploadedFile::answer(Result<Bytes> piece) {
  const Next next = std::exchange(pending_, {});
  next(std::move(piece));
}

void UploadedFile::ask_for_more() {
  if (upload_ != nullptr) upload_->on_demand();
}

}  // namespace cordon::server
