// `cordon runner` with standard streams that are files, devices, or not there.

#include <string>

#include "../conformance/execbox_host.h"
#include "process.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::e2e {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Command runner(Stream output) {
  return {.arguments = {"runner"},
          .input = conformance::execute_line({.code = "6 * 7"}) + "\n",
          .output = output};
}

TEST(RunnerStreams, AnswersWhereItsInputIsAPipeThatEnds) {
  const Ended ended = run(cordon_program(), runner(Stream::pipe));
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.output, HasSubstr("\"result\":42"));
  EXPECT_THAT(ended.errors, IsEmpty());
}

TEST(RunnerStreams, SaysWhyItCannotWrite) {
  for (const Stream stream : {Stream::closed_pipe, Stream::closed, Stream::full_device}) {
    const Ended ended = run(cordon_program(), runner(stream));
    EXPECT_EQ(ended.exit_code, 70);
    EXPECT_THAT(ended.errors, HasSubstr("cordon runner: cannot write to standard output: "));
  }
}

TEST(RunnerStreams, HelpsWithAnExample) {
  const Ended ended = run(cordon_program(), {.arguments = {"runner", "--help"}});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.output, HasSubstr("| cordon runner"));
}

}  // namespace
}  // namespace cordon::e2e
