#include "cordon/protocol/tunnel/upload_session.h"

#include <gtest/gtest.h>

#include "cordon/base/bytes.h"
#include "cordon/codec/rich/testing/stand_ins.h"

namespace cordon::tunnel {
namespace {

const rich::StandInRegExps regexps;
const rich::Serializer serializer({}, regexps);

std::string field(std::string_view name, std::string_view value) {
  return "--b0\r\nContent-Disposition: form-data; name=\"" + std::string(name) + "\"\r\n\r\n" +
         std::string(value) + "\r\n";
}
std::string file(std::string_view id, std::string_view content, std::string_view type = "") {
  return "--b0\r\nContent-Disposition: form-data; name=\"file:" + std::string(id) +
         "\"; filename=\"part.txt\"\r\n" +
         (type.empty() ? "" : "Content-Type: " + std::string(type) + "\r\n") + "\r\n" +
         std::string(content) + "\r\n";
}
std::string placeholder(std::string_view id, std::string_view meta) {
  return R"({"$runnerFile":"File","id":")" + std::string(id) + R"(","meta":)" + std::string(meta) +
         "}";
}
std::string manifest(std::string_view input) {
  return field("__manifest", R"({"input":)" + std::string(input) + "}");
}
const std::string described = placeholder("1", R"({"name":"n","type":"t"})");
const std::string bare = placeholder("1", "{}");
const std::string closing = "--b0--\r\n";

// What the session ordered: "[id" for a file, its bytes, "]", "ready" with the input where that is
// known, and how it ended.
std::string read(std::string_view body, std::size_t piece_bytes = 1'000'000,
                 const MultipartLimits& limits = {}) {
  UploadSession session("b0", limits);
  std::string seen;
  bool was_ready = false;
  const auto look = [&] {
    if (!session.is_ready() || std::exchange(was_ready, true)) return;
    seen += "ready " + serializer.stringify(session.take_input()).value_or("?") + "\n";
    for (const auto& place : session.take_places()) {
      seen += "place";
      for (const auto& step : place.path) {
        const auto* const key = std::get_if<std::string>(&step);
        seen += " " + (key == nullptr ? std::to_string(std::get<std::size_t>(step)) : *key);
      }
      seen += " " + place.id + "\n";
    }
  };
  for (BytesView left = as_bytes(body); !left.empty();) {
    BytesView piece = left.first(std::min(piece_bytes, left.size()));
    left = left.subspan(piece.size());
    while (!session.refusal()) {
      const UploadOrder order = session.next(piece);
      if (std::holds_alternative<NeedMore>(order)) break;
      if (const auto* const text = std::get_if<ReadManifest>(&order)) {
        auto parsed = Manifest::parse(serializer, text->text);
        if (parsed) {
          session.on_manifest(*std::move(parsed));
        } else {
          session.refuse(parsed.error());
        }
      } else if (const auto* const opened = std::get_if<OpenFile>(&order)) {
        look();
        seen += "[" + opened->id + ":";
      } else if (const auto* const data = std::get_if<FileData>(&order)) {
        seen += as_text(data->bytes);
      } else if (std::holds_alternative<FileEnd>(order)) {
        seen += "]\n";
      }
      look();
    }
  }
  if (!session.refusal()) session.on_end();
  look();
  if (session.refusal()) return seen + std::string(session.refusal()->code);
  EXPECT_TRUE(session.is_complete());
  return seen + "complete";
}

TEST(TunnelUploadSession, KnowsTheInputOnceEveryFileIsDescribed) {
  EXPECT_EQ(read(manifest("{\"f\":[" + described + "]}") + file("1", "abc") + closing),
            "ready {\"f\":[{\"name\":\"n\",\"type\":\"t\"}]}\nplace f 0 1\n[1:abc]\ncomplete");
  EXPECT_EQ(read(manifest(bare) + file("1", "abc", "a/b") + closing),
            "ready {\"name\":\"part.txt\",\"type\":\"a/b\"}\nplace 1\n[1:abc]\ncomplete");
  EXPECT_EQ(read(file("1", "abc") + manifest(described) + closing),
            "[1:abc]\nready {\"name\":\"n\",\"type\":\"t\"}\nplace 1\ncomplete");
}

TEST(TunnelUploadSession, GoesWithoutTheHeadsOfLaterPartsWhereItMust) {
  UploadSession session("b0", {});
  EXPECT_FALSE(session.has_manifest());
  session.go_without_heads();
  EXPECT_FALSE(session.is_ready());
  session.on_manifest(*Manifest::parse(serializer, "{\"input\":" + bare + "}"));
  EXPECT_FALSE(session.is_ready());
  session.go_without_heads();
  EXPECT_TRUE(session.is_ready());
  EXPECT_EQ(session.take_input().find("type").as_string(), "application/octet-stream");
}

TEST(TunnelUploadSession, DropsPartsThatNobodyExpects) {
  const std::string all = manifest(described) + field("other", "x") + file("2", "no") +
                          file("1", "abc") + file("1", "again") + closing;
  EXPECT_EQ(read(all), "ready {\"name\":\"n\",\"type\":\"t\"}\nplace 1\n[1:abc]\ncomplete");
  UploadSession session("b0", {});
  const std::string early = file("2", "early");
  BytesView piece = as_bytes(early);
  EXPECT_TRUE(std::holds_alternative<OpenFile>(session.next(piece)));
  EXPECT_TRUE(session.expects("2"));
  session.on_manifest(*Manifest::parse(serializer, "{\"input\":" + described + "}"));
  EXPECT_FALSE(session.expects("2"));
  EXPECT_TRUE(session.expects("1"));
}

TEST(TunnelUploadSession, RefusesWhatIsWrong) {
  const std::string ready = "ready {\"name\":\"n\",\"type\":\"t\"}\nplace 1\n";
  EXPECT_EQ(read(closing), "MISSING_MANIFEST");
  EXPECT_EQ(read(file("1", "abc") + closing), "[1:abc]\nMISSING_MANIFEST");
  EXPECT_EQ(read(field("__manifest", "[]") + closing), "MISSING_MANIFEST");
  EXPECT_EQ(read(field("__manifest", "{") + closing), "INVALID_MULTIPART");
  EXPECT_EQ(read(manifest(described) + manifest(described) + closing), ready + "INVALID_MULTIPART");
  EXPECT_EQ(read(manifest(described) + closing), ready + "MISSING_FILE_PART");
  EXPECT_EQ(read(manifest(described) + "--b0\r\n"), ready + "INVALID_MULTIPART");
  EXPECT_EQ(read("no delimiter"), "INVALID_MULTIPART");
  EXPECT_EQ(read(manifest(described) + file("1", "abc").substr(0, 90)),
            ready + "[1:abcSTREAM_ERROR");
}

TEST(TunnelUploadSession, HoldsItsLimits) {
  EXPECT_EQ(read(manifest("[" + described + "," + placeholder("2", "{}") + "]") + closing, 100,
                 {.files = 1}),
            "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(read(manifest("1") + closing, 100, {.field_bytes = 5}), "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(read(manifest("1") + field("a", "") + closing, 100, {.fields = 1}),
            "ready 1\nPAYLOAD_TOO_LARGE");
}

TEST(TunnelUploadSession, KeepsItsFirstRefusal) {
  UploadSession session("b0", {});
  session.refuse(overloaded());
  session.on_end();
  session.refuse(stream_error());
  BytesView piece;
  EXPECT_TRUE(std::holds_alternative<Refused>(session.next(piece)));
  EXPECT_EQ(session.refusal()->status, 503u);
}

TEST(TunnelUploadSession, OrdersTheSameWhereverTheBodyIsCut) {
  const std::string bodies[] = {
      manifest(described) + file("1", "abc\r\n--b") + closing,
      file("1", "abc", "a/b") + manifest("{\"a\":" + bare + ",\"b\":" + bare + "}") + closing,
      manifest(bare) + file("2", "no") + field("x", "y") + file("1", "\r\n--b1") + closing,
      manifest(described) + manifest(described) + closing,
      manifest(described) + file("1", "abc"),
  };
  for (const std::string& body : bodies) {
    const std::string expected = read(body);
    for (std::size_t piece = 1; piece < body.size(); ++piece)
      EXPECT_EQ(read(body, piece), expected) << body << " in pieces of " << piece;
  }
}

}  // namespace
}  // namespace cordon::tunnel
