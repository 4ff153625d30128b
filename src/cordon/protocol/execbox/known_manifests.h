#pragma once

// What hosts tell of many tools, read in one pass and remembered: a host tells a runner of the same
// tools with each execution, and reading them would take longer than most programs run.

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/protocol/execbox/messages.h"

namespace cordon::execbox {

using Manifests = std::shared_ptr<const std::vector<ProviderManifest>>;

// Manifests of the last few hosts, by their text. Sessions of one thread share it.
class KnownManifests {
 public:
  Manifests find(std::string_view text) const;
  void keep(std::string_view text, Manifests manifests);

  static constexpr std::size_t max_kept = 4;
  static constexpr std::size_t max_text_bytes = std::size_t{1} << 20;

 private:
  struct Entry {
    std::string text;
    Manifests manifests;
  };
  std::array<Entry, max_kept> kept_;
  std::size_t oldest_ = 0;
};

// An `execute` that ends in its providers, and these are many bytes: the same message without any,
// and the text of their array. That the first is JSON and an `execute`, and that the second is an
// array, has yet to be found out; if both are, the text as a whole means the two together.
struct SplitExecute {
  std::string without_providers;
  std::string_view providers;
};
std::optional<SplitExecute> split_execute(std::string_view text);

// Reads what has the usual form: each tool's key is its safeName, and nothing comes twice. Nothing
// if the text has another form or is wrong in any way, which read_message() then says.
std::optional<std::vector<ProviderManifest>> read_usual_manifests(std::string_view text);

}  // namespace cordon::execbox
