#pragma once

// A table with one row for every ErrorCode. Each edge of the library uses one to map failures to
// its own codes. It does not compile if a code is missing, comes twice, or is out of order.
//
//   constexpr auto exit_codes = error_table<int>(rows);  // one row for each code
//   const int exit_code = exit_codes[error.code];

#include <array>
#include <cstddef>

#include "cordon/error.h"

namespace cordon {

template <class Mapped>
struct ErrorRow {
  ErrorCode code;
  Mapped mapped;
};

template <class Mapped>
class ErrorTable {
 public:
  using Rows = std::array<ErrorRow<Mapped>, error_code_count>;

  // Rows have the order of the enumeration. A missing row shows up as a second `none` at the end,
  // which is out of order.
  consteval explicit ErrorTable(const Rows& rows) : rows_(rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (static_cast<std::size_t>(rows[i].code) != i) throw "a code is missing or out of order";
    }
  }

  constexpr const Mapped& operator[](ErrorCode code) const {
    return rows_[static_cast<std::size_t>(code)].mapped;
  }
  constexpr const Rows& rows() const { return rows_; }

 private:
  Rows rows_;
};

template <class Mapped>
consteval ErrorTable<Mapped> error_table(const typename ErrorTable<Mapped>::Rows& rows) {
  return ErrorTable<Mapped>(rows);
}

}  // namespace cordon
