#include "cordon/transport/http/client_http2.h"

#include <gtest/gtest.h>

#include "cordon/transport/http/testing/client_driver.h"
#include "cordon/transport/http/testing/tls_server.h"

namespace cordon::transport::http {
namespace {

using namespace std::chrono_literals;
using testing::ClientDriver;
using testing::Fetched;
using testing::in;

class ManyBytes : public ByteSource {
 public:
  explicit ManyBytes(std::uint64_t left) : left_(left) {}
  void read(Next next) override {
    const std::uint64_t size = std::min<std::uint64_t>(left_, 65'536);
    left_ -= size;
    next(Bytes(size, 'x'));
  }
  void close() override { is_closed = true; }

  bool is_closed = false;

 private:
  std::uint64_t left_;
};

class ManualSource : public ByteSource {
 public:
  void read(Next next) override { next_ = std::move(next); }
  void close() override {}
  void give(std::string_view text) {
    std::exchange(next_, nullptr)(Bytes(text.begin(), text.end()));
  }
  bool is_wanted() const { return static_cast<bool>(next_); }

 private:
  Next next_ = nullptr;
};

class ClientHttp2Test : public testing::TlsServerTest {
 protected:
  HttpRequest to(const std::string& target, std::vector<HttpBodyPart> body = {}) const {
    return {.target = target, .body = std::move(body)};
  }
  const std::string base = url("");
  ClientDriver driver{{.trusted_certificates = certificate_}};
};

TEST_F(ClientHttp2Test, CarriesManyRequestsOnOneConnection) {
  std::vector<const Fetched*> all;
  for (int i = 0; i < 300; ++i)
    all.push_back(&driver.begin(base, to("/echo", {"number " + std::to_string(i)})));
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(driver.finish(*all[static_cast<std::size_t>(i)]).text(),
              "200 number " + std::to_string(i));
  EXPECT_EQ(driver.client->figures().opened, 1u);
}

TEST_F(ClientHttp2Test, SendsHeadersInLowerCase) {
  HttpRequest request = to("/empty");
  request.headers = {{"X-Mine", " a b "}, {"User-Agent", "mine"}};
  EXPECT_EQ(driver.fetch(base, request), "204 ");
  EXPECT_EQ(driver.fetch(base, {.method = "GET", .target = "/large"}).substr(0, 3), "200");
}

TEST_F(ClientHttp2Test, SendsAndReadsLargeBodies) {
  const std::string large(5'000'000, 'x');
  EXPECT_EQ(driver.fetch(base, to("/echo", {large})), "200 " + large);
  const auto source = std::make_shared<ManyBytes>(5'000'000);
  EXPECT_EQ(driver.fetch(base, to("/count", {SourcePart{source}})), "200 5000000");
  const auto known = std::make_shared<ManyBytes>(5'000'000);
  EXPECT_EQ(driver.fetch(base, to("/count", {"<", SourcePart{known, 100'000}, ">"})), "200 100002");
  const auto few = std::make_shared<ManyBytes>(10);
  EXPECT_EQ(driver.fetch(base, to("/count", {SourcePart{few, 100'000}})), "body_failed");
  EXPECT_EQ(driver.client->figures().opened, 1u);
}

TEST_F(ClientHttp2Test, StreamsBothWays) {
  const auto source = std::make_shared<ManualSource>();
  const Fetched& fetched = driver.begin(base, to("/echo", {SourcePart{source}}));
  std::string sent;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(driver.run_until([&] { return source->is_wanted(); }));
    const std::string piece = "piece " + std::to_string(i) + "\n";
    sent += piece;
    source->give(piece);
    ASSERT_TRUE(driver.run_until([&] { return fetched.body == sent; })) << i;
  }
  ASSERT_TRUE(driver.run_until([&] { return source->is_wanted(); }));
  source->give("");
  EXPECT_EQ(driver.finish(fetched).text(), "200 " + sent);
}

TEST_F(ClientHttp2Test, LetsASlowReaderHoldUpItsOwnAnswerAlone) {
  HttpTransfer slow;
  bool has_head = false;
  const auto source = std::make_shared<ManyBytes>(20'000'000);
  HttpRequest request = to("/echo", {SourcePart{source}});
  slow = driver.client->start(*Origin::parse(base), std::move(request),
                              [&](auto head) { has_head = head.has_value(); });
  ASSERT_TRUE(driver.run_until([&] { return has_head; }));
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(driver.fetch(base, to("/echo", {large})), "200 " + large);
  std::size_t got = 0;
  bool is_over = false;
  std::function<void()> read = [&] {
    slow.read([&](HttpResult<BytesView> piece) {
      ASSERT_TRUE(piece);
      ASSERT_LE(piece->size(), std::size_t{ClientHttp2::stream_window_bytes});
      got += piece->size();
      if (piece->empty()) {
        is_over = true;
      } else {
        read();
      }
    });
  };
  read();
  EXPECT_TRUE(driver.run_until([&] { return is_over; }));
  EXPECT_EQ(got, 20'000'000u);
  EXPECT_EQ(driver.client->figures().opened, 1u);
}

TEST_F(ClientHttp2Test, ReadsAnAnswerThatComesBeforeTheRequestHasLeft) {
  const auto source = std::make_shared<ManyBytes>(std::uint64_t{1} << 40);
  const std::string text = driver.fetch(base, to("/413", {SourcePart{source}}));
  EXPECT_EQ(text.substr(0, 3), "413") << text;
  EXPECT_TRUE(source->is_closed);
  EXPECT_EQ(driver.fetch(base, to("/echo", {"a"})), "200 a");
}

TEST_F(ClientHttp2Test, EndsARequestAlone) {
  HttpRequest late = to("/wait");
  late.deadline = in(50ms);
  EXPECT_EQ(driver.fetch(base, std::move(late)), "timeout");
  const Fetched& cancelled = driver.begin(base, to("/wait"));
  driver.run_until([] { return false; }, 20ms);
  driver.transfer_of(cancelled).cancel();
  EXPECT_EQ(driver.finish(cancelled).text(), "cancelled");
  const Fetched& dropped = driver.begin(base, to("/wait"));
  driver.run_until([] { return false; }, 20ms);
  driver.transfer_of(dropped) = {};
  EXPECT_TRUE(driver.run_until([&] { return server_->aborted >= 3; }));
  EXPECT_EQ(driver.fetch(base, to("/echo", {"a"})), "200 a");
  EXPECT_EQ(driver.client->figures().opened, 1u);
}

TEST_F(ClientHttp2Test, NoticesAnAnswerThatBreaksOff) {
  const std::string text = driver.fetch(base, to("/half"));
  EXPECT_TRUE(text.ends_with("truncated")) << text;
  EXPECT_EQ(driver.fetch(base, to("/echo", {"a"})), "200 a");
}

TEST_F(ClientHttp2Test, BoundsTheHead) {
  ClientDriver narrow({.head = {.bytes = 60, .count = 100}, .trusted_certificates = certificate_});
  EXPECT_EQ(narrow.fetch(base, to("/echo", {"a"})), "too_large");
}

TEST_F(ClientHttp2Test, OpensAnotherConnectionWhereTheServerHasEndedOne) {
  EXPECT_EQ(driver.fetch(base, to("/echo", {"a"})), "200 a");
  server_->on_loop([this] { server_->server().close_all(); });
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(driver.client->figures().connections, 1u);
  const Fetched& fetched = driver.finish(driver.begin(base, to("/echo", {"b"})));
  EXPECT_EQ(driver.client->figures().opened, 2u) << fetched.text();
}

TEST_F(ClientHttp2Test, DropsAConnectionThatWasIdleForLong) {
  ClientDriver brief({.idle_timeout = 30ms, .trusted_certificates = certificate_});
  EXPECT_EQ(brief.fetch(base, to("/echo", {"a"})), "200 a");
  EXPECT_EQ(brief.client->figures().connections, 1u);
  EXPECT_TRUE(brief.run_until([&] { return brief.client->figures().connections == 0; }));
}

TEST_F(ClientHttp2Test, EndsAllThatItDoesWithItself) {
  std::vector<const Fetched*> all;
  for (int i = 0; i < 10; ++i) all.push_back(&driver.begin(base, to("/wait")));
  driver.run_until([] { return false; }, 50ms);
  driver.client.reset();
  driver.run_until([] { return false; }, 20ms);
  for (const Fetched* const one : all) EXPECT_EQ(one->text(), ", not over");
}

TEST_F(ClientHttp2Test, SpeaksHttp1WhereTheServerDoes) {
  ClientDriver old({.offers_http2 = false, .trusted_certificates = certificate_});
  std::vector<const Fetched*> all;
  for (int i = 0; i < 3; ++i) all.push_back(&old.begin(base, to("/echo", {"a"})));
  for (const Fetched* const one : all) EXPECT_EQ(old.finish(*one).text(), "200 a");
  EXPECT_EQ(old.client->figures().opened, 3u);
}

}  // namespace
}  // namespace cordon::transport::http
