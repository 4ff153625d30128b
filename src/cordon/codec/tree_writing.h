#pragma once

// The common part of the writers of trees (JSON, MessagePack, the Runner's tree format): they give
// up on a value that would never end, and tell where they were.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/codec/cycles.h"
#include "cordon/codec/expansion.h"
#include "cordon/result.h"
#include "cordon/value.h"

namespace cordon {

// Asks once, when much has been written, whether the rest can end within the limit.
class ExpansionWatch {
 public:
  ExpansionWatch(std::size_t max_bytes, MapsAndSets maps_and_sets)
      : max_bytes_(max_bytes), maps_and_sets_(maps_and_sets) {}

  // For a writer whose text does not grow with its containers.
  void disable() { ask_after_ = std::numeric_limits<std::size_t>::max(); }

  bool is_hopeless(ValueView root, std::size_t written) {
    if (written <= ask_after_) return false;
    disable();
    return must_expand_past(root, max_bytes_, maps_and_sets_);
  }

 private:
  std::size_t max_bytes_;
  MapsAndSets maps_and_sets_;
  std::size_t ask_after_ = ask_about_expansion_bytes;
};

// The way through the open containers, as `a.b[1]`; append(path, frame) adds a frame's step. A path
// is cut after a few hundred characters. Frames that have not begun (`next` is 0) have no step.
template <class Frame, class Append>
std::string path_of(const std::vector<Frame>& open, Append append) {
  constexpr std::size_t max_path = 300;
  std::string path;
  for (const Frame& frame : open) {
    if (path.size() > max_path) return path + "…";
    if (frame.next != 0) append(path, frame);
  }
  return path;
}

// What a cycle made a writer do before it was noticed does not count: the error becomes `cyclic`,
// and the open containers end where the cycle closes.
template <class Frame>
void blame_cycle(std::vector<Frame>& open, Error& error, std::string_view reason) {
  const std::size_t place = first_repetition(open);
  if (place == open.size()) return;
  open.erase(open.begin() + static_cast<std::ptrdiff_t>(place), open.end());
  error = Error{ErrorCode::cyclic, std::string(reason)};
}

// The error with its place, unless the size limit was met, where the place means nothing.
inline Error with_place(Error error, std::string_view path) {
  if (!path.empty() && error.code != ErrorCode::too_large)
    error.message.append(", at ").append(path);
  return error;
}

}  // namespace cordon
