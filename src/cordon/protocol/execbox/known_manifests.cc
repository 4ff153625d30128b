#include "cordon/protocol/execbox/known_manifests.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "cordon/codec/json/parser.h"
#include "cordon/protocol/execbox/limits.h"

namespace cordon::execbox {
namespace {

// [{"name": …, "tools": {SAFE: {"safeName": SAFE, …}}, "types": …}], of which it keeps the names.
// Each level of the text is one of these; `other` is the inside of a member that means nothing.
class ManifestSink {
 public:
  static constexpr bool keeps_text = true;

  std::vector<ProviderManifest> take() { return std::move(manifests_); }
  bool stopped() const { return is_unusual_; }
  bool skips_text() const { return skips_; }

  void begin_array() {
    // The list itself, or an array in a member that means nothing.
    enter(depth_ == 0 ? Place::list : Place::other, depth_ == 0 || is_member_of_no_meaning());
  }
  void end_array() { leave(); }
  void begin_object() {
    switch (place()) {
      case Place::list:
        seen_ = 0;
        name_.clear();
        names_.clear();
        return enter(Place::provider, true);
      case Place::provider:
        return enter(member_ == Member::tools ? Place::tools : Place::other,
                     member_ == Member::tools || member_ == Member::other);
      case Place::tools:
        seen_of_tool_ = 0;
        return enter(Place::tool, true);
      default:
        return enter(Place::other, is_member_of_no_meaning());
    }
  }
  void end_object() {
    if (place() == Place::provider) end_provider();
    if (place() == Place::tool && !has(seen_of_tool_, Member::safe_name)) is_unusual_ = true;
    leave();
  }

  const char* expected_key(const char*, const char*) { return nullptr; }
  void key(std::string_view key, bool) {
    if (place() == Place::tools) {
      key_ = key;
    } else if (place() == Place::provider) {
      member_ = key == "name"    ? Member::name
                : key == "tools" ? Member::tools
                : key == "types" ? Member::text
                                 : Member::other;
      if (member_ != Member::other) see(seen_, member_);
    } else if (place() == Place::tool) {
      member_ = key == "safeName"       ? Member::safe_name
                : key == "originalName" ? Member::original_name
                : key == "description"  ? Member::text
                                        : Member::other;
      if (member_ != Member::other) see(seen_of_tool_, member_);
    }
    skips_ = is_with_members() && member_ != Member::name && member_ != Member::safe_name;
  }

  void text(std::string_view text) {
    skips_ = false;
    if (depth_ == 0 || place() == Place::list || place() == Place::tools) {
      is_unusual_ = true;
    } else if (place() == Place::provider && member_ == Member::name) {
      is_unusual_ = is_unusual_ || text.size() > max_name_bytes;
      name_ = text;
    } else if (place() == Place::provider && member_ == Member::tools) {
      is_unusual_ = true;
    } else if (place() == Place::tool && member_ == Member::safe_name) {
      is_unusual_ = is_unusual_ || text != key_ || text.size() > max_name_bytes;
      names_.emplace_back(text);
    }
  }
  void number(double) { meaningless(); }
  void boolean(bool) { meaningless(); }
  void null() { meaningless(); }

 private:
  enum class Place : std::uint8_t { list, provider, tools, tool, other };
  enum class Member : std::uint8_t { other, name, tools, safe_name, original_name, text };

  Place place() const { return depth_ == 0 ? Place::other : places_[std::min(depth_, levels) - 1]; }
  bool is_member_of_no_meaning() const {
    return depth_ > 0 &&
           (place() == Place::other || (is_with_members() && member_ == Member::other));
  }
  bool is_with_members() const { return place() == Place::provider || place() == Place::tool; }
  void meaningless() {
    skips_ = false;
    is_unusual_ = is_unusual_ || !is_member_of_no_meaning();
  }

  void enter(Place place, bool is_usual) {
    is_unusual_ = is_unusual_ || !is_usual;
    skips_ = false;
    // Below the fourth level all is `other`, as the last of these is then.
    if (depth_ < levels) places_[depth_] = place;
    ++depth_;
  }
  void leave() {
    --depth_;
    member_ = Member::other;
  }
  static bool has(std::uint8_t seen, Member member) {
    return (seen >> std::to_underlying(member) & 1) != 0;
  }
  void see(std::uint8_t& seen, Member member) {
    is_unusual_ = is_unusual_ || has(seen, member);
    seen |= static_cast<std::uint8_t>(1u << std::to_underlying(member));
  }
  void end_provider() {
    tool_count_ += names_.size();
    ProviderManifest& made =
        manifests_.emplace_back(ProviderManifest{name_, NameList(std::exchange(names_, {}))});
    is_unusual_ = is_unusual_ || !has(seen_, Member::name) || !has(seen_, Member::tools) ||
                  made.safe_names.has_equal_names() || tool_count_ > max_tools ||
                  manifests_.size() > max_providers;
  }

  static constexpr std::size_t levels = 5;
  std::array<Place, levels> places_{};
  std::size_t depth_ = 0;
  Member member_ = Member::other;
  std::uint8_t seen_ = 0;
  std::uint8_t seen_of_tool_ = 0;
  bool skips_ = false;  // the string that comes next, since only its kind matters
  bool is_unusual_ = false;
  std::string name_;
  std::string key_;  // of the tool
  std::vector<std::string> names_;
  std::size_t tool_count_ = 0;
  std::vector<ProviderManifest> manifests_;
};

}  // namespace

Manifests KnownManifests::find(std::string_view text) const {
  const auto found = std::ranges::find(kept_, text, &Entry::text);
  return found == kept_.end() ? nullptr : found->manifests;
}

void KnownManifests::keep(std::string_view text, Manifests manifests) {
  if (text.size() > max_text_bytes) return;
  kept_[oldest_++ % max_kept] = {std::string(text), std::move(manifests)};
}

// What stands before the array is read the same way whatever array follows. If it is JSON with an
// empty one, then the array stands where a value may, in the outermost object, and is the last of
// its members.
std::optional<SplitExecute> split_execute(std::string_view text) {
  constexpr std::size_t min_bytes = 4096;  // a shorter one is read as soon as it is looked for
  constexpr std::string_view member = ",\"providers\":";
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.size() < min_bytes || !text.ends_with("]}")) return std::nullopt;
  const std::size_t found = text.find(",\"providers\":[");
  if (found == std::string_view::npos) return std::nullopt;
  const std::size_t array = found + member.size();
  const std::string_view providers = text.substr(array, text.size() - 1 - array);
  if (providers.size() < min_bytes / 2) return std::nullopt;
  return SplitExecute{std::string(text.substr(0, array)) + "[]}", providers};
}

std::optional<std::vector<ProviderManifest>> read_usual_manifests(std::string_view text) {
  ManifestSink sink;
  json::Parser<ManifestSink> parser(text, {.max_depth = 100}, sink);
  if (!parser.run() || sink.stopped()) return std::nullopt;
  return sink.take();
}

}  // namespace cordon::execbox
