#include "cordon/server/request_work.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cordon/json.h"
#include "cordon/protocol/tunnel/envelope.h"

namespace cordon::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class RequestWorkTest : public ::testing::Test {
 protected:
  PayloadReader reader() const { return {serializer_, regexps_}; }
  InputWork work(std::optional<schema::Schema> schema = {}) const {
    return InputWork({.reader = reader(), .schema = std::move(schema)});
  }
  std::shared_ptr<InputWork> reading(std::string text) const {
    auto made = std::make_shared<InputWork>(InputWork::Options{.reader = reader()});
    made->set_body(InputWork::Form::task, std::move(text), {});
    return made;
  }

  host::SandboxRegExps regexps_;
  rich::Serializer serializer_{{}, regexps_};
  RequestMemory memory_{std::size_t{1} << 30};
};

schema::Schema compiled(std::string_view text) {
  return schema::Schema::compile(from_json(text).value()).value();
}

std::string pattern(int number) {
  return R"({"__type":"RegExp","value":{"pattern":"p)" + std::to_string(number) +
         R"(","flags":""}})";
}

std::string patterns(int first, int count) {
  std::string text = R"({"input":[)";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + pattern(first + i);
  return text + "]}";
}

bool is_done_here(RequestWork& work) {
  work.begin();
  return work.is_done();
}
bool is_done_here(const std::shared_ptr<InputWork>& work) { return is_done_here(*work); }
bool is_done_away(RequestWork& work) {
  work.finish();
  return work.is_done();
}
bool is_done_away(const std::shared_ptr<InputWork>& work) { return is_done_away(*work); }

// A few nodes that hold the next one twice.
Value doubled(int levels) {
  Value value = Value::object({{"end", 1}});
  for (int i = 0; i < levels; ++i) value = Value::object({{"a", value}, {"b", value}});
  return value;
}

TEST_F(RequestWorkTest, ReadsSmallBodiesWhereItIs) {
  const auto small = reading(R"({"input":7})");
  EXPECT_TRUE(is_done_here(small));
  EXPECT_EQ(small->take_input(), Value(7));
  EXPECT_EQ(small->take_contexts(), Value::object({}));

  const auto large = reading("\"" + std::string(max_text_bytes_here, 'x') + "\"");
  EXPECT_FALSE(is_done_here(large));
  EXPECT_TRUE(is_done_away(large));
  EXPECT_EQ(large->take_input().size(), max_text_bytes_here);

  const auto wrong = reading("{");
  EXPECT_TRUE(is_done_here(wrong));
  EXPECT_EQ(wrong->refusal(), tunnel::invalid_json());
  EXPECT_EQ(wrong->failure(), "");
}

TEST_F(RequestWorkTest, AsksForPatternsElsewhere) {
  const auto first = reading(patterns(0, 3));
  EXPECT_FALSE(is_done_here(first));
  EXPECT_EQ(regexps_.asked(), 0u);
  EXPECT_TRUE(is_done_away(first));
  EXPECT_FALSE(first->refusal());
  EXPECT_EQ(regexps_.asked(), 3u);
  // What is known needs nobody.
  EXPECT_TRUE(is_done_here(reading(patterns(0, 3))));
}

TEST_F(RequestWorkTest, RefusesTooManyNewPatterns) {
  const auto many = reading(patterns(100, 51));
  EXPECT_FALSE(is_done_here(many));
  EXPECT_TRUE(is_done_away(many));
  EXPECT_EQ(many->refusal(), tunnel::invalid_json());
  EXPECT_THAT(many->failure(), StartsWith("Too many RegExp patterns (50)"));
  EXPECT_EQ(regexps_.asked(), 50u);
}

TEST_F(RequestWorkTest, ChecksWhatIsShortWhereItIs) {
  InputWork right = work(compiled(R"({"type":"object"})"));
  right.set_input(doubled(60));
  EXPECT_TRUE(is_done_here(right));
  EXPECT_FALSE(right.refusal());

  InputWork wrong = work(compiled(R"({"type":"array"})"));
  wrong.set_input(doubled(60));
  EXPECT_TRUE(is_done_here(wrong));
  ASSERT_TRUE(wrong.refusal());
  EXPECT_EQ(wrong.refusal()->code, "VALIDATION_ERROR");

  InputWork large = work(compiled(R"({"items":{"type":"number"}})"));
  large.set_input(Value::array_from(std::vector<Value>(50'000, Value(1))));
  EXPECT_FALSE(is_done_here(large));
  EXPECT_TRUE(is_done_away(large));
  EXPECT_FALSE(large.refusal());

  InputWork backtracking = work(compiled(R"x({"pattern":"(?=a)"})x"));
  backtracking.set_input(Value("a"));
  EXPECT_FALSE(is_done_here(backtracking));
  EXPECT_TRUE(is_done_away(backtracking));
}

TEST_F(RequestWorkTest, GivesUpOnWhatTakesTooLongToCheck) {
  InputWork::Options options{.reader = reader(), .schema = compiled(R"({"uniqueItems":true})")};
  options.check.max_steps = 100'000;
  InputWork endless(std::move(options));
  endless.set_input(Value::array({doubled(60), doubled(60)}));
  EXPECT_FALSE(is_done_here(endless));
  EXPECT_TRUE(is_done_away(endless));
  ASSERT_TRUE(endless.refusal());
  EXPECT_THAT(endless.refusal()->message, HasSubstr("takes too much to check"));
  EXPECT_NE(endless.failure(), "");
}

TEST_F(RequestWorkTest, ReadsEvents) {
  InputWork event = work();
  event.set_body(InputWork::Form::event, R"({"payload":[1],"returnPayload":true})", {});
  EXPECT_TRUE(is_done_here(event));
  EXPECT_TRUE(event.returns_payload());
  EXPECT_EQ(event.take_input(), Value::array({1}));

  InputWork parallel = work();
  parallel.set_body(InputWork::Form::event, R"({"payload":[1],"returnPayload":true})", {});
  parallel.refuse_return_of("app.e");
  EXPECT_TRUE(is_done_here(parallel));
  EXPECT_EQ(parallel.refusal(), tunnel::parallel_event("app.e"));
}

TEST_F(RequestWorkTest, ReadsContextsUnderTheSameRules) {
  const auto ids = std::make_shared<const std::vector<std::string>>(1, "ctx");
  const auto with_header = [&](std::string text) {
    auto made = std::make_shared<InputWork>(InputWork::Options{.reader = reader()});
    made->set_contexts(to_json(Value::object({{"ctx", text}})).value(), ids);
    return made;
  };
  const auto plain = with_header("[1]");
  EXPECT_TRUE(is_done_here(plain));
  EXPECT_EQ(plain->take_contexts(), Value::object({{"ctx", Value::array({1})}}));
  const auto unknown = with_header(pattern(7));
  EXPECT_FALSE(is_done_here(unknown));
  EXPECT_TRUE(is_done_away(unknown));
  EXPECT_EQ(unknown->take_contexts().find("ctx").kind(), Kind::regexp);
  // Past what is allowed it is left out, as whatever cannot be read is.
  const auto many = with_header(patterns(1000, 60));
  EXPECT_TRUE(is_done_away(many));
  EXPECT_FALSE(many->refusal());
  EXPECT_EQ(many->take_contexts(), Value::object({}));
}

TEST_F(RequestWorkTest, IsOverloadedWhereOthersHaveTheMemory) {
  const auto whole = std::make_shared<Budget>(Budget::Limits{.bytes = 1 << 20});
  std::string text = "[";
  for (int i = 0; i < 200'000; ++i) text += "0,";
  text += "0]";
  const auto reading_within = [&](std::size_t bytes) {
    auto made = std::make_shared<InputWork>(InputWork::Options{
        .reader = reader(),
        .budget = std::make_shared<Budget>(Budget::Limits{.bytes = bytes}, whole)});
    made->set_body(InputWork::Form::task, text, {});
    EXPECT_TRUE(is_done_away(made));
    return made;
  };
  EXPECT_EQ(reading_within(std::size_t{64} << 20)->refusal(), tunnel::overloaded());
  const auto alone = reading_within(100'000);
  EXPECT_EQ(alone->refusal(), tunnel::invalid_json());
  EXPECT_NE(alone->failure(), "");
  EXPECT_EQ(whole->used(), 0u);
}

TEST_F(RequestWorkTest, WritesSmallAnswersWhereItIs) {
  AnswerWork small(serializer_, Value(3), 1 << 20, memory_, "client");
  EXPECT_TRUE(is_done_here(small));
  EXPECT_EQ(small.take_text(), R"({"ok":true,"result":3})");
  EXPECT_EQ(small.take_charge().bytes(), 0u);
}

TEST_F(RequestWorkTest, WritesLargeAnswersElsewhereAndChargesThem) {
  const Value result(std::string(100'000, 'x'));
  AnswerWork large(serializer_, result, 1 << 20, memory_, "client");
  EXPECT_FALSE(is_done_here(large));
  EXPECT_TRUE(is_done_away(large));
  const std::string text = large.take_text();
  EXPECT_EQ(text.size(), 100'000u + std::string_view(R"({"ok":true,"result":""})").size());
  EXPECT_EQ(large.take_charge().bytes(), text.size());

  RequestMemory little(1 << 20);
  Charge taken(little.for_request("client", RequestMemory::large_bytes + 1));
  ASSERT_TRUE(taken.add(400'000));
  AnswerWork waiting(serializer_, result, 1 << 20, little, "client");
  EXPECT_TRUE(is_done_away(waiting));
  EXPECT_EQ(waiting.refusal(), tunnel::overloaded());
}

TEST_F(RequestWorkTest, RefusesAnswersPastTheirLimit) {
  // Five million times {"__type":"Undefined","value":null}
  const Value holes = Value::array_from(std::vector<Value>(5'000'000));
  AnswerWork work(serializer_, holes, 1 << 20, memory_, "client");
  EXPECT_FALSE(is_done_here(work));
  EXPECT_TRUE(is_done_away(work));
  EXPECT_EQ(work.refusal(), tunnel::internal_error());
  EXPECT_THAT(work.failure(), HasSubstr("the answer cannot be written"));

  AnswerWork error(serializer_, TypedError{"id", "message", holes}, 1 << 20, memory_, "client");
  EXPECT_FALSE(is_done_here(error));
  EXPECT_TRUE(is_done_away(error));
  EXPECT_EQ(error.refusal(), tunnel::internal_error());

  // A limit below that of small answers holds for them.
  AnswerWork small(serializer_, Value(std::string(2000, 'x')), 1024, memory_, "client");
  EXPECT_TRUE(is_done_here(small));
  EXPECT_EQ(small.refusal(), tunnel::internal_error());
}

TEST_F(RequestWorkTest, WritesSharedNodesOnce) {
  const Value result = doubled(40);
  AnswerWork work(serializer_, result, std::size_t{64} << 20, memory_, "client");
  EXPECT_FALSE(is_done_here(work));
  EXPECT_TRUE(is_done_away(work));
  ASSERT_FALSE(work.refusal()) << work.failure();
  const std::string text = work.take_text();
  EXPECT_LT(text.size(), 10'000u);
  const Value envelope = serializer_.parse(text).value();
  EXPECT_TRUE(equal(envelope.find("result"), result, Sharing::compared));
}

}  // namespace
}  // namespace cordon::server
