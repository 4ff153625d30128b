// The Runner serializer, with a type of one's own; cycles; MessagePack.

#include <iostream>

#include <cordon/builder.h>
#include <cordon/msgpack.h>
#include <cordon/serializer.h>

using namespace cordon;

// A distance is {"value": 5, "unit": "km"} here, and a typed record on the wire.
static SerializerType distance_type() {
  return {.id = "Distance",
          .is = [](ValueView value) { return value.contains("unit") && value.size() == 2; },
          .serialize = [](ValueView value, Builder& builder) -> Result<ValueView> {
            return builder.array({value.find("value"), value.find("unit")});
          },
          .deserialize = [](ValueView payload, Builder& builder) -> Result<ValueView> {
            const ValueView unit = payload.at(1);
            if (!payload.at(0).is_number() || (unit != "m" && unit != "km"))
              return fail(ErrorCode::protocol_violation, "Invalid Distance payload");
            return builder.object({{"value", payload.at(0)}, {"unit", unit}});
          },
          .strategy = TypeStrategy::value};
}

int main() {
  Serializer serializer;
  if (const auto added = serializer.add_type(distance_type()); !added)
    return std::cerr << added.error() << '\n', 1;
  const Value trip = Value::object(
      {{"start", Value::date(0)}, {"far", Value::object({{"value", 5}, {"unit", "km"}})}});
  const std::string tree = *serializer.stringify(trip);
  std::cout << tree << '\n';
  std::cout << (*serializer.parse(tree) == trip ? "the same\n" : "another\n");
  std::cout << serializer.parse(R"({"__type":"Distance","value":[5,"mile"]})").error() << '\n';
  std::cout << serializer.add_type(distance_type()).error() << '\n';

  // A cycle has no tree; a graph keeps it.
  Builder builder;
  const ValueView parent = builder.open(Kind::object);
  const ValueView child = builder.object({{"name", builder.string("Eve")}, {"parent", parent}});
  if (const auto filled = builder.fill(parent, {{"child", child}}); !filled)
    return std::cerr << filled.error() << '\n', 1;
  const Value family = builder.finish(parent);
  std::cout << serializer.stringify(family).error() << '\n';
  const Value again = *serializer.parse(*serializer.serialize(family));
  std::cout << again["child"]["parent"]["child"]["name"].as_string() << '\n';

  // What may be read is limited.
  const Serializer strict({.allowed_types = std::vector<std::string>{"Date"}});
  std::cout << strict.parse(R"([{"__type":"BigInt","value":"5"}])").error() << '\n';

  const Bytes bytes = *to_msgpack(trip["far"]);
  std::cout << bytes.size() << " bytes: " << debug_text(*from_msgpack(bytes)) << '\n';
}

// Output:
// {"start":{"__type":"Date","value":"1970-01-01T00:00:00.000Z"},"far":{"__type":"Distance","value":[5,"km"]}}
// the same
// protocol_violation: Invalid Distance payload at line 1, column 30 (byte 29)
// already_exists: Type with id "Distance" already exists
// cyclic: Cannot serialize circular structure in tree mode, at child.parent
// Eve
// unsupported: Type "BigInt" is not allowed at line 1, column 2 (byte 1)
// 16 bytes: {"value": 5, "unit": "km"}
