#include "cordon/server/tunnel_upload.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "cordon/server/uploaded_file.h"

namespace cordon::server {
namespace {

namespace asio = boost::asio;

tunnel::Refusal refusal_of(tunnel::MultipartFault fault) {
  switch (fault) {
    case tunnel::MultipartFault::malformed:
      return tunnel::invalid_multipart();
    case tunnel::MultipartFault::file_too_large:
      return tunnel::file_too_large();
    case tunnel::MultipartFault::too_many_files:
      return tunnel::too_many_files();
    case tunnel::MultipartFault::too_many_fields:
      return tunnel::too_many_fields();
    case tunnel::MultipartFault::field_too_large:
      return tunnel::field_too_large();
    case tunnel::MultipartFault::out_of_memory:
      return tunnel::overloaded();
  }
  std::unreachable();
}

// Two places of an input may mean one file; it is read once, by the first.
class SpentSource final : public ByteSource {
 public:
  void read(Next next) override { next(fail(ErrorCode::closed, "the file is read elsewhere")); }
  void close() override {}
};

}  // namespace

Upload::Upload(UploadContext context, transport::http::Exchange& exchange,
               const UploadLimits& limits, std::function<void()> on_news)
    : context_(std::move(context)),
      exchange_(&exchange),
      limits_(limits),
      on_news_(std::move(on_news)),
      demand_(context_.executor) {}

Upload::~Upload() {
  for (const auto& [id, file] : files_) file->part_from_upload();
}

void Upload::start(std::string boundary) {
  reader_.emplace(boundary, limits_.parts, context_.memory);
  asio::co_spawn(
      context_.executor, [self = shared_from_this()] { return self->pump(); }, asio::detached);
}

asio::awaitable<void> Upload::pump() {
  const std::shared_ptr<Upload> self = shared_from_this();
  while (exchange_ != nullptr && !refusal_) {
    const Result<BytesView> piece = co_await exchange_->read();
    if (exchange_ == nullptr) co_return;
    if (!piece) {
      client_is_gone_ = piece.error().code == ErrorCode::closed;
      refuse(reader_->is_in_file() ? tunnel::stream_error() : tunnel::invalid_multipart());
      co_return;
    }
    if (piece->empty()) {
      finish();
      co_return;
    }
    co_await take_piece(*piece);
  }
}

asio::awaitable<void> Upload::take_piece(BytesView piece) {
  while (!refusal_ && exchange_ != nullptr) {
    auto event = reader_->next(piece);
    if (!event) {
      refuse(refusal_of(event.error()));
      co_return;
    }
    if (std::holds_alternative<tunnel::NeedMore>(*event)) co_return;
    if (auto* const field = std::get_if<tunnel::Field>(&*event)) {
      co_await take_field(std::move(*field));
    } else if (auto* const begin = std::get_if<tunnel::FileBegin>(&*event)) {
      begin_file(std::move(begin->head));
    } else if (const auto* const data = std::get_if<tunnel::FileData>(&*event)) {
      if (current_ != nullptr) co_await give(data->bytes);
    } else if (current_ != nullptr) {
      std::exchange(current_, nullptr)->finish();
    }
  }
}

// Waits until there is room for the bytes, or a reader for them.
asio::awaitable<void> Upload::give(BytesView bytes) {
  UploadedFile& file = *current_;
  while (exchange_ != nullptr && !refusal_ && !is_discarding_ && file.is_wanted()) {
    const bool has_room = !file.has_spilled() && file.kept_bytes() < limits_.memory_bytes;
    if (file.is_waited_for() || (has_room && file.take_room(bytes.size()))) {
      file.give(bytes);
      co_return;
    }
    if (manifest_ && !is_ready_) {
      // The input would have to wait for what the heads of later parts say: it goes without.
      become_ready();
      continue;
    }
    if (must_go_on()) {
      spilled_bytes_ += bytes.size();
      if (spilled_bytes_ > limits_.spilled_bytes) {
        refuse(tunnel::payload_too_large());
      } else if (!file.spill(bytes)) {
        refuse(tunnel::stream_error());
      }
      co_return;
    }
    co_await demand_.wait();
  }
}

// A reader waits for what comes after the bytes that are in the way.
bool Upload::must_go_on() const {
  if (!is_ready_) return true;
  return std::ranges::any_of(files_, [&](const auto& entry) {
    return entry.second.get() != current_ && entry.second->is_waited_for();
  });
}

UploadedFile& Upload::file_of(const std::string& id) {
  std::shared_ptr<UploadedFile>& file = files_[id];
  if (!file) file = std::make_shared<UploadedFile>(*this, context_.memory);
  return *file;
}

void Upload::begin_file(tunnel::PartHead head) {
  current_ = nullptr;
  if (!head.name.starts_with(tunnel::file_prefix)) return;
  const std::string id = head.name.substr(tunnel::file_prefix.size());
  // Before the manifest any file may be one that it names.
  if (is_ready_ && !files_.contains(id)) return;
  UploadedFile& file = file_of(id);
  if (file.head) return;  // a second part of that name
  file.head = std::move(head);
  current_ = &file;
  see_whether_ready();
}

asio::awaitable<void> Upload::take_field(tunnel::Field field) {
  if (field.name != tunnel::manifest_name) co_return;
  if (manifest_ || is_ready_) {
    refuse(tunnel::invalid_manifest());
    co_return;
  }
  const std::size_t most =
      std::max(Budget::max_bytes_per_byte * field.value.size(), Budget::min_message_bytes);
  auto budget = std::make_shared<Budget>(Budget::Limits{.bytes = most}, context_.memory);
  const auto work =
      std::make_shared<ManifestWork>(context_.reader, std::move(field.value), std::move(budget));
  work->begin();
  if (!work->is_done()) {
    const auto is_worked = std::make_shared<bool>(false);
    const std::optional<WorkPool::Ticket> ticket = context_.pool.submit(
        context_.client, [work] { work->finish(); }, context_.executor,
        [self = shared_from_this(), is_worked] {
          *is_worked = true;
          self->demand_.notify();
        });
    if (!ticket) {
      refuse(tunnel::overloaded(), "too much work of requests waits");
      co_return;
    }
    while (!*is_worked && exchange_ != nullptr) co_await demand_.wait();
    if (exchange_ == nullptr) co_return;
  }
  if (work->refusal()) {
    refuse(*work->refusal(), work->failure());
  } else {
    take_manifest(*work->take_manifest());
  }
}

void Upload::take_manifest(tunnel::Manifest manifest) {
  manifest_ = std::move(manifest);
  expected_ = manifest_->files();
  std::unordered_set<std::string_view> ids;
  for (const auto& file : expected_) ids.insert(file.id);
  // They will never be there all.
  if (ids.size() > limits_.parts.files) return refuse(tunnel::too_many_files());
  // What came before and is not expected goes.
  std::erase_if(files_, [&](const auto& entry) {
    const bool is_expected = ids.contains(entry.first);
    if (!is_expected) entry.second->part_from_upload();
    return !is_expected;
  });
  for (const auto& file : expected_) file_of(file.id);
  see_whether_ready();
}

void Upload::see_whether_ready() {
  if (!manifest_ || is_ready_) return;
  const bool all_are_described = std::ranges::all_of(expected_, [&](const auto& file) {
    return file.is_described || files_.at(file.id)->head.has_value();
  });
  if (all_are_described) become_ready();
}

void Upload::become_ready() {
  input_ = std::move(*manifest_).hydrated([&](const std::string& id) -> const tunnel::PartHead* {
    const auto& head = files_.at(id)->head;
    return head ? &*head : nullptr;
  });
  std::unordered_set<std::string_view> seen;
  for (auto& file : expected_) {
    std::shared_ptr<ByteSource> stream;
    if (seen.insert(file.id).second) {
      stream = files_.at(file.id);
    } else {
      stream = std::make_shared<SpentSource>();
    }
    task_files_.push_back({std::move(file.path), std::move(stream)});
  }
  is_ready_ = true;
  on_news_();
}

void Upload::finish() {
  if (!reader_->is_complete())
    return refuse(reader_->is_in_file() ? tunnel::stream_error() : tunnel::invalid_multipart());
  if (!manifest_) return refuse(tunnel::missing_manifest());
  for (const auto& [id, file] : files_) {
    if (!file->head) return refuse(tunnel::missing_file_part());
  }
  if (!is_ready_) become_ready();
  is_done_ = true;
  on_news_();
}

void Upload::refuse(tunnel::Refusal refusal, std::string failure) {
  refusal_ = std::move(refusal);
  failure_ = std::move(failure);
  is_done_ = true;
  // A copy, since a callback may drop its stream.
  const auto files = files_;
  for (const auto& [id, file] : files)
    file->fail_with({ErrorCode::closed, "the upload has failed"});
  on_news_();
}

Value Upload::take_input() { return std::move(input_); }
std::vector<TaskFile> Upload::take_files() { return std::move(task_files_); }

void Upload::discard() {
  is_discarding_ = true;
  demand_.notify();
}

void Upload::end() {
  exchange_ = nullptr;
  on_news_ = [] {};
  const auto files = files_;
  for (const auto& [id, file] : files) {
    file->part_from_upload();
    file->fail_with({ErrorCode::closed, "the request is over"});
  }
  demand_.notify();
}

}  // namespace cordon::server
