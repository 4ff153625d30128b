#include "cordon/transport/http/http2_session.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <nghttp2/nghttp2.h>

#include "cordon/transport/http/http2_answer.h"

namespace cordon::transport::http {
namespace {

// Handlers whose clients went may take a while to notice. So many run beside those of the streams
// that are open, and no more.
constexpr std::size_t max_running = 2 * Http2Session::max_streams;
// Requests that are given up before they are answered: each has cost a handler. Those whose heads
// are too large have cost as much.
constexpr unsigned resets_at_once = 200;
constexpr unsigned resets_per_second = 20;
// Frames that move nothing: all but the heads of requests and bytes of their bodies.
constexpr unsigned frames_at_once = 1'000;
constexpr unsigned frames_per_second = 100;
// Some of them belong to what does move something: a request has its priority, an answer's piece
// has windows that are opened for it. (The client of Go opens one for every 4 KiB that it reads.)
constexpr unsigned frames_for_request = 3;
constexpr unsigned frames_for_answer = 10;
// Heads past their limit are still read, to be answered with 431, but only up to this multiple of
// it. A byte of HPACK may stand for four thousand, and each of those costs time.
constexpr std::size_t max_times_of_head = 2;
// As a line of HTTP/1.1 has beside the name and the value.
constexpr std::size_t line_bytes = 4;
// Frames that wait because the client reads nothing.
constexpr std::size_t max_queued_frames = 500;

std::uint32_t code_of(Http2Session::Reset why) {
  switch (why) {
    case Http2Session::Reset::no_error:
      return NGHTTP2_NO_ERROR;
    case Http2Session::Reset::internal_error:
      return NGHTTP2_INTERNAL_ERROR;
    case Http2Session::Reset::cancel:
      break;
  }
  return NGHTTP2_CANCEL;
}

}  // namespace

// The callbacks of nghttp2, which it calls in receive() and fetch(). nghttp2 must not be entered
// again from inside of one. So a callback changes our own state only: it runs no handler and
// flushes nothing (is_inside_). It puts streams on the lists `starting_` and `closed_`, and
// settle() acts on them afterwards.
//
// A stream of ours lives longer than that of nghttp2. `streams_` holds it until both are done with
// it: nghttp2 has closed it (is_closed), and its handler has returned (leave). A handler never asks
// nghttp2 for a closed stream.
//
// Attackers send what moves nothing: empty frames, resets, heads past their limit. These are
// charged, useful work gives allowance back, and a connection without allowance ends.
struct Http2Session::Callbacks {
  static Http2Session& session_of(void* user_data) {
    return *static_cast<Http2Session*>(user_data);
  }
  static bool is_request(const nghttp2_frame& frame) {
    return frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST;
  }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Http2Session& self = session_of(user_data);
    self.block_bytes_ = 0;
    self.frames_.give_back(1);  // what charge_frame() took for it
    if (is_request(*frame)) self.begin_request(frame->hd.stream_id);
    return 0;
  }

  // Trailers are not kept.
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* user_data) {
    if (!session_of(user_data).count_header(name_size, value_size))
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (!is_request(*frame)) return 0;
    Http2Stream* const stream = session_of(user_data).find(frame->hd.stream_id);
    if (stream == nullptr || stream->has_head()) return 0;
    stream->fields().add({reinterpret_cast<const char*>(name), name_size},
                         {reinterpret_cast<const char*>(value), value_size});
    return 0;
  }

  static int on_invalid_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t*,
                               std::size_t name_size, const std::uint8_t*, std::size_t value_size,
                               std::uint8_t, void* user_data) {
    if (!session_of(user_data).count_header(name_size, value_size))
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    Http2Stream* const stream = session_of(user_data).find(frame->hd.stream_id);
    if (stream != nullptr && is_request(*frame)) stream->fields().add_malformed();
    return 0;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Http2Session& self = session_of(user_data);
    const bool ends_body = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    Http2Stream* const stream = self.find(frame->hd.stream_id);
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        if (is_request(*frame)) {
          self.end_head(stream, ends_body);
        } else if (stream != nullptr && ends_body) {
          stream->on_body_end();
        }
        break;
      case NGHTTP2_DATA:
        if (stream != nullptr && ends_body) stream->on_body_end();
        // Nothing but padding. Those without that were charged by their heads.
        if (frame->hd.length > 0 && frame->hd.length == frame->data.padlen && !ends_body)
          self.charge(Abuse::frames);
        break;
      case NGHTTP2_SETTINGS:
        if (self.heading_ == 0) self.head_deadline_ = Instant::max();
        break;
      default:
        break;
    }
    return 0;
  }

  // nghttp2 answers these, each with a reset or the end.
  static int on_invalid_frame(nghttp2_session*, const nghttp2_frame*, int, void* user_data) {
    session_of(user_data).charge(Abuse::frames);
    return 0;
  }

  static int on_data(nghttp2_session* session, std::uint8_t, std::int32_t id,
                     const std::uint8_t* data, std::size_t size, void* user_data) {
    Http2Stream* const stream = session_of(user_data).find(id);
    if (stream == nullptr || !stream->on_body({data, size}))
      nghttp2_session_consume(session, id, size);
    return 0;
  }

  static int on_sent(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    const bool is_answer = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (frame->hd.type == NGHTTP2_DATA) session_of(user_data).frames_.give_back(frames_for_answer);
    if (!is_answer || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    if (Http2Stream* const stream = session_of(user_data).find(frame->hd.stream_id))
      stream->on_ended();
    return 0;
  }

  static int on_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* user_data) {
    session_of(user_data).on_closed(id);
    return 0;
  }

  static ssize_t read_answer(nghttp2_session*, std::int32_t id, std::uint8_t* room,
                             std::size_t size, std::uint32_t* flags, nghttp2_data_source*,
                             void* user_data) {
    Http2Stream* const stream = session_of(user_data).find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (!stream->has_part()) return NGHTTP2_ERR_DEFERRED;
    const Http2Stream::Part part = stream->take_part({room, size});
    if (part.is_last) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(part.size);
  }

  static nghttp2_session* make_session(Http2Session& self) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* option = nullptr;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
    const std::unique_ptr<nghttp2_session_callbacks, decltype(&nghttp2_session_callbacks_del)>
        callbacks_owner(callbacks, nghttp2_session_callbacks_del);
    if (nghttp2_option_new(&option) != 0) throw std::bad_alloc();
    const std::unique_ptr<nghttp2_option, decltype(&nghttp2_option_del)> option_owner(
        option, nghttp2_option_del);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    // Windows are opened as handlers read.
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_session* session = nullptr;
    if (nghttp2_session_server_new2(&session, callbacks, &self, option) != 0)
      throw std::bad_alloc();
    return session;
  }
};

void Http2Session::Free::operator()(nghttp2_session* session) const {
  nghttp2_session_del(session);
}

Http2Session::Http2Session(std::shared_ptr<ConnectionContext> context,
                           TrustedProxies::Origin origin, Http2Owner& owner)
    : context_(std::move(context)),
      origin_(std::move(origin)),
      owner_(owner),
      session_(Callbacks::make_session(*this)),
      resets_(resets_at_once, resets_per_second, context_->now),
      frames_(frames_at_once, frames_per_second, context_->now),
      head_deadline_(context_->now + context_->options.limits.header_timeout),
      idle_deadline_(context_->now + context_->options.limits.idle_timeout) {
  // HTTP/2 counts 32 bytes more for each header than it has.
  const std::size_t list_bytes = context_->head_limits.bytes + 32 * context_->head_limits.count;
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, max_streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window_bytes},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(list_bytes)},
      // A client could grow the tree of priorities, and it is not needed.
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
  };
  const bool is_fine = nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings,
                                               std::size(settings)) == 0 &&
                       nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0,
                                                             connection_window_bytes) == 0;
  if (!is_fine) throw std::bad_alloc();
}

Http2Session::~Http2Session() = default;

// Bytes.

// Frame by frame, so that nothing is read past the one that ends the connection.
void Http2Session::receive(BytesView bytes) {
  while (!bytes.empty() && !is_lost_ && !has_ended_) {
    const Http2FrameCutter::Piece piece = cutter_.next(bytes);
    if (piece.head) charge_frame(*piece.head);
    if (!has_ended_) read(piece.bytes);
  }
}

void Http2Session::read(BytesView bytes) {
  is_inside_ = true;
  const ssize_t taken = nghttp2_session_mem_recv(session_.get(), bytes.data(), bytes.size());
  is_inside_ = false;
  if (taken >= 0) return;
  // What it did not answer itself: no HTTP/2 at all, a flood, or a head without an end.
  const bool is_flood = taken == NGHTTP2_ERR_FLOODED ||
                        taken == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS ||
                        taken == NGHTTP2_ERR_CALLBACK_FAILURE;
  end(is_flood ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR);
}

void Http2Session::charge_frame(const Http2FrameCutter::Head& head) {
  switch (head.type) {
    case NGHTTP2_DATA:
      if (head.length == 0 && (head.flags & NGHTTP2_FLAG_END_STREAM) == 0) charge(Abuse::frames);
      break;
    case NGHTTP2_CONTINUATION:
      break;  // nghttp2 takes eight of them, and no more
    default:
      charge(Abuse::frames);
      break;
  }
}

bool Http2Session::count_header(std::size_t name_bytes, std::size_t value_bytes) {
  block_bytes_ += name_bytes + value_bytes + line_bytes;
  return block_bytes_ <= max_times_of_head * context_->head_limits.bytes;
}

std::size_t Http2Session::fetch(std::span<std::uint8_t> room) {
  std::size_t filled = 0;
  while (!is_lost_ && room.size() - filled >= least_room) {
    const std::uint8_t* bytes = nullptr;
    is_inside_ = true;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    is_inside_ = false;
    if (size <= 0) {
      if (size < 0) lose();
      break;
    }
    const auto count = static_cast<std::size_t>(size);
    // A frame of ours is 16 KiB and its head; nothing longer is ever made.
    if (count > room.size() - filled) {
      lose();
      break;
    }
    std::memcpy(room.data() + filled, bytes, count);
    filled += count;
  }
  return filled;
}

void Http2Session::flush() {
  // The function that entered nghttp2 flushes afterwards.
  if (!is_inside_) owner_.flush();
}

bool Http2Session::is_choked() const {
  return nghttp2_session_get_outbound_queue_size(session_.get()) > max_queued_frames;
}

bool Http2Session::is_over() const {
  return is_lost_ || (nghttp2_session_want_read(session_.get()) == 0 &&
                      nghttp2_session_want_write(session_.get()) == 0);
}

// Requests.

Http2Stream* Http2Session::find(std::int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Http2Session::begin_request(std::int32_t id) {
  head_deadline_ = context_->now + context_->options.limits.header_timeout;
  heading_ = id;
  frames_.give_back(frames_for_request);
  if (streams_.size() >= max_running) {
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    return charge(Abuse::resets);
  }
  streams_.emplace(id, std::make_shared<Http2Stream>(*this, id));
  idle_deadline_ = Instant::max();
}

void Http2Session::end_head(Http2Stream* stream, bool ends_body) {
  head_deadline_ = Instant::max();
  heading_ = 0;
  if (stream == nullptr) return;
  const Http2Head::Outcome outcome = stream->fields().conclude(ends_body);
  if (outcome.refusal && outcome.refusal->status == 431) charge(Abuse::resets);
  stream->on_head(outcome, ends_body);
  RequestHead& head = stream->fields().head();
  TrustedProxies::Origin origin = context_->options.proxies.origin_of(origin_, head.headers);
  head.peer = std::move(origin.address);
  head.is_secure = origin.is_secure;
  stream->set_running(true);
  starting_.push_back(streams_.at(stream->id()));
}

void Http2Session::on_closed(std::int32_t id) {
  if (heading_ == id) {
    head_deadline_ = Instant::max();
    heading_ = 0;
  }
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  Http2Stream& stream = *found->second;
  stream.on_closed();
  // Whichever side reset it, the client caused it, for example by a wrong frame.
  if (!stream.is_answered() && !stream.is_reset()) charge(Abuse::resets);
  closed_.push_back(found->second);
}

// Starting a handler runs it up to its first wait, and an abort runs the callbacks of a stop token.
// Both may come back here and add to the lists, so the lists are taken out before they are walked.
void Http2Session::settle() {
  // Both may grow while they are walked.
  while (!starting_.empty() || !closed_.empty()) {
    for (const std::shared_ptr<Http2Stream>& stream : std::exchange(starting_, {})) start(stream);
    for (const std::shared_ptr<Http2Stream>& stream : std::exchange(closed_, {})) {
      stream->abort();
      if (stream->is_over()) streams_.erase(stream->id());
    }
  }
  expect_idleness();
}

void Http2Session::start(const std::shared_ptr<Http2Stream>& stream) {
  // Given up with the same breath: no handler needs to know of it.
  if (stream->is_closed()) return stream->set_running(false);
  // All alike, each a frame in its turn.
  const nghttp2_extpri alike{.urgency = NGHTTP2_EXTPRI_DEFAULT_URGENCY, .inc = 1};
  nghttp2_session_change_extpri_stream_priority(session_.get(), stream->id(), &alike, 1);
  asio::co_spawn(
      context_->io, [held = owner_.hold(), stream] { return stream->run(); }, asio::detached);
}

void Http2Session::leave(Http2Stream& stream) {
  if (stream.is_over()) streams_.erase(stream.id());
  expect_idleness();
  flush();
}

void Http2Session::expect_idleness() {
  if (streams_.empty() && idle_deadline_ == Instant::max())
    idle_deadline_ = context_->now + context_->options.limits.idle_timeout;
}

// Answers.

bool Http2Session::submit_head(Http2Stream& stream, const ResponseHead& head,
                               std::optional<std::uint64_t> length) {
  if (is_lost_ || stream.is_closed()) return false;
  const Http2Answer answer(head, length, context_->date.now());
  nghttp2_data_provider provider{};
  provider.read_callback = Callbacks::read_answer;
  // An answer that ends with its head has nothing to read.
  const bool has_data = !stream.ends_with_head();
  return nghttp2_submit_response(session_.get(), stream.id(), answer.fields().data(),
                                 answer.fields().size(), has_data ? &provider : nullptr) == 0;
}

void Http2Session::submit_continue(Http2Stream& stream) {
  if (is_lost_ || stream.is_closed()) return;
  std::string name = ":status";
  std::string value = "100";
  const nghttp2_nv field{.name = reinterpret_cast<std::uint8_t*>(name.data()),
                         .value = reinterpret_cast<std::uint8_t*>(value.data()),
                         .namelen = name.size(),
                         .valuelen = value.size(),
                         .flags = NGHTTP2_NV_FLAG_NONE};
  nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, stream.id(), nullptr, &field, 1,
                         nullptr);
}

void Http2Session::resume(Http2Stream& stream) {
  // Where nothing was deferred yet, nghttp2 asks by itself.
  if (!is_lost_ && !stream.is_closed()) nghttp2_session_resume_data(session_.get(), stream.id());
}

void Http2Session::reset(Http2Stream& stream, Reset why) {
  if (is_lost_ || stream.is_closed() || stream.is_reset()) return;
  stream.set_reset();
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream.id(), code_of(why));
  flush();
}

void Http2Session::consume(const Http2Stream& stream, std::size_t bytes) {
  if (is_lost_) return;
  if (stream.is_closed()) {
    nghttp2_session_consume_connection(session_.get(), bytes);
  } else {
    nghttp2_session_consume(session_.get(), stream.id(), bytes);
  }
}

bool Http2Session::is_window_closed(const Http2Stream& stream) const {
  if (is_lost_ || stream.is_closed()) return true;
  return nghttp2_session_get_remote_window_size(session_.get()) <= 0 ||
         nghttp2_session_get_stream_remote_window_size(session_.get(), stream.id()) <= 0;
}

// Time, and the end.

void Http2Session::charge(Abuse abuse) {
  Allowance& allowance = abuse == Abuse::resets ? resets_ : frames_;
  if (!allowance.take(context_->now)) end(NGHTTP2_ENHANCE_YOUR_CALM);
}

void Http2Session::end(std::uint32_t code) {
  if (is_lost_ || std::exchange(has_ended_, true)) return;
  nghttp2_session_terminate_session(session_.get(), code);
}

void Http2Session::check_deadlines(Instant now) {
  if (is_lost_) return;
  if (now >= head_deadline_) {
    head_deadline_ = Instant::max();
    add(context_->figures.refused, 1);
    add(context_->figures.stalled, 1);
    end(NGHTTP2_ENHANCE_YOUR_CALM);
  }
  if (now >= idle_deadline_ && streams_.empty()) {
    idle_deadline_ = Instant::max();
    end(NGHTTP2_NO_ERROR);
  }
  if (sweeps_until_goaway_ > 0 && --sweeps_until_goaway_ == 0) {
    nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                          nullptr, 0);
  }
  for (const auto& [id, stream] : streams_) stream->check_deadlines(now);
  flush();
}

// The client learns of it first, and may have sent requests in the meantime: what came before the
// second sweep is answered (RFC 9113, 6.8).
void Http2Session::drain() {
  if (is_lost_ || std::exchange(is_draining_, true)) return;
  nghttp2_submit_shutdown_notice(session_.get());
  sweeps_until_goaway_ = 2;
  flush();
}

void Http2Session::lose() {
  if (std::exchange(is_lost_, true)) return;
  for (const auto& [id, stream] : streams_) {
    if (stream->is_closed()) continue;
    stream->on_closed();
    closed_.push_back(stream);
  }
}

}  // namespace cordon::transport::http
