#include "cordon/transport/http/client_http2.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <nghttp2/nghttp2.h>

#include "cordon/base/ascii.h"
#include "cordon/base/bytes.h"
#include "cordon/transport/http/characters.h"
#include "cordon/transport/http/request_text.h"

namespace cordon::transport::http {
namespace {

constexpr std::size_t input_bytes = std::size_t{64} << 10;
constexpr std::size_t output_bytes = std::size_t{64} << 10;
// Reads before other connections get their turn.
constexpr int max_in_a_row = 16;
// For all answers together. What a reader leaves unread holds up its own answer alone.
constexpr std::int32_t connection_window_bytes = 32 << 20;
constexpr std::size_t header_overhead = 32;  // as RFC 9113 counts

nghttp2_nv field(std::string_view name, std::string_view value) {
  // nghttp2 copies both and writes to neither.
  return {.name = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          .value = reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

// One transfer and its stream. It lives until nghttp2 has closed the stream, and for as long as the
// transfer has it for its carrier: a reader may ask for the rest of an answer when the stream, or
// even the connection, is gone.
class ClientHttp2::Carried final : public Carrier, public std::enable_shared_from_this<Carried> {
 public:
  Carried(ClientHttp2& connection, std::shared_ptr<HttpTransfer::State> transfer)
      : connection_(connection.shared_from_this()), transfer_(std::move(transfer)) {}

  void begin(std::int32_t stream) {
    id = stream;
    kept_ = shared_from_this();
    transfer_->carried_by(this);
  }

  // The reader's, by way of the transfer.
  void read_on() override { change(); }
  void send_on() override {
    connection_->starved_.push_back(shared_from_this());
    change();
  }
  void abandon() override {
    const std::shared_ptr<HttpTransfer::State> transfer = take();
    reset(NGHTTP2_CANCEL);
    connection_->pump_later();
  }
  bool has_sent() const override { return is_sent; }

  // What came of the answer is given to its reader. Outside of nghttp2.
  void settle() {
    while (transfer_ != nullptr) {
      const std::shared_ptr<HttpTransfer::State> transfer = transfer_;
      if (error) return fail(*error);
      if (has_head) {
        has_head = false;
        transfer->give_head(std::move(head));
      } else if (!transfer->is_wanted()) {
        return;
      } else if (!body.empty()) {
        const Bytes piece = std::exchange(body, {});
        nghttp2_session_consume_stream(connection_->session_.get(), id, piece.size());
        transfer->give_piece(piece);
      } else if (has_ended) {
        const std::shared_ptr<Carried> self = shared_from_this();
        (void)take();
        // The rest of the request is of no use.
        reset(NGHTTP2_NO_ERROR);
        return transfer->finish();
      } else {
        return;
      }
    }
  }

  void fail(HttpError why) {
    if (transfer_ == nullptr) return;
    const std::shared_ptr<Carried> self = shared_from_this();
    const std::shared_ptr<HttpTransfer::State> transfer = take();
    reset(NGHTTP2_CANCEL);
    why.was_sent = is_sent;
    transfer->fail(std::move(why));
  }

  // It carries the transfer no longer.
  std::shared_ptr<HttpTransfer::State> take() {
    if (transfer_ != nullptr) transfer_->carried_by(nullptr);
    const std::shared_ptr<Carried> self = std::exchange(kept_, nullptr);
    return std::exchange(transfer_, nullptr);
  }

  void reset(std::uint32_t code) {
    if (is_closed || std::exchange(is_reset_, true)) return;
    nghttp2_submit_rst_stream(connection_->session_.get(), NGHTTP2_FLAG_NONE, id, code);
  }

  void change() {
    connection_->changed_.push_back(shared_from_this());
    connection_->pump_later();
  }

  HttpTransfer::State* transfer() { return transfer_.get(); }

  std::int32_t id = 0;
  bool is_sent = false;    // its head has left
  bool is_closed = false;  // by nghttp2
  bool is_final = false;   // the head that comes is no interim one
  bool has_begun = false;  // there was a final head
  bool has_head = false;   // that the reader has not got
  bool has_ended = false;  // the answer is whole
  HttpResponseHead head = {.status = 0, .headers = {}};
  std::size_t head_bytes = 0;
  Bytes body = {};  // that the reader has not got
  std::optional<HttpError> error = {};

 private:
  const std::shared_ptr<ClientHttp2> connection_;
  std::shared_ptr<HttpTransfer::State> transfer_;
  std::shared_ptr<Carried> kept_ = {};  // itself, while it has the transfer
  bool is_reset_ = false;
};

// The callbacks of nghttp2, which it calls in mem_recv and mem_send. They change streams and list
// them in `changed_`; readers and sources are called afterwards, since they may do anything, and
// nghttp2 must not be entered twice.
struct ClientHttp2::Callbacks {
  static ClientHttp2& self_of(void* user_data) { return *static_cast<ClientHttp2*>(user_data); }

  static std::shared_ptr<Carried> find(void* user_data, std::int32_t id) {
    const auto& streams = self_of(user_data).streams_;
    const auto found = streams.find(id);
    return found == streams.end() ? nullptr : found->second;
  }
  static void changed(void* user_data, const std::shared_ptr<Carried>& stream) {
    self_of(user_data).changed_.push_back(stream);
  }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    if (const auto stream = find(user_data, frame->hd.stream_id)) {
      stream->head_bytes = 0;
      if (!stream->has_begun) stream->head = {.status = 0, .headers = {}};
    }
    return 0;
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* user_data) {
    const auto stream = find(user_data, frame->hd.stream_id);
    if (stream == nullptr) return 0;
    const ClientHttp2& self = self_of(user_data);
    stream->head_bytes += name_size + value_size + header_overhead;
    if (stream->head_bytes > self.limits_.bytes ||
        stream->head.headers.size() >= self.limits_.count) {
      stream->error = HttpError{HttpFailure::too_large, "the answer's head is too large", true};
      changed(user_data, stream);
      // Nobody knows how much more of it would come.
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    if (stream->has_begun) return 0;  // a trailer
    const std::string_view key(reinterpret_cast<const char*>(name), name_size);
    const std::string_view text(reinterpret_cast<const char*>(value), value_size);
    if (key == ":status") {
      // nghttp2 has seen that it is three digits.
      std::from_chars(text.data(), text.data() + text.size(), stream->head.status);
    } else if (!key.starts_with(':') && is_value(text)) {
      stream->head.headers.push_back({std::string(key), std::string(text)});
    }
    return 0;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    if (frame->hd.type == NGHTTP2_GOAWAY) self_of(user_data).is_draining_ = true;
    const auto stream = find(user_data, frame->hd.stream_id);
    if (stream == nullptr) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && !stream->has_begun && stream->head.status >= 200)
      stream->has_begun = stream->has_head = true;
    const bool is_last = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (is_last && (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA))
      stream->has_ended = true;
    changed(user_data, stream);
    return 0;
  }

  static int on_data(nghttp2_session* session, std::uint8_t, std::int32_t id,
                     const std::uint8_t* data, std::size_t size, void* user_data) {
    // Only a stream's own window waits for its reader.
    nghttp2_session_consume_connection(session, size);
    const auto stream = find(user_data, id);
    if (stream == nullptr || stream->transfer() == nullptr) return 0;
    stream->body.insert(stream->body.end(), data, data + size);
    changed(user_data, stream);
    return 0;
  }

  static int on_sent(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (const auto stream = find(user_data, frame->hd.stream_id)) stream->is_sent = true;
    return 0;
  }

  static int on_closed(nghttp2_session*, std::int32_t id, std::uint32_t code, void* user_data) {
    const auto stream = find(user_data, id);
    if (stream == nullptr) return 0;
    stream->is_closed = true;
    if (!stream->has_ended && !stream->error) {
      if (code == NGHTTP2_REFUSED_STREAM) {
        stream->is_sent = false;
        stream->error = HttpError{HttpFailure::unreachable, "the server takes no more requests"};
      } else {
        stream->error = HttpError{
            stream->has_begun ? HttpFailure::truncated : HttpFailure::bad_response,
            std::string("the server ended the answer: ") + nghttp2_http2_strerror(code), true};
      }
    }
    changed(user_data, stream);
    return 0;
  }

  static ssize_t on_body(nghttp2_session*, std::int32_t id, std::uint8_t* room, std::size_t size,
                         std::uint32_t* flags, nghttp2_data_source*, void* user_data) {
    const auto stream = find(user_data, id);
    if (stream == nullptr || stream->transfer() == nullptr)
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    BodyWriter& body = stream->transfer()->body();
    if (body.is_over()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      return 0;
    }
    const BytesView front = body.front();
    if (front.empty()) {
      self_of(user_data).starved_.push_back(stream);
      return NGHTTP2_ERR_DEFERRED;
    }
    const std::size_t taken = std::min(size, front.size());
    std::memcpy(room, front.data(), taken);
    body.consume(taken);
    return static_cast<ssize_t>(taken);
  }

  static nghttp2_session* make(ClientHttp2& self) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* option = nullptr;
    nghttp2_session* session = nullptr;
    if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&option) != 0)
      throw std::bad_alloc();
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_closed);
    nghttp2_option_set_no_auto_window_update(option, 1);
    const int made = nghttp2_session_client_new2(&session, callbacks, &self, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    if (made != 0) throw std::bad_alloc();
    return session;
  }
};

void ClientHttp2::Free::operator()(nghttp2_session* session) const { nghttp2_session_del(session); }

ClientHttp2::ClientHttp2(Http2ClientOwner& owner, void* site, Wire wire, const Origin& origin,
                         const HeadLimits& limits)
    : owner_(&owner),
      site_(site),
      wire_(std::move(wire)),
      origin_(origin),
      limits_(limits),
      session_(Callbacks::make(*this)),
      idle_since_(std::chrono::steady_clock::now()) {}

ClientHttp2::~ClientHttp2() = default;

void ClientHttp2::begin() {
  const std::array<nghttp2_settings_entry, 3> settings = {
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
       {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window_bytes},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(limits_.bytes)}}};
  nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0,
                                        connection_window_bytes);
  pump_later();
}

bool ClientHttp2::has_room() const {
  const std::uint32_t allowed =
      nghttp2_session_get_remote_settings(session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return owner_ != nullptr && !is_draining_ &&
         streams_.size() < std::min<std::size_t>(allowed, max_streams) &&
         nghttp2_session_check_request_allowed(session_.get()) != 0;
}

bool ClientHttp2::is_usable() {
  // What the server has said meanwhile, or that it is gone.
  if (is_idle() && !is_pumping_) {
    is_pumping_ = true;
    while (owner_ != nullptr && read_some()) {
    }
    is_pumping_ = false;
  }
  return has_room();
}

void ClientHttp2::carry(std::shared_ptr<HttpTransfer::State> transfer) {
  const HttpRequest& request = transfer->request();
  const std::optional<std::uint64_t> length = transfer->body().length();
  const std::string authority = origin_.authority();
  const std::string size = std::to_string(length.value_or(0));
  std::vector<std::string> names;
  names.reserve(request.headers.size());
  std::vector<nghttp2_nv> fields = {field(":method", request.method), field(":scheme", "https"),
                                    field(":authority", authority), field(":path", request.target)};
  bool has_agent = false;
  for (const HttpHeader& header : request.headers) {
    names.push_back(ascii_lower_case(header.name));
    has_agent = has_agent || names.back() == "user-agent";
    // Here blanks around a value are not allowed, and mean nothing.
    fields.push_back(field(names.back(), trim(header.value)));
  }
  if (!has_agent) fields.push_back(field("user-agent", user_agent));
  const bool has_no_body = length == 0 && (request.method == "GET" || request.method == "HEAD");
  if (length && !has_no_body) fields.push_back(field("content-length", size));

  const auto stream = std::make_shared<Carried>(*this, std::move(transfer));
  nghttp2_data_provider provider{};
  provider.read_callback = Callbacks::on_body;
  const std::int32_t id =
      nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(),
                             length == 0 ? nullptr : &provider, nullptr);
  if (id < 0) {
    if (std::shared_ptr<HttpTransfer::State> left = stream->take())
      left->fail_later({HttpFailure::unreachable, "the connection takes no more requests"});
    return drain();
  }
  stream->begin(id);
  streams_.emplace(id, stream);
  starved_.push_back(stream);
  // At once where that is not inside of another's turn.
  if (is_pumping_) return pump_later();
  const std::shared_ptr<ClientHttp2> self = shared_from_this();
  is_pumping_ = true;
  flush();
  is_pumping_ = false;
}

void ClientHttp2::close() {
  owner_ = nullptr;
  for (const auto& [id, stream] : std::exchange(streams_, {})) (void)stream->take();
  changed_.clear();
  starved_.clear();
  boost::system::error_code ignored;
  (void)wire_.descriptor.close(ignored);
}

void ClientHttp2::pump_later() {
  if (std::exchange(is_posted_, true)) return;
  boost::asio::post(wire_.descriptor.get_executor(), [self = shared_from_this()] {
    self->is_posted_ = false;
    self->pump();
  });
}

void ClientHttp2::pump() {
  if (is_pumping_) return;
  const std::shared_ptr<ClientHttp2> self = shared_from_this();
  is_pumping_ = true;
  if (!is_read_awaited_) {
    for (int turn = 0; owner_ != nullptr && read_some(); ++turn) {
      understand();
      if (turn < max_in_a_row) continue;
      pump_later();
      break;
    }
  }
  understand();
  flush();
  is_pumping_ = false;
  if (owner_ == nullptr) return;
  if (is_draining_) drain();
  if (owner_ != nullptr && !is_posted_) wait(Descriptor::wait_read, is_read_awaited_);
}

// True where there may be more.
bool ClientHttp2::read_some() {
  std::array<std::uint8_t, input_bytes> room;
  const transport::Stream::Outcome outcome = wire_.stream.read(room);
  switch (outcome.status) {
    case transport::Stream::Status::wants_read:
      return false;
    case transport::Stream::Status::wants_write:
      wait(Descriptor::wait_write, is_write_awaited_);
      return false;
    case transport::Stream::Status::ended:
    case transport::Stream::Status::broken:
      lose({HttpFailure::bad_response, "the server hung up without an answer"});
      return false;
    case transport::Stream::Status::moved:
      break;
  }
  const ssize_t used = nghttp2_session_mem_recv(session_.get(), room.data(), outcome.bytes);
  if (used >= 0) return true;
  understand();
  lose({HttpFailure::bad_response,
        std::string("the server breaks HTTP/2: ") + nghttp2_strerror(static_cast<int>(used))});
  return false;
}

// Tells readers what has come.
void ClientHttp2::understand() {
  while (!changed_.empty()) {
    for (const std::shared_ptr<Carried>& stream : std::exchange(changed_, {})) {
      stream->settle();
      if (stream->is_closed && owner_ != nullptr) leave(*stream);
    }
  }
}

void ClientHttp2::leave(Carried& stream) {
  // Its reader may still have some of the answer to ask for.
  if (streams_.erase(stream.id) == 0) return;
  if (streams_.empty()) idle_since_ = std::chrono::steady_clock::now();
  owner_->on_room(*this);
}

void ClientHttp2::flush() {
  while (owner_ != nullptr && !is_write_awaited_) {
    if (sent_ == output_.size() && !fill_output()) break;
    const BytesView pieces[] = {BytesView(output_).subspan(sent_)};
    const transport::Stream::Outcome outcome = wire_.stream.write(pieces);
    if (outcome.status == transport::Stream::Status::moved) {
      sent_ += outcome.bytes;
    } else if (outcome.status == transport::Stream::Status::wants_write) {
      wait(Descriptor::wait_write, is_write_awaited_);
    } else if (outcome.status == transport::Stream::Status::wants_read) {
      break;
    } else {
      lose({HttpFailure::bad_response, "the server hung up without an answer"});
    }
  }
}

// What nghttp2 has to send, with the bodies that are there.
bool ClientHttp2::fill_output() {
  output_.clear();
  sent_ = 0;
  for (;;) {
    for (const std::shared_ptr<Carried>& stream : std::exchange(starved_, {})) {
      if (stream->transfer() == nullptr || stream->is_closed) continue;
      switch (stream->transfer()->body().prepare()) {
        case BodyWriter::Status::waiting:
          break;
        case BodyWriter::Status::failed: {
          // A source may do anything.
          if (owner_ == nullptr || stream->transfer() == nullptr) return false;
          const HttpError error = stream->transfer()->body().error();
          stream->fail(error);
          break;
        }
        case BodyWriter::Status::ready:
        case BodyWriter::Status::done:
          if (owner_ == nullptr) return false;
          nghttp2_session_resume_data(session_.get(), stream->id);
          break;
      }
      if (owner_ == nullptr) return false;
    }
    while (output_.size() < output_bytes) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
      if (size < 0) {
        lose({HttpFailure::bad_response, nghttp2_strerror(static_cast<int>(size))});
        return false;
      }
      if (size == 0) break;
      output_.insert(output_.end(), bytes, bytes + size);
    }
    if (output_.size() >= output_bytes || starved_.empty()) break;
  }
  // Closing a stream changes it.
  if (!changed_.empty()) pump_later();
  return !output_.empty();
}

void ClientHttp2::wait(Descriptor::wait_type what, bool& is_waiting) {
  if (std::exchange(is_waiting, true)) return;
  wire_.descriptor.async_wait(what, [self = shared_from_this(), &is_waiting](const auto& error) {
    is_waiting = false;
    if (!error) self->pump();
  });
}

void ClientHttp2::drain() {
  is_draining_ = true;
  if (owner_ != nullptr) owner_->on_draining(*this);
  if (owner_ == nullptr || !streams_.empty()) return;
  Http2ClientOwner* const owner = owner_;
  close();
  owner->on_closed(*this);
}

void ClientHttp2::lose(HttpError error) {
  if (owner_ == nullptr) return;
  const std::shared_ptr<ClientHttp2> self = shared_from_this();
  Http2ClientOwner* const owner = owner_;
  owner_ = nullptr;
  boost::system::error_code ignored;
  (void)wire_.descriptor.close(ignored);
  starved_.clear();
  const auto streams = std::exchange(streams_, {});
  owner->on_closed(*this);
  for (const auto& [id, stream] : streams) {
    stream->is_closed = true;
    if (stream->has_ended || stream->error) {
      stream->change();  // it is only its reader who does not know yet
    } else if (stream->is_sent) {
      stream->fail(stream->has_begun
                       ? HttpError{HttpFailure::truncated, "the answer broke off before its end"}
                       : error);
    } else if (std::shared_ptr<HttpTransfer::State> transfer = stream->take()) {
      owner->on_unsent(std::move(transfer));
    }
  }
}

}  // namespace cordon::transport::http
