// JSON, MessagePack and Runner text: payloads of clients, tools and plugins.

#include <memory>

#include "amplify/way.h"
#include "codec/attacks.h"

#include "cordon/base/bytes.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/msgpack/decode.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/codec/rich/testing/stand_ins.h"
#include "cordon/protocol/duplex/messages.h"
#include "cordon/serializer.h"

namespace cordon::amplify {
namespace {

std::string number(std::size_t i) { return std::to_string(i); }

template <class T>
Outcome outcome_of(const Result<T>& result) {
  return {.text = result ? "read" : to_string(result.error())};
}

// A text that is handed to `read` whole.
template <class Read>
std::function<Attack(std::size_t)> reading(Read read,
                                           std::function<std::string(std::size_t)> make) {
  return [read, make = std::move(make)](std::size_t size) {
    auto text = std::make_shared<const std::string>(make(size));
    return Attack{.in = text->size(), .run = [text, read] { return read(*text); }};
  };
}

// An attack with as many parts as make a text of that size.
std::function<std::string(std::size_t)> sized(const bench::Attack& attack) {
  return [payload = attack.payload](std::size_t size) {
    constexpr std::size_t few = 512;
    const std::size_t each = std::max<std::size_t>(1, payload(few).size() / few);
    return payload(std::max<std::size_t>(1, size / each));
  };
}

template <class Read>
void add_attacks(Way& way, const std::vector<bench::Attack>& attacks, Read read) {
  for (const bench::Attack& attack : attacks)
    way.inputs.push_back({std::string(attack.name), reading(read, sized(attack))});
}

// `first`, `part` over and over, `last`.
template <class Read>
Input repeating(Read read, std::string name, std::string first, std::string part,
                std::string last) {
  return {std::move(name),
          reading(read, [=](std::size_t size) { return repeated_to(size, first, part, last); })};
}

Way json_way() {
  const auto read = [](std::string_view text) { return outcome_of(json::decode(text)); };
  Way way{.name = "JSON",
          .inputs = {repeating(read, "`[0,0,…`", "[0", ",0", "]"),
                     repeating(read, "`[[],[],…`", "[[]", ",[]", "]"),
                     repeating(read, "`[{},{},…`", "[{}", ",{}", "]"),
                     repeating(read, "`[\"\",\"\",…`", "[\"\"", ",\"\"", "]"),
                     repeating(read, "`[[[0]],[[0]],…`", "[0", ",[[0]]", "]"),
                     repeating(read, "`[{\"\":0},…`", "[0", ",{\"\":0}", "]"),
                     {"`{\"a\":0,\"b\":0,…`",
                      reading(read,
                              [](std::size_t size) {
                                return text_of_size(
                                    size, "{\"\":0",
                                    [](std::size_t i) { return ",\"" + number(i) + "\":0"; }, "}");
                              })}},
          .fixed_bytes = Budget::min_message_bytes,
          .limited_by = "24 bytes for each byte, 32 MiB at least; the message's own limit"};
  add_attacks(way, bench::json_attacks(), read);
  return way;
}

std::string big_endian(std::size_t count) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(static_cast<unsigned char>(count >> shift));
  return bytes;
}

// An array whose elements are `part` over and over.
std::function<std::string(std::size_t)> msgpack_array(std::string part) {
  return [part = std::move(part)](std::size_t size) {
    const std::size_t count = size / part.size();
    return repeated_to(count * part.size() + 5, "\xdd" + big_endian(count), part, "");
  };
}

Way msgpack_way() {
  const auto read = [](std::string_view text) {
    return outcome_of(msgpack::decode(
        {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()},
        {.other_keys = msgpack::OtherKeys::map, .extensions = msgpack::Extensions::timestamp}));
  };
  const auto keys = [](std::size_t size) {
    // Two bytes each, and a nil.
    const std::size_t count = std::min<std::size_t>(size / 4, 65'536);
    std::string bytes = "\xdf" + big_endian(count);
    for (std::size_t i = 0; i < count; ++i) {
      bytes += '\xa2';
      bytes += static_cast<char>('!' + i % 90);
      bytes += static_cast<char>('!' + i / 90 % 90);
      bytes += '\xc0';
    }
    return bytes;
  };
  const auto maps = [](std::size_t size) {
    const std::size_t count = size / 2;
    return repeated_to(count * 2 + 5, "\xdf" + big_endian(count), {"\x01\xc0", 2}, "");
  };
  Way way{.name = "MessagePack",
          .inputs = {{"nils", reading(read, msgpack_array("\xc0"))},
                     {"empty maps", reading(read, msgpack_array("\x80"))},
                     {"empty arrays", reading(read, msgpack_array("\x90"))},
                     {"empty strings", reading(read, msgpack_array("\xa0"))},
                     {"arrays of one", reading(read, msgpack_array("\x91\xc0"))},
                     {"maps of one", reading(read, msgpack_array("\x81\xa0\xc0"))},
                     {"maps of one, by number", reading(read, msgpack_array("\x81\xc0\xc0"))},
                     {"empty bytes", reading(read, msgpack_array({"\xc4\x00", 2}))},
                     {"keys of two characters", reading(read, keys)},
                     {"a Map of equal keys", reading(read, maps)}},
          .fixed_bytes = Budget::min_message_bytes,
          .limited_by = "24 bytes for each byte, 32 MiB at least; 8 Mi elements"};
  add_attacks(way, bench::msgpack_attacks(), read);
  return way;
}

Way runner_text_way() {
  static const rich::StandInRegExps regexps;
  static const rich::Serializer serializer({}, regexps);
  const auto read = [](std::string_view text) { return outcome_of(serializer.parse(text)); };
  const std::string typed = R"({"__type":")";
  const auto graph = [](std::string root, std::string first) {
    return R"({"__graph":true,"version":1,"root":)" + root + R"(,"nodes":{)" + first;
  };
  const auto nodes = [=](std::size_t size) {
    return text_of_size(
        size, graph(R"({"__ref":"0"})", R"("0":{"kind":"array","value":[]})"),
        [](std::size_t i) { return ",\"" + number(i + 1) + R"(":{"kind":"array","value":[]})"; },
        "}}");
  };
  const auto references = [=](std::size_t size) {
    return repeated_to(size, graph(R"({"__ref":"a"})", R"("a":{"kind":"array","value":[0)"),
                       R"(,{"__ref":"a"})", "]}}}");
  };
  Way way{
      .name = "Runner text",
      .inputs = {repeating(read, "`[[],[],…`", "[[]", ",[]", "]"),
                 repeating(read, "`[{},{},…`", "[{}", ",{}", "]"),
                 repeating(read, "Set `[0,0,…`", typed + "Set\",\"value\":[0", ",0", "]}"),
                 repeating(read, "Map `[[0,0],…`", typed + "Map\",\"value\":[[0,0]", ",[0,0]",
                           "]}"),
                 {"Set of numbers", reading(read,
                                            [=](std::size_t size) {
                                              return text_of_size(
                                                  size, typed + "Set\",\"value\":[-1",
                                                  [](std::size_t i) { return "," + number(i); },
                                                  "]}");
                                            })},
                 {"Map of numbers",
                  reading(read,
                          [=](std::size_t size) {
                            return text_of_size(
                                size, typed + "Map\",\"value\":[[-1,0]",
                                [](std::size_t i) { return ",[" + number(i) + ",0]"; }, "]}");
                          })},
                 repeating(read, "empty Maps", "[0", "," + typed + "Map\",\"value\":[]}", "]"),
                 repeating(read, "bigints", "[0", "," + typed + "BigInt\",\"value\":\"1\"}", "]"),
                 {"nodes of a graph", reading(read, nodes)},
                 {"references of a graph", reading(read, references)}},
      .fixed_bytes = Budget::min_message_bytes,
      .limited_by = "24 bytes for each byte, 32 MiB at least"};
  add_attacks(way, bench::runner_attacks(), read);
  return way;
}

// What a plugin sends: frames of MessagePack.
Way plugin_frame_way() {
  const auto read = [](std::string_view text) {
    const duplex::Limits limits;
    const auto message = duplex::read_message(
        {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, limits);
    return Outcome{.text = message ? "read" : std::string(name_of(message.error().code))};
  };
  const auto call = [](const std::string& part) {
    return [part](std::size_t size) {
      const std::size_t count = size / part.size();
      // {type: 0, id: "a", functionName: "f", params: […]}
      std::string head = {'\x84', '\xa4', 't', 'y', 'p', 'e', '\0', '\xa2', 'i', 'd', '\xa1', 'a'};
      head += "\xac";
      head += "functionName";
      head += "\xa1";
      head += "f";
      head += "\xa6params\xdd" + big_endian(count);
      return repeated_to(count * part.size() + head.size(), head, part, "");
    };
  };
  return {.name = "a plugin's frame",
          .inputs = {{"nils", reading(read, call("\xc0"))},
                     {"empty maps", reading(read, call("\x80"))},
                     {"maps of one", reading(read, call("\x81\xa0\xc0"))}},
          .fixed_bytes = Budget::min_message_bytes,
          .limited_by = "24 bytes for each byte, 32 MiB at least; the limit of a frame"};
}

}  // namespace

std::vector<Way> codec_ways() {
  return {json_way(), msgpack_way(), runner_text_way(), plugin_frame_way()};
}

}  // namespace cordon::amplify
