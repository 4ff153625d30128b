// Any bytes as a configuration: mistakes lie within the text, and what is right is right for an
// editor too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "require.h"

#include "cordon/base/bytes.h"
#include "cordon/codec/json/decode.h"
#include "cordon/config/load.h"
#include "cordon/schema/schema.h"

namespace {

using cordon::fuzz::require;

// Where every file is there and every variable is set.
class Plenty : public cordon::config::Surroundings {
 public:
  std::optional<std::string> variable(const std::string&) const override { return "value"; }
  cordon::Result<std::string> content(const std::string&) const override { return "content\n"; }
  cordon::Result<> check_file(const std::string& path) const override {
    if (path.ends_with("x")) return cordon::fail(cordon::ErrorCode::not_found, "does not exist");
    return {};
  }
  bool has_folder(const std::string& path) const override { return !path.ends_with("x"); }
  std::vector<std::string> names_in(const std::string&) const override { return {"add.js"}; }
};

const cordon::schema::Schema& editor_schema() {
  static const cordon::schema::Schema schema =
      cordon::schema::Schema::compile(cordon::config::editor_schema()).value();
  return schema;
}

}  // namespace

// The name and signature are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cordon;
  const std::string_view text = as_text({data, size});
  const config::Loaded loaded = config::read_configuration(text, "/c/cordon.json", Plenty());
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  for (const config::Mistake& one : loaded.mistakes) {
    require(one.line >= 1 && one.line <= lines && one.column >= 1, "a mistake lies in the text");
    require(!one.text.empty(), "a mistake says what is wrong");
  }
  if (!loaded.is_right() || text.starts_with("\xef\xbb\xbf")) return 0;
  const auto value = json::decode(text, {.comments = json::Comments::allowed});
  require(value.has_value(), "what was read is JSON");
  require(editor_schema().check(*value).empty(), "the schema for editors accepts what is right");
  return 0;
}
