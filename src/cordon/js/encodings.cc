#include "cordon/js/encodings.h"

#include <utility>

#include "cordon/base/reader.h"

extern "C" const unsigned char cordon_encodings[];
extern "C" const unsigned char cordon_encodings_end[];

namespace cordon::js {
namespace {

Reader file() { return Reader(BytesView(cordon_encodings, cordon_encodings_end)); }

// Goes on behind the encodings. `answer` is then what the guest is told of the one that has the
// label, if there is one.
Result<> read_encodings(Reader& in, std::string_view label, std::optional<std::string>& answer) {
  const std::uint8_t encodings = CORDON_TRY(in.u8());
  for (std::uint8_t i = 0; i < encodings; ++i) {
    const std::string_view how = CORDON_TRY(in.text(3));
    const std::string_view name = CORDON_TRY(in.sized_text());
    const std::uint8_t labels = CORDON_TRY(in.u8());
    for (std::uint8_t l = 0; l < labels; ++l) {
      if (CORDON_TRY(in.sized_text()) == label) answer = std::string(how).append(name);
    }
  }
  return {};
}

Result<std::string> read_table(std::uint8_t number) {
  Reader in = file();
  std::optional<std::string> ignored;
  CORDON_TRY(read_encodings(in, {}, ignored));
  const std::uint8_t tables = CORDON_TRY(in.u8());
  for (std::uint8_t i = 0; i < tables; ++i) {
    const std::string_view table = CORDON_TRY(in.text(CORDON_TRY(in.u32())));
    if (i == number) return std::string(table);
  }
  return fail(ErrorCode::malformed, "no such table");
}

}  // namespace

std::optional<std::string> encoding_of(std::string_view label) {
  Reader in = file();
  std::optional<std::string> answer;
  if (!read_encodings(in, label, answer)) return std::nullopt;
  return answer;
}

std::optional<std::string> encoding_table(std::uint8_t number) {
  Result<std::string> table = read_table(number);
  if (!table) return std::nullopt;
  return *std::move(table);
}

}  // namespace cordon::js
