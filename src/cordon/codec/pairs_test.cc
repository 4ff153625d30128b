// Every pair of codecs, on values that both can hold.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cordon/base/bytes.h"
#include "cordon/codec/expansion.h"
#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/codec/msgpack/decode.h"
#include "cordon/codec/msgpack/encode.h"
#include "cordon/codec/rich/serializer.h"
#include "cordon/codec/rich/testing/stand_ins.h"
#include "cordon/value/testing/arbitrary_value.h"

namespace cordon {
namespace {

struct Codec {
  const char* name;
  Result<std::string> (*encode)(const Value&);
  Result<Value> (*decode)(const std::string&);
};

const rich::Serializer& serializer() {
  static const rich::StandInRegExps regexps;
  static const rich::Serializer made({}, regexps);
  return made;
}

Result<std::string> to_msgpack(const Value& value) {
  const Bytes bytes =
      CORDON_TRY(msgpack::encode(value, {.extensions = msgpack::Extensions::timestamp}));
  return std::string(as_text(bytes));
}

Result<Value> from_msgpack(const std::string& text) {
  return msgpack::decode(as_bytes(text), {.other_keys = msgpack::OtherKeys::map,
                                          .extensions = msgpack::Extensions::timestamp,
                                          .key_order = KeyOrder::javascript});
}

const std::vector<Codec>& codecs() {
  static const std::vector<Codec> all = {
      {"json", [](const Value& value) { return json::encode(value); },
       [](const std::string& text) {
         return json::decode(text, {.key_order = KeyOrder::javascript});
       }},
      {"pretty json", [](const Value& value) { return json::encode(value, {.indent = 2}); },
       [](const std::string& text) { return json::decode(text); }},
      {"msgpack", to_msgpack, from_msgpack},
      {"tree", [](const Value& value) { return serializer().stringify(value); },
       [](const std::string& text) { return serializer().parse(text); }},
      {"graph", [](const Value& value) { return serializer().serialize(value); },
       [](const std::string& text) { return serializer().parse(text); }},
  };
  return all;
}

RC_GTEST_PROP(CodecPairs, PassOnWhatJsonCanHold, ()) {
  // In JavaScript's order of keys, without those that the Runner serializer drops.
  const Value value = *serializer().parse(*serializer().stringify(*testing::arbitrary_json()));
  for (const Codec& first : codecs()) {
    for (const Codec& second : codecs()) {
      const Value between = *first.decode(*first.encode(value));
      const Value after = *second.decode(*second.encode(between));
      RC_LOG() << first.name << ", " << second.name;
      RC_ASSERT(after == value);
    }
  }
}

// The codecs from the one that holds least to the one that holds all: what the first of a pair has
// read back, which may be less than it was given, the second passes on whole.
RC_GTEST_PROP(CodecPairs, PassOnWhatACodecThatHoldsLessHasRead, ()) {
  const Value value = *serializer().parse(*serializer().serialize(*testing::arbitrary_graph()));
  for (std::size_t i = 0; i < codecs().size(); ++i) {
    const auto text = codecs()[i].encode(value);
    if (!text) continue;
    const Value less = *codecs()[i].decode(*text);
    for (std::size_t j = i; j < codecs().size(); ++j) {
      RC_LOG() << codecs()[i].name << ", " << codecs()[j].name;
      const auto passed = codecs()[j].encode(less);
      RC_ASSERT(passed.has_value());
      RC_ASSERT(*codecs()[j].decode(*passed) == less);
    }
  }
}

// Behind graph format, which keeps identity, every codec writes the same bytes or fails for the
// same reason as before it.
RC_GTEST_PROP(CodecPairs, SeeNoDifferenceBehindGraphFormat, ()) {
  const Value value = *serializer().parse(*serializer().serialize(*testing::arbitrary_graph()));
  const Value behind = *serializer().parse(*serializer().serialize(value));
  RC_ASSERT(equal(behind, value, Sharing::compared));
  for (const Codec& codec : codecs()) {
    RC_LOG() << codec.name;
    const bool same = codec.encode(behind) == codec.encode(value);
    RC_ASSERT(same);
  }
}

// What MessagePack can hold and JSON cannot.
RC_GTEST_PROP(CodecPairs, RunnerAndMessagePackPassOnDatesBytesAndBigints, ()) {
  const auto number = *rc::gen::suchThat(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t n) {
    return n > (std::int64_t{1} << 53) || n < -(std::int64_t{1} << 53);
  });
  const Value value = Value::array(
      {Value::bigint(number), Value::date(*rc::gen::inRange(-100'000'000, 100'000'000)),
       Value::typed_array(ElementType::uint8, *rc::gen::arbitrary<Bytes>())});
  for (const std::size_t i : {2u, 3u, 4u}) {
    const Codec& codec = codecs()[i];
    RC_ASSERT(*codec.decode(*codec.encode(value)) == value);
  }
}

// Either all of a value is written or it is refused for a reason; nothing is lost without a word
// but what JSON.stringify loses.
RC_GTEST_PROP(CodecPairs, AnyValueIsWrittenOrRefused, ()) {
  const Value value = *testing::arbitrary_graph();
  for (const Codec& codec : codecs()) {
    const auto text = codec.encode(value);
    if (text) {
      RC_ASSERT(codec.decode(*text).has_value());
    } else {
      RC_ASSERT(text.error().code == ErrorCode::cyclic ||
                text.error().code == ErrorCode::serialization_error);
    }
  }
}

TEST(Expansion, IsCountedAndNotWritten) {
  Value doubled = Value::array({1});
  for (int i = 0; i < 60; ++i) doubled = Value::object({{"a", doubled}, {"b", doubled}});
  EXPECT_TRUE(must_expand_past(doubled, std::size_t{1} << 50, MapsAndSets::written));
  EXPECT_FALSE(must_expand_past(doubled, ~std::size_t{0}, MapsAndSets::written));
  EXPECT_FALSE(must_expand_past(Value::array({1, 2, 3}), 1, MapsAndSets::written));
  EXPECT_FALSE(must_expand_past(5, 0, MapsAndSets::written));

  ValueBuilder builder;
  const ValueView self = builder.open(Kind::array);
  const ValueView items[] = {self, self};
  builder.fill(self, items);
  EXPECT_FALSE(must_expand_past(builder.finish(self), 1, MapsAndSets::written));

  Value sets = Value::array({1});
  for (int i = 0; i < 60; ++i) {
    ValueBuilder next;
    const ValueView part = next.splice(sets);
    const ValueView list[] = {part, next.array({&part, 1})};
    sets = next.finish(next.set(list));
  }
  EXPECT_TRUE(must_expand_past(sets, std::size_t{1} << 50, MapsAndSets::written));
  EXPECT_FALSE(must_expand_past(sets, 1, MapsAndSets::empty));
  EXPECT_EQ(*json::encode(sets), "{}");
}

TEST(Expansion, TellsHowOftenContainersAreWritten) {
  const auto counted = [](const Value& value) {
    const auto expansion = expansion_of(value, MapsAndSets::written);
    return expansion ? std::pair(expansion->written, expansion->distinct)
                     : std::pair<std::uint64_t, std::uint64_t>(0, 0);
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(counted(5), Pair(0, 0));
  EXPECT_EQ(counted(Value::array({1, Value::array({})})), Pair(2, 2));
  const Value shared = Value::array({1});
  EXPECT_EQ(counted(Value::array({shared, shared, shared})), Pair(4, 2));
  Value doubled = shared;
  for (int i = 0; i < 100; ++i) doubled = Value::array({doubled, doubled});
  EXPECT_EQ(counted(doubled).second, 101u);
  EXPECT_EQ(counted(doubled).first, std::uint64_t{1} << 62);  // and that is enough to know
}

TEST(Expansion, KnowsWhatIsShort) {
  EXPECT_TRUE(is_short(5, 1, 0));
  EXPECT_TRUE(is_short(Value::array({1, 2}), 3, 0));
  EXPECT_FALSE(is_short(Value::array({1, 2}), 2, 0));
  EXPECT_TRUE(is_short(Value::object({{"ab", "cde"}}), 3, 5));
  EXPECT_FALSE(is_short(Value::object({{"ab", "cde"}}), 3, 4));
  Value doubled = Value::array({1});
  for (int i = 0; i < 60; ++i) doubled = Value::array({doubled, doubled});
  EXPECT_FALSE(is_short(doubled, 10'000, 0));
}

TEST(Expansion, EveryWriterGivesUpEarly) {
  Value doubled = Value::array({1});
  for (int i = 0; i < 40; ++i) doubled = Value::array({doubled, doubled});
  for (const std::size_t i : {0u, 1u, 2u, 3u}) {
    EXPECT_EQ(codecs()[i].encode(doubled).error().code, ErrorCode::too_large) << codecs()[i].name;
  }
}

TEST(Cycles, AreFoundWhereTheyBegin) {
  // a list that leads, after a while, into a cycle of a given length
  for (const int lead : {0, 1, 5, 40}) {
    for (const int length : {1, 2, 3, 7, 100}) {
      ValueBuilder builder;
      std::vector<ValueView> nodes;
      for (int i = 0; i < lead + length; ++i) nodes.push_back(builder.open(Kind::array));
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const ValueView next =
            i + 1 < nodes.size() ? nodes[i + 1] : nodes[static_cast<std::size_t>(lead)];
        const ValueView items[] = {builder.array({}), next};
        builder.fill(nodes[i], items);
      }
      const Value value = builder.finish(nodes[0]);
      const Error error = json::encode(value).error();
      std::string path = ", at ";
      for (int i = 0; i < lead + length && path.size() < 306; ++i) path += "[1]";
      EXPECT_EQ(error.code, ErrorCode::cyclic);
      EXPECT_TRUE(error.message.starts_with("Converting circular structure to JSON" + path))
          << error;
      EXPECT_EQ(serializer().stringify(value).error().code, ErrorCode::cyclic);
      EXPECT_EQ(to_msgpack(value).error().code, ErrorCode::cyclic);
    }
  }
}

}  // namespace
}  // namespace cordon
