#pragma once

// multipart/form-data, read piece by piece: bytes in, fields and files out. A file is never held;
// its bytes come out as they went in.
//
//   MultipartReader reader(boundary, limits);
//   for (BytesView piece : body) {
//     for (;;) {
//       const auto event = reader.next(piece);  // takes what it read off the piece
//       if (!event || std::holds_alternative<NeedMore>(*event)) break;
//       …
//     }
//   }
//   reader.is_complete();
//
// Wherever the bytes are cut, the same fields and files come out.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "cordon/base/budget.h"
#include "cordon/bytes.h"
#include "cordon/protocol/tunnel/limits.h"
#include "cordon/protocol/tunnel/part_head.h"

namespace cordon::tunnel {

struct NeedMore {};
struct Field {
  std::string name;
  std::string value;
};
struct FileBegin {
  PartHead head;
};
struct FileData {
  BytesView bytes;  // valid until the next call, and as long as the piece is
};
struct FileEnd {};
using MultipartEvent = std::variant<NeedMore, Field, FileBegin, FileData, FileEnd>;

enum class MultipartFault : std::uint8_t {
  malformed,
  file_too_large,
  too_many_files,
  too_many_fields,
  field_too_large,
  out_of_memory,  // of the budget
};

class MultipartReader {
 public:
  // A field takes from the budget while it is read, if there is one.
  MultipartReader(std::string_view boundary, const MultipartLimits& limits,
                  std::shared_ptr<Budget> budget = {});

  // After a fault there is nothing more to come.
  std::expected<MultipartEvent, MultipartFault> next(BytesView& piece);

  // The closing delimiter was read.
  bool is_complete() const { return state_ == State::epilogue; }
  bool is_in_file() const { return state_ == State::content && in_file_; }

 private:
  enum class State : std::uint8_t {
    preamble,
    after_delimiter,  // then `--`, or blanks and a line end
    closing,          // after the first of the two dashes
    padding,
    line_end,
    head,
    content,
    epilogue,
    failed,
  };
  using Step = std::expected<MultipartEvent, MultipartFault>;

  Step take_content(BytesView& piece);
  Step take_head(BytesView& piece);
  Step begin_part();
  Step give_content(BytesView bytes);
  Step end_part();
  Step failed(MultipartFault fault);
  bool take_after_delimiter(char c);
  std::size_t possible_delimiter(std::string_view text) const;

  MultipartLimits limits_;
  std::string delimiter_;  // with the line end before it
  State state_ = State::preamble;
  // The end of what came that may be the beginning of a delimiter. At first the line end that the
  // first delimiter may lack.
  std::string held_ = "\r\n";
  std::string given_;            // what was held, while the caller looks at it
  bool delimiter_seen_ = false;  // all before it was given: the part ends with the next step
  std::string head_;
  PartHead part_;
  bool in_file_ = false;
  std::string field_;
  Charge field_charge_;
  std::uint64_t file_bytes_ = 0;
  bool file_is_too_large_ = false;
  std::size_t files_ = 0;
  std::size_t fields_ = 0;
  std::size_t outside_bytes_ = 0;
};

}  // namespace cordon::tunnel
