#include "cordon/protocol/tunnel/upload_session.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace cordon::tunnel {
namespace {

Refusal refusal_of(MultipartFault fault) {
  switch (fault) {
    case MultipartFault::malformed:
      return invalid_multipart();
    case MultipartFault::file_too_large:
      return file_too_large();
    case MultipartFault::too_many_files:
      return too_many_files();
    case MultipartFault::too_many_fields:
      return too_many_fields();
    case MultipartFault::field_too_large:
      return field_too_large();
    case MultipartFault::out_of_memory:
      return overloaded();
  }
  std::unreachable();
}

}  // namespace

UploadSession::UploadSession(std::string_view boundary, const MultipartLimits& limits,
                             std::shared_ptr<Budget> budget)
    : limits_(limits), reader_(boundary, limits, std::move(budget)) {}

UploadOrder UploadSession::next(BytesView& piece) {
  while (!refusal_) {
    auto event = reader_.next(piece);
    if (!event) return refused(refusal_of(event.error()));
    if (std::holds_alternative<NeedMore>(*event)) return NeedMore{};
    if (auto* const field = std::get_if<Field>(&*event)) {
      if (field->name != manifest_name) continue;
      if (manifest_ || is_ready_) return refused(invalid_manifest());
      return ReadManifest{std::move(field->value)};
    }
    if (auto* const begin = std::get_if<FileBegin>(&*event)) {
      UploadOrder order = begin_file(std::move(begin->head));
      if (!drops_file_) return order;
      continue;
    }
    if (drops_file_) continue;
    if (const auto* const data = std::get_if<FileData>(&*event)) return *data;
    return FileEnd{};
  }
  return Refused{};
}

UploadOrder UploadSession::begin_file(PartHead head) {
  drops_file_ = true;
  if (!head.name.starts_with(file_prefix)) return NeedMore{};
  std::string id = head.name.substr(file_prefix.size());
  // Until the input is known any file is kept: one that is in the way of others may be large, and
  // the task is not to wait until all of it was dropped.
  if (is_ready_ && !parts_.contains(id)) return NeedMore{};
  std::optional<PartHead>& part = parts_[id];
  if (part) return NeedMore{};  // a second part of that name
  part = std::move(head);
  drops_file_ = false;
  see_whether_ready();
  return OpenFile{std::move(id)};
}

void UploadSession::on_manifest(Manifest manifest) {
  manifest_ = std::move(manifest);
  expected_ = manifest_->files();
  std::unordered_set<std::string_view> ids;
  for (const auto& file : expected_) ids.insert(file.id);
  // They will never be there all.
  if (ids.size() > limits_.files) return refuse(too_many_files());
  // What came before and is not expected goes.
  std::erase_if(parts_, [&](const auto& part) { return !ids.contains(part.first); });
  for (const auto& file : expected_) parts_.try_emplace(file.id);
  see_whether_ready();
}

void UploadSession::see_whether_ready() {
  if (!manifest_ || is_ready_) return;
  const bool all_are_described = std::ranges::all_of(expected_, [&](const auto& file) {
    return file.is_described || parts_.at(file.id).has_value();
  });
  if (all_are_described) go_without_heads();
}

void UploadSession::go_without_heads() {
  if (!manifest_ || is_ready_) return;
  input_ = std::move(*manifest_).hydrated([&](const std::string& id) -> const PartHead* {
    const std::optional<PartHead>& head = parts_.at(id);
    return head ? &*head : nullptr;
  });
  for (auto& file : expected_) places_.push_back({std::move(file.path), std::move(file.id)});
  expected_.clear();
  is_ready_ = true;
}

void UploadSession::on_end() {
  if (refusal_) return;
  if (!reader_.is_complete()) return on_lost();
  if (!manifest_) return refuse(missing_manifest());
  const bool is_whole =
      std::ranges::all_of(parts_, [](const auto& part) { return part.second.has_value(); });
  if (!is_whole) return refuse(missing_file_part());
  go_without_heads();
  is_complete_ = true;
}

void UploadSession::on_lost() {
  refuse(reader_.is_in_file() ? stream_error() : invalid_multipart());
}

void UploadSession::refuse(Refusal refusal) {
  if (!refusal_) refusal_ = std::move(refusal);
}

UploadOrder UploadSession::refused(Refusal refusal) {
  refuse(std::move(refusal));
  return Refused{};
}

}  // namespace cordon::tunnel
