#include "cordon/host/turn_answers.h"

#include <thread>

#include <gtest/gtest.h>

namespace cordon::host {
namespace {

TEST(TurnAnswers, KeepsWhatIsAnsweredInsideOfACall) {
  TurnAnswers answers;
  Delivery::Answer answer{1, Value(7)};
  Delivery::PortAnswer port_answer{2, std::monostate()};
  {
    const TurnAnswers::Calling calling(answers);
    EXPECT_TRUE(answers.keep(answer));
    EXPECT_TRUE(answers.keep(port_answer));
  }
  const auto kept = answers.take();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].result, Value(7));
  EXPECT_EQ(answers.take_of_port().size(), 1u);
  EXPECT_TRUE(answers.take().empty());
  EXPECT_TRUE(answers.take_of_port().empty());
}

TEST(TurnAnswers, LeavesAloneWhatIsAnsweredOutsideOfACall) {
  TurnAnswers answers;
  Delivery::Answer answer{1, Value(7)};
  EXPECT_FALSE(answers.keep(answer));
  {
    const TurnAnswers::Calling calling(answers);
  }
  EXPECT_FALSE(answers.keep(answer));
  EXPECT_EQ(answer.result, Value(7));
  EXPECT_TRUE(answers.take().empty());
}

TEST(TurnAnswers, LeavesAloneWhatAnotherThreadAnswersMeanwhile) {
  TurnAnswers answers;
  const TurnAnswers::Calling calling(answers);
  bool kept = true;
  std::thread([&] {
    Delivery::Answer answer{1, Value(7)};
    kept = answers.keep(answer);
  }).join();
  EXPECT_FALSE(kept);
}

TEST(TurnAnswers, GoesOnKeepingAfterACallInsideOfACall) {
  TurnAnswers answers;
  Delivery::Answer answer{1, Value(7)};
  const TurnAnswers::Calling outer(answers);
  {
    const TurnAnswers::Calling inner(answers);
  }
  EXPECT_TRUE(answers.keep(answer));
}

TEST(TurnAnswers, TellsTwoExecutionsOfOneThreadApart) {
  TurnAnswers one;
  TurnAnswers other;
  Delivery::Answer answer{1, Value(7)};
  const TurnAnswers::Calling calling(one);
  EXPECT_FALSE(other.keep(answer));
  {
    const TurnAnswers::Calling inner(other);
  }
  EXPECT_TRUE(one.keep(answer));
}

}  // namespace
}  // namespace cordon::host
