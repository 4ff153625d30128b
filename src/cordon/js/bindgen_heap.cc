#include "cordon/js/bindgen_heap.h"

#include <utility>

namespace cordon::js {
namespace {

// The numbers of wasm-bindgen's own glue, which are compiled into the module.
constexpr std::uint32_t first_constant = 128;
constexpr std::uint32_t first_free = 132;
constexpr std::size_t max_values = 10'000;

}  // namespace

const std::string* BindgenValue::as_string() const {
  if (const auto* own = std::get_if<std::shared_ptr<std::string>>(&content)) return own->get();
  const auto* view = std::get_if<const std::string*>(&content);
  return view == nullptr ? nullptr : *view;
}

std::string BindgenValue::take_string() {
  if (auto* own = std::get_if<std::shared_ptr<std::string>>(&content)) return std::move(**own);
  const std::string* view = as_string();
  return view == nullptr ? std::string() : *view;
}

BindgenObject* BindgenValue::as_object() const {
  const auto* object = std::get_if<std::shared_ptr<BindgenObject>>(&content);
  return object == nullptr ? nullptr : object->get();
}

const BindgenList* BindgenValue::as_list() const {
  const auto* list = std::get_if<std::shared_ptr<const BindgenList>>(&content);
  return list == nullptr ? nullptr : list->get();
}

BindgenValue BindgenValue::member(std::string_view name) const {
  const BindgenObject* object = as_object();
  if (object == nullptr) return {};
  const auto found = object->find(name);
  return found == object->end() ? BindgenValue() : found->second;
}

BindgenValue bindgen_string(std::string text) {
  return {std::make_shared<std::string>(std::move(text))};
}

BindgenValue bindgen_view(const std::string& text) { return {&text}; }

BindgenValue bindgen_object(BindgenObject members) {
  return {std::make_shared<BindgenObject>(std::move(members))};
}

BindgenValue bindgen_list(BindgenList elements) {
  return {std::make_shared<const BindgenList>(std::move(elements))};
}

BindgenHeap::BindgenHeap(std::size_t max_bytes) : values_(first_free), max_bytes_(max_bytes) {
  values_[first_constant + 1] = {BindgenValue::Null()};
  values_[first_constant + 2] = {true};
  values_[first_constant + 3] = {false};
}

const BindgenValue& BindgenHeap::at(std::uint32_t index) const {
  static const BindgenValue undefined;
  return index < values_.size() ? values_[index] : undefined;
}

BindgenValue BindgenHeap::take(std::uint32_t index) {
  if (index < first_free || index >= values_.size()) return at(index);
  free_.push_back(index);
  return std::exchange(values_[index], {});
}

Result<std::uint32_t> BindgenHeap::add(BindgenValue value) {
  if (const std::string* text = value.as_string()) bytes_ += text->size();
  if (const BindgenList* list = value.as_list()) bytes_ += list->size() * sizeof(BindgenValue);
  is_full_ = is_full_ || bytes_ > max_bytes_ || values_.size() + free_.size() > max_values;
  if (is_full_) return fail(ErrorCode::too_large, "values of a module");
  if (!free_.empty()) {
    const std::uint32_t index = free_.back();
    free_.pop_back();
    values_[index] = std::move(value);
    return index;
  }
  values_.push_back(std::move(value));
  return static_cast<std::uint32_t>(values_.size() - 1);
}

}  // namespace cordon::js
