#include "cordon/server/tunnel_upload.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "cordon/server/uploaded_file.h"

namespace cordon::server {
namespace {

namespace asio = boost::asio;

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
  session_.emplace(boundary, limits_.parts, context_.memory);
  asio::co_spawn(
      context_.executor, [self = shared_from_this()] { return self->pump(); }, asio::detached);
}

asio::awaitable<void> Upload::pump() {
  const std::shared_ptr<Upload> self = shared_from_this();
  while (exchange_ != nullptr && !is_done_) {
    const Result<BytesView> piece = co_await exchange_->read();
    if (exchange_ == nullptr) co_return;
    if (!piece) {
      client_is_gone_ = piece.error().code == ErrorCode::closed;
      session_->on_lost();
    } else if (piece->empty()) {
      session_->on_end();
    } else {
      co_await take_piece(*piece);
    }
    settle();
  }
}

asio::awaitable<void> Upload::take_piece(BytesView piece) {
  while (exchange_ != nullptr && !session_->refusal()) {
    tunnel::UploadOrder order = session_->next(piece);
    if (std::holds_alternative<tunnel::NeedMore>(order)) co_return;
    if (auto* const manifest = std::get_if<tunnel::ReadManifest>(&order)) {
      co_await read_manifest(std::move(manifest->text));
    } else if (const auto* const opened = std::get_if<tunnel::OpenFile>(&order)) {
      current_ = &file_of(opened->id);
    } else if (const auto* const data = std::get_if<tunnel::FileData>(&order)) {
      co_await give(data->bytes);
    } else if (std::holds_alternative<tunnel::FileEnd>(order)) {
      std::exchange(current_, nullptr)->finish();
    }
    settle();
  }
}

// Waits until there is room for the bytes, or a reader for them.
asio::awaitable<void> Upload::give(BytesView bytes) {
  UploadedFile& file = *current_;
  while (exchange_ != nullptr && !is_done_ && !is_discarding_ && file.is_wanted()) {
    const bool has_room = !file.has_spilled() && file.kept_bytes() < limits_.memory_bytes;
    if (file.is_waited_for() || (has_room && file.take_room(bytes.size()))) {
      file.give(bytes);
      co_return;
    }
    if (session_->has_manifest() && !is_ready_) {
      session_->go_without_heads();
      settle();
      continue;
    }
    if (must_go_on()) {
      spilled_bytes_ += bytes.size();
      if (spilled_bytes_ > limits_.spilled_bytes) {
        session_->refuse(tunnel::payload_too_large());
      } else if (!file.spill(bytes)) {
        session_->refuse(tunnel::stream_error());
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

asio::awaitable<void> Upload::read_manifest(std::string text) {
  const std::size_t most =
      std::max(Budget::max_bytes_per_byte * text.size(), Budget::min_message_bytes);
  auto budget = std::make_shared<Budget>(Budget::Limits{.bytes = most}, context_.memory);
  const auto work =
      std::make_shared<ManifestWork>(context_.reader, std::move(text), std::move(budget));
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
      failure_ = "too much work of requests waits";
      session_->refuse(tunnel::overloaded());
      co_return;
    }
    while (!*is_worked && exchange_ != nullptr) co_await demand_.wait();
    if (exchange_ == nullptr) co_return;
  }
  if (work->refusal()) {
    failure_ = work->failure();
    session_->refuse(*work->refusal());
    co_return;
  }
  session_->on_manifest(*work->take_manifest());
  // What came before and is not expected goes.
  std::erase_if(files_, [&](const auto& entry) {
    const bool is_expected = session_->expects(entry.first);
    if (!is_expected) entry.second->part_from_upload();
    return !is_expected;
  });
}

void Upload::settle() {
  if (is_done_) return;
  const bool is_refused = session_->refusal().has_value();
  const bool has_become_ready = session_->is_ready() && !is_ready_ && !is_refused;
  if (!is_refused && !has_become_ready && !session_->is_complete()) return;
  if (has_become_ready) hand_out_files();
  is_done_ = is_refused || session_->is_complete();
  if (is_refused) fail_files();
  on_news_();
}

void Upload::hand_out_files() {
  is_ready_ = true;
  std::unordered_set<std::string> seen;
  for (auto& [path, id] : session_->take_places()) {
    std::shared_ptr<ByteSource> stream;
    file_of(id);
    if (seen.insert(id).second) {
      stream = files_.at(id);
    } else {
      stream = std::make_shared<SpentSource>();
    }
    task_files_.push_back({std::move(path), std::move(stream)});
  }
}

void Upload::fail_files() {
  // A copy, since a callback may drop its stream.
  const auto files = files_;
  for (const auto& [id, file] : files)
    file->fail_with({ErrorCode::closed, "the upload has failed"});
}

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
