// Structs and enums of your own, and containers, from values and back.

#include <iostream>

#include <cordon/convert.h>

using namespace cordon;

namespace {

enum class Size { small, large };

struct Line {
  std::string tea;
  int cups = 1;
  Size size = Size::small;
};

}  // namespace

template <>
struct cordon::Conversion<Size> : cordon::Enumeration<Size> {
  static constexpr auto names = std::array{name("small", Size::small), name("large", Size::large)};
};

template <>
struct cordon::Conversion<Line> : cordon::Record<Line> {
  static constexpr auto fields =
      std::tuple(field("tea", &Line::tea), optional_field("cups", &Line::cups),
                 optional_field("size", &Line::size));
};

int main() {
  const Value order = Value::object(
      {{"lines", Value::array({Value::object({{"tea", "green"}, {"size", "large"}})})}});
  const Result<std::vector<Line>> lines = order["lines"].as<std::vector<Line>>();
  std::cout << debug_text(to_value(*lines)) << '\n';

  const Value wrong = Value::object({{"lines", Value::array({Value::object({{"tea", 5}})})}});
  std::cout << wrong["lines"].as<std::vector<Line>>().error() << '\n';
}

// Output:
// [{"tea": "green", "cups": 1, "size": "large"}]
// type_mismatch: expected a string at lines[0].tea, found the number 5
