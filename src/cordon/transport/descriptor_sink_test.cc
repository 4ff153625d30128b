#include "cordon/transport/descriptor_sink.h"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cordon::transport {
namespace {

using namespace std::chrono_literals;

struct Ends {
  ~Ends() {
    for (const int end : {reader, writer}) {
      if (end >= 0) close(end);
    }
  }
  int reader = -1;
  int writer = -1;
};

void open_pipe(Ends& ends) {
  std::array<int, 2> pair{};
  ASSERT_EQ(pipe(pair.data()), 0);
  ends.reader = pair[0];
  ends.writer = pair[1];
}

void open_sockets(Ends& ends) {
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  ends.reader = pair[0];
  ends.writer = pair[1];
}

class DescriptorSinkTest : public testing::Test {
 protected:
  DescriptorSinkTest() { std::signal(SIGPIPE, SIG_IGN); }

  DescriptorSink::Done note() {
    return [this](Result<> result) { result_ = std::move(result); };
  }

  boost::asio::io_context io_{1};
  std::optional<Result<>> result_;
};

TEST_F(DescriptorSinkTest, WritesAllThoughItsReaderIsSlow) {
  std::string text;
  for (int i = 0; text.size() < (std::size_t{3} << 20); ++i) text += std::to_string(i) + "\n";
  for (const auto open : {open_pipe, open_sockets}) {
    Ends ends;
    open(ends);
    result_.reset();
    std::string got;
    std::jthread reader([&] {
      std::this_thread::sleep_for(50ms);
      std::array<char, 70'000> buffer;
      while (got.size() < text.size()) {
        const ssize_t size = read(ends.reader, buffer.data(), buffer.size());
        if (size <= 0) return;
        got.append(buffer.data(), static_cast<std::size_t>(size));
      }
    });
    DescriptorSink sink(io_, ends.writer);
    sink.write(text, note());
    EXPECT_FALSE(result_) << "nobody has read yet";
    io_.restart();
    io_.run();
    reader.join();
    ASSERT_TRUE(result_);
    EXPECT_TRUE(*result_);
    EXPECT_EQ(got == text, true);
  }
}

TEST_F(DescriptorSinkTest, LetsTheLoopDoOtherThingsMeanwhile) {
  Ends ends;
  open_pipe(ends);
  DescriptorSink sink(io_, ends.writer);
  sink.write(std::string(std::size_t{1} << 20, 'x'), note());
  bool was_called = false;
  boost::asio::post(io_, [&] { was_called = true; });
  io_.run_for(50ms);
  EXPECT_TRUE(was_called);
  EXPECT_FALSE(result_);
}

TEST_F(DescriptorSinkTest, WritesToFilesAndDevices) {
  Ends file;
  std::string name = testing::TempDir() + "/cordon_sink_XXXXXX";
  file.writer = mkstemp(name.data());
  DescriptorSink(io_, file.writer).write(std::string(200'000, 'x'), note());
  ASSERT_TRUE(result_);
  EXPECT_TRUE(*result_);
  EXPECT_EQ(lseek(file.writer, 0, SEEK_END), 200'000);
  unlink(name.c_str());

  result_.reset();
  Ends null;
  null.writer = open("/dev/null", O_WRONLY);
  DescriptorSink sink(io_, null.writer);
  sink.write(std::string(200'000, 'x'), note());
  io_.run();
  ASSERT_TRUE(result_);
  EXPECT_TRUE(*result_);
}

TEST_F(DescriptorSinkTest, TellsThatNothingCanBeWritten) {
  Ends full;
  full.writer = open("/dev/full", O_WRONLY);
  DescriptorSink sink(io_, full.writer);
  sink.write("x", note());
  io_.run();
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->error().is(ErrorCode::closed));
  EXPECT_THAT(result_->error().message, testing::HasSubstr("No space left"));

  result_.reset();
  Ends gone;
  open_pipe(gone);
  close(std::exchange(gone.reader, -1));
  DescriptorSink(io_, gone.writer).write("x", note());
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->error().is(ErrorCode::closed));

  result_.reset();
  DescriptorSink none(io_, 1'000'000);
  none.write("x", note());
  io_.restart();
  io_.run();
  ASSERT_TRUE(result_);
  EXPECT_FALSE(*result_);
}

TEST_F(DescriptorSinkTest, NoticesThatItsReaderGoesAway) {
  for (const auto open : {open_pipe, open_sockets}) {
    Ends ends;
    open(ends);
    DescriptorSink sink(io_, ends.writer);
    bool is_gone = false;
    sink.on_reader_gone([&] { is_gone = true; });
    io_.restart();
    io_.run_for(20ms);
    EXPECT_FALSE(is_gone);
    close(std::exchange(ends.reader, -1));
    io_.restart();
    io_.run_for(10s);
    EXPECT_TRUE(is_gone);
  }
}

}  // namespace
}  // namespace cordon::transport
