#include "cordon/transport/http/body_writer.h"

#include <algorithm>
#include <utility>

#include "cordon/base/bytes.h"

namespace cordon::transport::http {

// What a source answers to. It outlives the writer where the source is slower.
struct BodyWriter::Reading {
  BodyWriter* writer;  // null once nobody waits any more
};

BodyWriter::BodyWriter(std::vector<HttpBodyPart> parts, std::shared_ptr<LoopInbox> inbox,
                       std::function<void()> on_ready)
    : parts_(std::move(parts)), inbox_(std::move(inbox)), on_ready_(std::move(on_ready)) {
  for (const HttpBodyPart& part : parts_) {
    const auto* const text = std::get_if<std::string>(&part);
    const std::optional<std::uint64_t> bytes =
        text != nullptr ? text->size() : std::get<SourcePart>(part).bytes;
    if (!bytes) length_.reset();
    if (length_) *length_ += *bytes;
  }
}

BodyWriter::~BodyWriter() { close(); }

BodyWriter::Status BodyWriter::prepare() {
  while (front_.empty()) {
    if (is_failed_) return Status::failed;
    if (index_ == parts_.size()) return Status::done;
    if (reading_ != nullptr) return Status::waiting;
    if (const auto* const text = std::get_if<std::string>(&parts_[index_])) {
      if (!std::exchange(has_begun_part_, true)) {
        front_ = as_bytes(*text);
      } else {
        close_part();
      }
      continue;
    }
    const SourcePart& part = std::get<SourcePart>(parts_[index_]);
    if (!std::exchange(has_begun_part_, true)) left_ = part.bytes;
    if (left_ == 0) {
      close_part();
      continue;
    }
    reading_ = std::make_shared<Reading>(this);
    is_asking_ = true;
    const std::shared_ptr<ByteSource> source = part.source;
    source->read([reading = reading_, inbox = inbox_](Result<Bytes> piece) {
      if (inbox->is_here()) {
        if (reading->writer != nullptr) reading->writer->take(std::move(piece));
        return;
      }
      inbox->post([reading, piece = std::move(piece)]() mutable {
        if (reading->writer != nullptr) reading->writer->take(std::move(piece));
      });
    });
    is_asking_ = false;
  }
  return Status::ready;
}

void BodyWriter::take(Result<Bytes> piece) {
  std::exchange(reading_, nullptr)->writer = nullptr;
  if (!piece) {
    fail("the body could not be read: " + piece.error().message);
  } else if (piece->empty()) {
    if (left_.value_or(0) > 0) {
      fail("the body ended " + std::to_string(*left_) + " bytes before its length");
    } else {
      close_part();
    }
  } else {
    piece_ = *std::move(piece);
    front_ = piece_;
    if (left_) {
      front_ =
          front_.first(static_cast<std::size_t>(std::min<std::uint64_t>(*left_, front_.size())));
      *left_ -= front_.size();
    }
  }
  if (!is_asking_) on_ready_();
}

void BodyWriter::fail(std::string message) {
  is_failed_ = true;
  error_ = {.why = HttpFailure::body_failed, .message = std::move(message), .was_sent = true};
}

void BodyWriter::close_part() {
  if (auto* const part = std::get_if<SourcePart>(&parts_[index_])) {
    const std::shared_ptr<ByteSource> source = std::exchange(part->source, nullptr);
    if (source != nullptr) source->close();
  }
  ++index_;
  has_begun_part_ = false;
}

void BodyWriter::close() {
  if (reading_ != nullptr) std::exchange(reading_, nullptr)->writer = nullptr;
  front_ = {};
  while (index_ < parts_.size()) close_part();
}

}  // namespace cordon::transport::http
