// Value and its parts: the data that tools take and give, and that a program returns.

#include <iostream>

#include <cordon/value.h>

using namespace cordon;

int main() {
  // Build. Values are immutable and cheap to copy.
  const Value tea = Value::object({{"sku", "tea"}, {"count", 3}});
  const Value cup = Value::object({{"sku", "cup"}, {"count", nullptr}});
  const Value order =
      Value::object({{"id", 7}, {"paid", true}, {"lines", Value::array({tea, cup})}});
  std::cout << debug_text(order) << '\n';

  // Read. as<T>() says what is wrong and where; value_or() has a default instead.
  const Result<int> id = order["id"].as<int>();
  const Result<int> cups = order["lines"][1]["count"].as<int>();
  std::cout << "id " << *id << '\n' << cups.error() << '\n';
  std::cout << "no tip: " << order["tip"]["percent"].value_or(0) << '\n';
  const auto missing = order["lines"][1]["count"].as<std::optional<int>>();
  std::cout << (missing->has_value() ? "a count" : "no count") << '\n';

  // Walk. Members come in order of insertion.
  for (auto [key, value] : order.members())
    std::cout << key << ": " << name_of(value.kind()) << '\n';
  for (const ValueView line : order["lines"].items()) std::cout << line["sku"].as_string() << '\n';

  // Change: a new value that shares what stays.
  const Value unpaid = order.with("paid", false);
  std::cout << order["paid"].as_bool() << " -> " << unpaid["paid"].as_bool() << '\n';

  // A ValueView lives as long as a Value of its message. share() gives a part an owner.
  const Value first = order.share(order["lines"][0]);
  std::cout << (first == tea ? "the same tea\n" : "another tea\n");

  // Kinds beyond JSON's. A JavaScript guest takes and gives them under ValueRule::rich.
  const Bytes content = {1, 2, 3};
  std::cout << debug_text(Value::bigint(-12)) << ' ' << debug_text(Value::date(0)) << ' '
            << Value::bytes(content).as_bytes().size() << " bytes\n";
}

// Output:
// {"id": 7, "paid": true, "lines": [{"sku": "tea", "count": 3}, {"sku": "cup", "count": null}]}
// id 7
// type_mismatch: expected an integer from -2147483648 to 2147483647 at lines[1].count, found null
// no tip: 0
// no count
// id: number
// paid: boolean
// lines: array
// tea
// cup
// 1 -> 0
// the same tea
// -12n Date(0) 3 bytes
