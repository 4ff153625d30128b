#include "cordon/js/loose_ends.h"

#include "guest/abi.h"

#include "cordon/base/utf8.h"

namespace cordon::js {
namespace {

Result<std::string> text(Reader& in) {
  constexpr std::uint32_t max_bytes = 4096;
  const std::uint32_t size = CORDON_TRY(in.u32());
  if (size > max_bytes) return fail(ErrorCode::too_large, "a name of a loose end");
  return to_wtf8_lossy(CORDON_TRY(in.text(size)));
}

Result<std::vector<LooseCalls>> calls(Reader& in) {
  const std::uint32_t count = CORDON_TRY(in.u32());
  if (count > MOST_LOOSE_CALLS) return fail(ErrorCode::too_large, "too many loose calls");
  std::vector<LooseCalls> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    LooseCalls calls;
    calls.tool = CORDON_TRY(in.u32());
    calls.name = CORDON_TRY(text(in));
    calls.count = CORDON_TRY(in.u32());
    calls.first = location_of(CORDON_TRY(text(in)));
    all.push_back(std::move(calls));
  }
  return all;
}

}  // namespace

Result<LooseEnds> read_loose_ends(Reader& in) {
  LooseEnds ends;
  const std::uint8_t why = CORDON_TRY(in.u8());
  if (why > NO_RESULT_BLOCK) return fail(ErrorCode::protocol_violation, "unknown loose end");
  ends.no_result = static_cast<NoResult>(why);
  ends.result_name = CORDON_TRY(text(in));
  ends.unawaited = CORDON_TRY(calls(in));
  ends.left = CORDON_TRY(calls(in));
  ends.extra_arguments = CORDON_TRY(calls(in));
  CORDON_TRY(in.end());
  return ends;
}

}  // namespace cordon::js
