#include "cordon/protocol/tunnel/multipart.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cordon/base/bytes.h"

namespace cordon::tunnel {

MultipartReader::MultipartReader(std::string_view boundary, const MultipartLimits& limits,
                                 std::shared_ptr<Budget> budget)
    : limits_(limits),
      delimiter_("\r\n--" + std::string(boundary)),
      field_charge_(std::move(budget)) {}

MultipartReader::Step MultipartReader::failed(MultipartFault fault) {
  state_ = State::failed;
  return std::unexpected(fault);
}

MultipartReader::Step MultipartReader::next(BytesView& piece) {
  if (std::exchange(file_is_too_large_, false)) return failed(MultipartFault::file_too_large);
  for (;;) {
    switch (state_) {
      case State::preamble:
      case State::content: {
        Step step = take_content(piece);
        // Nothing to tell yet: what follows the delimiter may be in the same piece.
        if (step && std::holds_alternative<NeedMore>(*step) && !piece.empty()) continue;
        return step;
      }
      case State::after_delimiter:
      case State::closing:
      case State::padding:
      case State::line_end:
        while (!piece.empty() && state_ != State::head && state_ != State::epilogue) {
          if (!take_after_delimiter(static_cast<char>(piece.front())))
            return failed(MultipartFault::malformed);
          piece = piece.subspan(1);
        }
        if (piece.empty()) return NeedMore();
        continue;
      case State::head: {
        Step step = take_head(piece);
        if (step && std::holds_alternative<NeedMore>(*step) && !piece.empty()) continue;
        return step;
      }
      case State::epilogue:
        outside_bytes_ += piece.size();
        piece = {};
        if (outside_bytes_ > limits_.outside_bytes) return failed(MultipartFault::malformed);
        return NeedMore();
      case State::failed:
        return std::unexpected(MultipartFault::malformed);
    }
  }
}

// What follows a delimiter.

bool MultipartReader::take_after_delimiter(char c) {
  switch (state_) {
    case State::after_delimiter:
      if (c == '-') {
        state_ = State::closing;
        return true;
      }
      state_ = State::padding;
      [[fallthrough]];
    case State::padding:
      if (c == '\r') state_ = State::line_end;
      return c == '\r' || c == ' ' || c == '\t';
    case State::closing:
      state_ = State::epilogue;
      outside_bytes_ = 0;
      return c == '-';
    case State::line_end:
      state_ = State::head;
      head_.clear();
      return c == '\n';
    default:
      return false;
  }
}

// The headers of a part.

MultipartReader::Step MultipartReader::take_head(BytesView& piece) {
  constexpr std::string_view end = "\r\n\r\n";
  // No more than may be there, and what shows that there is too much.
  const std::size_t room = limits_.head_bytes + end.size() - head_.size();
  const std::size_t before = head_.size();
  const std::string_view more = as_text(piece.first(std::min(piece.size(), room)));
  head_ += more;
  if (head_.starts_with("\r\n")) return failed(MultipartFault::malformed);  // no headers at all
  const std::size_t from = before < end.size() ? 0 : before - end.size() + 1;
  const std::size_t at = head_.find(end, from);
  if (at == std::string::npos) {
    if (more.size() < piece.size() || head_.size() >= limits_.head_bytes + end.size())
      return failed(MultipartFault::malformed);
    piece = {};
    return NeedMore();
  }
  piece = piece.subspan(at + end.size() - before);
  head_.resize(at + 2);
  return begin_part();
}

MultipartReader::Step MultipartReader::begin_part() {
  std::optional<PartHead> head = parse_part_head(head_);
  if (!head) return failed(MultipartFault::malformed);
  part_ = *std::move(head);
  in_file_ = part_.is_file();
  field_.clear();
  field_charge_.reset();
  file_bytes_ = 0;
  state_ = State::content;
  held_.clear();
  if (in_file_) {
    if (++files_ > limits_.files) return failed(MultipartFault::too_many_files);
    return FileBegin{part_};
  }
  if (++fields_ > limits_.fields) return failed(MultipartFault::too_many_fields);
  return NeedMore();
}

// Content, up to the next delimiter.

MultipartReader::Step MultipartReader::take_content(BytesView& piece) {
  if (std::exchange(delimiter_seen_, false)) return end_part();
  if (piece.empty()) return NeedMore();

  if (!held_.empty()) {
    // A delimiter that began in what is held ends within this many bytes.
    const std::size_t enough = std::min(piece.size(), delimiter_.size() - 1);
    const std::size_t old_size = held_.size();
    held_ += as_text(piece.first(enough));
    const std::size_t at = held_.find(delimiter_);
    if (at != std::string::npos) {
      piece = piece.subspan(at + delimiter_.size() - old_size);
      given_ = std::exchange(held_, {}).substr(0, at);
      delimiter_seen_ = true;
      return give_content(as_bytes(given_));
    }
    if (enough < delimiter_.size() - 1) {
      // All of the piece is held; what cannot begin a delimiter goes.
      piece = {};
      const std::size_t keep = possible_delimiter(held_);
      given_ = held_.substr(0, held_.size() - keep);
      held_.erase(0, held_.size() - keep);
      return give_content(as_bytes(given_));
    }
    held_.resize(old_size);
    given_ = std::exchange(held_, {});
    return give_content(as_bytes(given_));
  }

  const void* const found =
      memmem(piece.data(), piece.size(), delimiter_.data(), delimiter_.size());
  if (found != nullptr) {
    const auto size =
        static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - piece.data());
    const BytesView content = piece.first(size);
    piece = piece.subspan(size + delimiter_.size());
    delimiter_seen_ = true;
    return give_content(content);
  }
  const std::size_t keep = possible_delimiter(as_text(piece));
  const BytesView content = piece.first(piece.size() - keep);
  held_ = as_text(piece.last(keep));
  piece = {};
  return give_content(content);
}

// How much of the end of `text` is the beginning of a delimiter.
std::size_t MultipartReader::possible_delimiter(std::string_view text) const {
  const std::size_t most = std::min(text.size(), delimiter_.size() - 1);
  std::string_view end = text.substr(text.size() - most);
  for (;;) {
    const std::size_t at = end.find('\r');
    if (at == std::string_view::npos) return 0;
    end.remove_prefix(at);
    if (delimiter_.starts_with(end)) return end.size();
    end.remove_prefix(1);
  }
}

MultipartReader::Step MultipartReader::give_content(BytesView bytes) {
  if (state_ == State::preamble) {
    outside_bytes_ += bytes.size();
    if (outside_bytes_ > limits_.outside_bytes) return failed(MultipartFault::malformed);
    return delimiter_seen_ ? end_part() : Step(NeedMore());
  }
  if (in_file_) {
    if (bytes.size() > limits_.file_bytes - file_bytes_) {
      // What is allowed comes out all the same, so that the cuts make no difference.
      bytes = bytes.first(static_cast<std::size_t>(limits_.file_bytes - file_bytes_));
      if (bytes.empty()) return failed(MultipartFault::file_too_large);
      file_is_too_large_ = true;
    }
    file_bytes_ += bytes.size();
    if (bytes.empty()) return delimiter_seen_ ? end_part() : Step(NeedMore());
    return FileData{bytes};
  }
  if (field_.size() + bytes.size() > limits_.field_bytes)
    return failed(MultipartFault::field_too_large);
  if (!field_charge_.add(bytes.size())) return failed(MultipartFault::out_of_memory);
  field_ += as_text(bytes);
  return delimiter_seen_ ? end_part() : Step(NeedMore());
}

MultipartReader::Step MultipartReader::end_part() {
  delimiter_seen_ = false;
  const State was = std::exchange(state_, State::after_delimiter);
  if (was == State::preamble) return NeedMore();
  if (std::exchange(in_file_, false)) return FileEnd();
  return Field{std::move(part_.name), std::move(field_)};
}

}  // namespace cordon::tunnel
