#include "cordon/cli/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace cordon::cli {
namespace {

TEST(TerminalOf, HasColoursOnlyWhereItIsATerminal) {
  const Terminal plain(false);
  const Terminal coloured(true);
  EXPECT_EQ(plain.styled(Style::red, "x"), "x");
  EXPECT_EQ(coloured.styled(Style::red, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(coloured.styled(Style::plain, "x"), "x");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(Terminal::of(ends[1]).styled(Style::red, "x"), "x") << "a pipe is none";
  EXPECT_EQ(Terminal::of(-1).styled(Style::red, "x"), "x");
  close(ends[0]);
  close(ends[1]);
}

TEST(WriteAll, WritesMoreThanAPipeHolds) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string text(1 << 20, 'x');
  std::string received;
  std::thread reader([&] {
    char buffer[4096];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
      received.append(buffer, static_cast<std::size_t>(got));
    }
  });
  EXPECT_TRUE(write_all(ends[1], text));
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_EQ(received, text);
}

TEST(WriteAll, SaysWhereNobodyTakesIt) {
  signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_FALSE(write_all(ends[1], "text"));
  close(ends[1]);
  EXPECT_FALSE(write_all(-1, "text"));
  EXPECT_TRUE(write_all(-1, "")) << "nothing is always written";
}

}  // namespace
}  // namespace cordon::cli
