#include "cordon/config/spelling.h"

#include <algorithm>
#include <vector>

#include "cordon/base/ascii.h"

namespace cordon::config {
namespace {

constexpr std::size_t max_compared = 64;  // the comparison takes the product of the lengths
constexpr std::size_t max_listed = 30;

std::string folded(std::string_view text) {
  std::string lower;
  for (const char c : text) {
    if (c == '-' || c == '_') continue;
    lower += ascii_lower(c);
  }
  return lower;
}

// How many letters must be put in, left out, changed, or swapped with the next.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view written, std::span<const std::string> names) {
  if (written.empty() || written.size() > max_compared) return std::nullopt;
  const std::string wanted = folded(written);
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string& name : names) {
    if (name.size() > max_compared) continue;
    const std::string candidate = folded(name);
    std::size_t apart = distance(wanted, candidate);
    // A word that was begun, or has an ending too many: "timeout" for "timeoutMs".
    const std::size_t shorter = std::min(wanted.size(), candidate.size());
    if (shorter >= 4 && (candidate.starts_with(wanted) || wanted.starts_with(candidate))) {
      apart = std::min<std::size_t>(apart, 1);
    }
    const std::size_t bearable = std::max<std::size_t>(1, std::max(wanted.size(), name.size()) / 3);
    if (apart > bearable || (best && apart >= best_distance)) continue;
    best = name;
    best_distance = apart;
  }
  return best;
}

std::string suggestion(std::string_view written, std::span<const std::string> names,
                       std::string_view what) {
  if (const auto near = nearest(written, names)) return "did you mean \"" + *near + "\"?";
  if (names.empty()) return "there are no " + std::string(what);
  std::string text = "the " + std::string(what) + " are ";
  const std::size_t listed = std::min(names.size(), max_listed);
  for (std::size_t i = 0; i < listed; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return listed < names.size() ? text + ", …" : text;
}

}  // namespace cordon::config
