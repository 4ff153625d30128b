// Multipart requests: manifests, files, their limits, and tasks that read in odd ways.

#include "running_server.h"
#include <gtest/gtest.h>

namespace cordon::tunnel_test {
namespace {

const std::string multipart =
    std::string(token) + "content-type: multipart/form-data; boundary=b0\r\n";

std::string manifest(std::string_view text) {
  return "--b0\r\nContent-Disposition: form-data; name=\"__manifest\"\r\n\r\n" + std::string(text) +
         "\r\n";
}

std::string file(std::string_view id, std::string_view content,
                 std::string_view type = "text/plain") {
  return "--b0\r\nContent-Disposition: form-data; name=\"file:" + std::string(id) +
         "\"; filename=\"part.txt\"\r\nContent-Type: " + std::string(type) + "\r\n\r\n" +
         std::string(content) + "\r\n";
}

const std::string closing = "--b0--\r\n";
const std::string one =
    R"({"input":{"file":{"$runnerFile":"File","id":"f1","meta":{"name":"doc.txt"}}}})";
const std::string two =
    R"({"input":{"files":[{"$runnerFile":"File","id":"f1","meta":{"name":"a","type":"t"}},{"$runnerFile":"File","id":"f2","meta":{"name":"b","type":"t"}}]}})";

Coroutine<Result<Value>> count(TaskFile& from) {
  double bytes = 0;
  for (;;) {
    Result<Bytes> piece = co_await next_piece(*from.stream);
    if (!piece) co_return fail(piece.error());
    if (piece->empty()) break;
    bytes += static_cast<double>(piece->size());
  }
  co_return Value(bytes);
}

void set_up(Server& server) {
  server.task("upload", [](TaskCall& call) -> Coroutine<Result<Value>> {
    Result<Value> bytes = co_await count(call.files.at(0));
    if (!bytes) co_return fail(bytes.error());
    co_return Value::object({{"bytes", *bytes}, {"input", call.input}});
  });
  // Reads the last file first.
  server.task("backwards", [](TaskCall& call) -> Coroutine<Result<Value>> {
    std::vector<Value> sizes;
    for (auto at = call.files.rbegin(); at != call.files.rend(); ++at) {
      Result<Value> bytes = co_await count(*at);
      if (!bytes) co_return fail(bytes.error());
      sizes.push_back(*bytes);
    }
    co_return Value::array_from(sizes);
  });
  server.task("ignore", [](TaskCall& call) -> Result<Value> {
    return static_cast<double>(call.files.size());
  });
  server.task("stream",
              [](TaskCall& call) -> TaskAnswer { return StreamedResult{call.files.at(0).stream}; });
}

class TunnelUploads : public testing::Test {
 protected:
  RunningServer server_{{.auth = {.tokens = {"secret"}}}, set_up};

  Response upload(std::string_view task, std::string_view body) {
    return server_.ask("POST", "/__runner/task/" + std::string(task), multipart, body);
  }

  void expect_error(const Response& response, unsigned status, const std::string& message,
                    const std::string& code) {
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.body,
              R"({"ok":false,"error":{"message":")" + message + R"(","code":")" + code + R"("}})");
  }
};

TEST_F(TunnelUploads, AFileIsDescribedByItsManifestAndThenItsPart) {
  EXPECT_EQ(
      upload("upload", manifest(one) + file("f1", "content") + closing).body,
      R"({"ok":true,"result":{"bytes":7,"input":{"file":{"name":"doc.txt","type":"text/plain"}}}})");
}

TEST_F(TunnelUploads, TheManifestMayComeLast) {
  EXPECT_EQ(
      upload("upload", file("f1", "content") + manifest(one) + closing).body,
      R"({"ok":true,"result":{"bytes":7,"input":{"file":{"name":"doc.txt","type":"text/plain"}}}})");
  // More than is held in memory.
  const std::string large(4 << 20, 'x');
  EXPECT_EQ(
      upload("upload", file("f1", large) + manifest(one) + closing).body,
      R"({"ok":true,"result":{"bytes":4194304,"input":{"file":{"name":"doc.txt","type":"text/plain"}}}})");
}

TEST_F(TunnelUploads, FilesMayBeReadInAnyOrder) {
  const std::string large(4 << 20, 'x');
  EXPECT_EQ(
      upload("backwards", manifest(two) + file("f1", large) + file("f2", "ab") + closing).body,
      R"({"ok":true,"result":[2,4194304]})");
  EXPECT_EQ(
      upload("backwards", manifest(two) + file("f2", large) + file("f1", large) + closing).body,
      R"({"ok":true,"result":[4194304,4194304]})");
}

TEST_F(TunnelUploads, FilesNeedNotBeRead) {
  const std::string large(4 << 20, 'x');
  EXPECT_EQ(upload("ignore", manifest(two) + file("f1", large) + file("f2", large) + closing).body,
            R"({"ok":true,"result":2})");
}

TEST_F(TunnelUploads, PartsThatNobodyExpectsAreDropped) {
  const std::string large(4 << 20, 'x');
  EXPECT_EQ(
      upload("upload",
             manifest(one) + file("zzz", large) + file("f1", "abc") + file("f1", "again") + closing)
          .body,
      R"({"ok":true,"result":{"bytes":3,"input":{"file":{"name":"doc.txt","type":"application/octet-stream"}}}})")
      << "the type is not known while a large part is in the way";
}

TEST_F(TunnelUploads, AFileCanBeStreamedBack) {
  const std::string large(4 << 20, 'x');
  const Response response = upload("stream", manifest(one) + file("f1", large) + closing);
  EXPECT_TRUE(response.is_whole);
  EXPECT_TRUE(response.body == large);
}

TEST_F(TunnelUploads, WhatIsMalformedIsRefused) {
  expect_error(server_.ask("POST", "/__runner/task/upload",
                           std::string(token) + "content-type: multipart/form-data\r\n", "x"),
               400, "Invalid multipart payload", "INVALID_MULTIPART");
  expect_error(upload("upload", "x"), 400, "Invalid multipart payload", "INVALID_MULTIPART");
  expect_error(upload("upload", closing), 400, "Missing manifest", "MISSING_MANIFEST");
  expect_error(upload("upload", manifest("3") + closing), 400, "Missing manifest",
               "MISSING_MANIFEST");
  expect_error(upload("upload", manifest("{bad") + closing), 400, "Invalid manifest",
               "INVALID_MULTIPART");
  expect_error(upload("upload", manifest(one) + "--b0\nx"), 400, "Invalid multipart payload",
               "INVALID_MULTIPART");
}

TEST_F(TunnelUploads, FilesThatDoNotComeAreMissed) {
  expect_error(upload("upload", manifest(one) + closing), 500, "Internal Error",
               "MISSING_FILE_PART");
  expect_error(upload("ignore", manifest(two) + file("f1", "x") + closing), 500, "Internal Error",
               "MISSING_FILE_PART");
}

TEST_F(TunnelUploads, ABodyThatEndsInAFileIsAStreamError) {
  std::string body = manifest(one) + file("f1", "content");
  body.resize(body.size() - 4);
  expect_error(upload("upload", body), 500, "Internal Error", "STREAM_ERROR");
}

TEST(TunnelUploadLimits, AreHeldOneByOne) {
  const RunningServer server(
      {.auth = {.tokens = {"secret"}},
       .limits = {.multipart = {.file_bytes = 1000, .files = 2, .fields = 2, .field_bytes = 300}}},
      set_up);
  const auto upload = [&](std::string_view task, const std::string& body) {
    return server.ask("POST", "/__runner/task/" + std::string(task), multipart, body).body;
  };
  EXPECT_EQ(
      upload("upload", manifest(one) + file("f1", std::string(1000, 'x')) + closing),
      R"({"ok":true,"result":{"bytes":1000,"input":{"file":{"name":"doc.txt","type":"text/plain"}}}})");
  const auto refused = [](const std::string& message) {
    return R"({"ok":false,"error":{"message":")" + message + R"(","code":"PAYLOAD_TOO_LARGE"}})";
  };
  EXPECT_EQ(upload("upload", manifest(one) + file("f1", std::string(1001, 'x')) + closing),
            refused("File size limit exceeded"));
  EXPECT_EQ(upload("ignore", manifest(one) + file("f1", std::string(1001, 'x')) + closing),
            refused("File size limit exceeded"));
  EXPECT_EQ(
      upload("upload", manifest(one) + file("f1", "") + file("b", "") + file("c", "") + closing),
      refused("Files limit exceeded"));
  const std::string field = "--b0\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n";
  EXPECT_EQ(upload("ignore", manifest("{}") + field + field + closing),
            refused("Fields limit exceeded"));
  EXPECT_EQ(upload("ignore", manifest(R"({"input":")" + std::string(300, 'x') + "\"}") + closing),
            refused("Field limit exceeded"));
}

}  // namespace
}  // namespace cordon::tunnel_test
