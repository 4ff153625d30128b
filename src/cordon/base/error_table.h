#pragma once

// A table with a row for every ErrorCode: how an edge of the library maps failures to what its own
// side knows. It does not compile with a code that is missing, twice, or out of order.
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

  // Rows stand in the order of the enumeration. A row that was left out is a second
  // `none` at the end, so the order shows that too.
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
