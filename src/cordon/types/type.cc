#include "cordon/types/type.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace cordon::types {
namespace {

// TypeScript refuses a union of 100,000 members.
constexpr double max_product = 4096;

}  // namespace

Type Type::of(std::string text, Kinds kinds, double weight) {
  return {false, {Member{std::move(text), kinds, weight, false}}};
}

Kinds Type::kinds() const {
  if (is_unknown_) return all_kinds;
  Kinds kinds = 0;
  for (const Member& member : members_) kinds |= member.kinds;
  return kinds;
}

double Type::weight() const {
  double weight = 0;
  for (const Member& member : members_) weight += member.weight;
  return std::max(weight, 1.0);
}

std::string Type::text() const {
  if (is_unknown_) return "unknown";
  if (members_.empty()) return "never";
  std::string text;
  std::unordered_set<std::string_view> seen;
  for (const Member& member : members_) {
    if (!seen.insert(member.text).second) continue;
    if (!text.empty()) text += " | ";
    text += member.is_intersection && members_.size() > 1 ? "(" + member.text + ")" : member.text;
  }
  return text;
}

std::string Type::as_part() const {
  const bool is_whole = members_.size() <= 1 && (members_.empty() || !members_[0].is_intersection);
  return is_whole ? text() : "(" + text() + ")";
}

std::string Type::as_array() const {
  const std::string whole = text();
  const bool is_word = whole.find_first_of(" \n-{") == std::string::npos;
  return is_word ? whole + "[]" : "Array<" + whole + ">";
}

void Type::unite(Type other) {
  if (is_unknown_ || other.is_unknown_) {
    *this = unknown();
    return;
  }
  std::ranges::move(other.members_, std::back_inserter(members_));
}

Type Type::intersection(std::vector<Type> parts) {
  std::erase_if(parts, &Type::is_unknown);
  if (std::ranges::any_of(parts, &Type::is_never)) return never();
  const double product = keep_lightest(parts);
  if (parts.empty()) return unknown();
  std::vector<std::string> texts;
  std::unordered_set<std::string> seen;
  Kinds kinds = all_kinds;
  for (const Type& part : parts) {
    kinds &= part.kinds();
    std::string text = part.as_part();
    if (seen.insert(text).second) texts.push_back(std::move(text));
  }
  if (texts.size() == 1) return std::move(parts.front());
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : " & ") + text;
  return {false, {Member{std::move(joined), kinds, product, true}}};
}

// Keeps as many of the parts as the limit allows, in their order. Returns the product of their
// weights.
double Type::keep_lightest(std::vector<Type>& parts) {
  std::vector<double> weights;
  for (const Type& part : parts) weights.push_back(part.weight());
  std::ranges::sort(weights);
  double product = 1;
  double heaviest = 1;
  for (const double weight : weights) {
    if (product * weight > max_product) break;
    product *= weight;
    heaviest = weight;
  }
  // All or some of several that weigh the same may be within the limit.
  double kept = 1;
  std::erase_if(parts, [&](const Type& part) {
    const double weight = part.weight();
    if (weight > heaviest || kept * weight > max_product) return true;
    kept *= weight;
    return false;
  });
  return kept;
}

}  // namespace cordon::types
