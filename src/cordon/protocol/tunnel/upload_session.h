#pragma once

// The rules of a multipart body: which parts count, when the input is known, and what is wrong with
// a body that is refused. Bytes go in, orders come out; the code that drives it decides where the
// bytes of a file are kept.
//
//   for (;;) {
//     const UploadOrder order = session.next(piece);  // takes what it read off the piece
//     if (std::holds_alternative<NeedMore>(order)) break;
//     …
//   }
//
// The input is known once the manifest has come and every file is described, by the manifest or by
// the head of its part. Unexpected parts are read and dropped.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cordon/base/budget.h"
#include "cordon/bytes.h"
#include "cordon/protocol/tunnel/manifest.h"
#include "cordon/protocol/tunnel/multipart.h"
#include "cordon/protocol/tunnel/refusal.h"
#include "cordon/value.h"

namespace cordon::tunnel {

// Reads the manifest, which may take long: on_manifest or refuse.
struct ReadManifest {
  std::string text;
};
// The bytes of FileData, and FileEnd, are this file's from now on.
struct OpenFile {
  std::string id;
};
// The body is refused: refusal() says why.
struct Refused {};
using UploadOrder = std::variant<NeedMore, ReadManifest, OpenFile, FileData, FileEnd, Refused>;

// One thread at a time.
class UploadSession {
 public:
  UploadSession(std::string_view boundary, const MultipartLimits& limits,
                std::shared_ptr<Budget> budget = {});

  UploadOrder next(BytesView& piece);
  void on_manifest(Manifest manifest);
  // All of the body has come, or no more of it will.
  void on_end();
  void on_lost();
  // The input cannot wait for what the heads of later parts say: it goes without.
  void go_without_heads();
  void refuse(Refusal refusal);

  bool has_manifest() const { return manifest_.has_value(); }
  bool is_ready() const { return is_ready_; }        // the input is known
  bool is_complete() const { return is_complete_; }  // all of it has come, and nothing is wrong
  const std::optional<Refusal>& refusal() const { return refusal_; }
  // Until the input is known any file may be one that it names.
  bool expects(const std::string& id) const { return parts_.contains(id); }

  // Once it is ready, once.
  Value take_input() { return std::move(input_); }
  // Where files are in the input. Several places may mean one file.
  struct Place {
    std::vector<std::variant<std::string, std::size_t>> path;
    std::string id;
  };
  std::vector<Place> take_places() { return std::move(places_); }

 private:
  UploadOrder begin_file(PartHead head);
  UploadOrder refused(Refusal refusal);
  void see_whether_ready();

  const MultipartLimits limits_;
  MultipartReader reader_;
  std::optional<Manifest> manifest_ = {};
  std::vector<Manifest::File> expected_ = {};
  // The heads of files that have come, and nothing for those that are expected.
  std::unordered_map<std::string, std::optional<PartHead>> parts_ = {};
  bool drops_file_ = false;  // that comes right now
  bool is_ready_ = false;
  bool is_complete_ = false;
  Value input_ = {};
  std::vector<Place> places_ = {};
  std::optional<Refusal> refusal_ = {};
};

}  // namespace cordon::tunnel
