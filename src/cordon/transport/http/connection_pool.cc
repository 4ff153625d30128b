#include "cordon/transport/http/connection_pool.h"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>

#include "cordon/transport/http/request_text.h"
#include "cordon/transport/tls_context.h"

namespace cordon::transport::http {
namespace {

constexpr std::size_t least_swept = 64;

std::string key_of(const Origin& origin) {
  if (origin.is_socket()) return "unix:" + origin.socket_path;
  return (origin.is_tls ? "https:" : "http:") + origin.port + ":" + origin.host;
}

}  // namespace

// One origin.
struct ConnectionPool::Site {
  Route route = {};
  std::vector<ClientConnection*> idle = {};  // the one that was used last is last
  std::size_t open = 0;                      // connections, and those that are being opened
  std::size_t opening = 0;                   // the latter
  // What the server has chosen. Until it is known, one connection is opened and not more.
  enum class Protocol : std::uint8_t { unknown, http1, http2 };
  Protocol protocol = Protocol::unknown;
  std::shared_ptr<ClientHttp2> http2 = {};  // that takes requests
  std::deque<Transfer> waiting = {};        // some may be over
  std::size_t waiting_count = 0;            // those that are not
  std::size_t transfers = 0;                // that are not over, wherever they are
};

// A connection on its way, for one transfer.
class ConnectionPool::Opening final : public Carrier, public std::enable_shared_from_this<Opening> {
 public:
  Opening(ConnectionPool& pool, Site& site, Transfer transfer)
      : pool_(&pool), site_(site), transfer_(std::move(transfer)) {}

  void begin(boost::asio::ssl::context* tls) {
    transfer_->carried_by(this);
    dial_ = std::make_shared<Dial>(pool_->io_, pool_->names_, tls, site_.route,
                                   [weak = weak_from_this()](HttpResult<Wire> wire) {
                                     if (const auto self = weak.lock(); self && self->pool_)
                                       self->pool_->on_opened(*self, std::move(wire));
                                   });
    dial_->start();
  }
  // Without a word to the pool.
  void stop() {
    pool_ = nullptr;
    if (dial_ != nullptr) dial_->stop();
  }

  void read_on() override {}
  void send_on() override {}
  bool has_sent() const override { return false; }
  void abandon() override {
    transfer_ = nullptr;
    ConnectionPool* const pool = pool_;
    stop();
    if (pool != nullptr) pool->on_opening_over(*this);
  }

  Site& site() { return site_; }
  Transfer take() {
    transfer_->carried_by(nullptr);
    return std::exchange(transfer_, nullptr);
  }

 private:
  ConnectionPool* pool_;
  Site& site_;
  Transfer transfer_;
  std::shared_ptr<Dial> dial_ = {};
};

ConnectionPool::ConnectionPool(boost::asio::io_context& io, HttpClientOptions options)
    : io_(io),
      options_(std::move(options)),
      inbox_(std::make_shared<LoopInbox>(io)),
      names_(io),
      deadlines_(io) {}

ConnectionPool::~ConnectionPool() {
  is_closing_ = true;
  inbox_->close();
  // One that is dropped may take others with it.
  std::vector<std::weak_ptr<HttpTransfer::State>> left;
  for (const auto& [transfer, site] : transfers_) left.push_back(transfer->weak_from_this());
  for (const auto& weak : left) {
    if (const Transfer transfer = weak.lock()) transfer->drop();
  }
  for (const auto& [key, opening] : openings_) opening->stop();
  for (const auto& [key, connection] : connections_) connection->close();
  for (const auto& [key, connection] : multiplexed_) connection->close();
}

// Requests.

std::shared_ptr<HttpTransfer::State> ConnectionPool::start(const Origin& origin,
                                                           HttpRequest request,
                                                           HttpClient::OnHead on_head) {
  const Result<> checked = check_request(request);
  auto transfer =
      std::make_shared<HttpTransfer::State>(io_, inbox_, std::move(request), std::move(on_head));
  if (!checked) {
    transfer->fail_later({HttpFailure::bad_request, checked.error().message});
    return transfer;
  }
  const std::string key = key_of(origin);
  sweep_sites();
  std::shared_ptr<Site>& site = sites_[key];
  if (site == nullptr) {
    Result<std::optional<Proxy>> proxy = options_.proxies.proxy_for(origin);
    if (!proxy) {
      sites_.erase(key);
      transfer->fail_later({HttpFailure::unreachable, proxy.error().message});
      return transfer;
    }
    site = std::make_shared<Site>(Route{origin, *std::move(proxy)});
    if (!origin.is_tls || !options_.offers_http2) site->protocol = Site::Protocol::http1;
  }
  transfers_.emplace(transfer.get(), site.get());
  ++site->transfers;
  transfer->belong_to(*this, deadlines_);
  if (site->waiting_count >= options_.max_waiting) {
    transfer->fail_later(
        {HttpFailure::overloaded, "too many requests wait for a connection to this server"});
    return transfer;
  }
  enqueue(*site, transfer);
  return transfer;
}

void ConnectionPool::enqueue(Site& site, Transfer transfer) {
  if (site.waiting.size() > least_swept && site.waiting.size() > 2 * site.waiting_count)
    std::erase_if(site.waiting, [](const Transfer& other) { return other->is_over(); });
  transfer->set_queued(true);
  site.waiting.push_back(std::move(transfer));
  ++site.waiting_count;
  serve(site);
}

void ConnectionPool::serve(Site& site) {
  while (!is_closing_ && site.waiting_count > 0) {
    if (carry_by_http2(site)) continue;
    if (site.idle.empty() && !may_open(site)) break;
    const Transfer transfer = next_waiting(site);
    if (!carry_by_idle(site, transfer)) open(site, transfer);
  }
  if (site.waiting_count == 0) site.waiting.clear();
}

bool ConnectionPool::carry_by_http2(Site& site) {
  const std::shared_ptr<ClientHttp2> connection = site.http2;
  if (connection == nullptr || !connection->is_usable() || site.waiting_count == 0) return false;
  connection->carry(next_waiting(site));
  return true;
}

bool ConnectionPool::may_open(const Site& site) const {
  switch (site.protocol) {
    case Site::Protocol::unknown:
      return site.opening == 0;
    case Site::Protocol::http1:
      return site.open < options_.max_connections;
    case Site::Protocol::http2:
      return site.opening == 0 && site.http2 == nullptr;
  }
  return false;
}

ConnectionPool::Transfer ConnectionPool::next_waiting(Site& site) {
  for (;;) {
    Transfer transfer = std::move(site.waiting.front());
    site.waiting.pop_front();
    if (transfer->is_over()) continue;
    transfer->set_queued(false);
    --site.waiting_count;
    return transfer;
  }
}

bool ConnectionPool::carry_by_idle(Site& site, const Transfer& transfer) {
  while (!site.idle.empty()) {
    ClientConnection& connection = *site.idle.back();
    site.idle.pop_back();
    --figures_.idle;
    if (std::chrono::steady_clock::now() < expiry_of(connection) && connection.is_usable()) {
      connection.carry(transfer);
      return true;
    }
    const std::shared_ptr<ClientConnection> kept = connections_.extract(&connection).mapped();
    kept->close();
    --site.open;
  }
  return false;
}

void ConnectionPool::open(Site& site, Transfer transfer) {
  boost::asio::ssl::context* context = nullptr;
  if (site.route.origin.is_tls) {
    const Result<boost::asio::ssl::context*> made = tls();
    if (!made) return transfer->fail_later({HttpFailure::tls, made.error().message});
    context = *made;
  }
  ++site.open;
  ++site.opening;
  ++figures_.opened;
  auto opening = std::make_shared<Opening>(*this, site, std::move(transfer));
  openings_.emplace(opening.get(), opening);
  opening->begin(context);
}

void ConnectionPool::on_opened(Opening& opening, HttpResult<Wire> wire) {
  const std::shared_ptr<Opening> kept = openings_.extract(&opening).mapped();
  Site& site = opening.site();
  const Transfer transfer = opening.take();
  --site.opening;
  if (!wire) {
    --site.open;
    // Before the reader is told, who may end the client.
    serve(site);
    transfer->fail(std::move(wire).error());
    return;
  }
  if (wire->stream.protocol() == "h2") return take_http2(site, *std::move(wire), transfer);
  site.protocol = Site::Protocol::http1;
  auto connection =
      std::make_shared<ClientConnection>(*this, &site, *std::move(wire), site.route, options_.head);
  connections_.emplace(connection.get(), connection);
  connection->carry(transfer);
  serve(site);
}

void ConnectionPool::take_http2(Site& site, Wire wire, Transfer transfer) {
  const auto connection = std::make_shared<ClientHttp2>(*this, &site, std::move(wire),
                                                        site.route.origin, options_.head);
  multiplexed_.emplace(connection.get(), connection);
  site.protocol = Site::Protocol::http2;
  site.http2 = connection;
  connection->begin();
  connection->carry(std::move(transfer));
  serve(site);
}

void ConnectionPool::on_opening_over(Opening& opening) {
  const auto kept = openings_.extract(&opening);
  Site& site = opening.site();
  --site.open;
  --site.opening;
  serve(site);
}

void ConnectionPool::on_unsent(Transfer transfer) {
  Site& site = *transfers_.find(transfer.get())->second;
  // It was the first once, and is again.
  transfer->set_queued(true);
  site.waiting.push_front(std::move(transfer));
  ++site.waiting_count;
  serve(site);
}

void ConnectionPool::forget(HttpTransfer::State& transfer) {
  const auto found = transfers_.find(&transfer);
  if (found == transfers_.end()) return;
  Site& site = *found->second;
  transfers_.erase(found);
  --site.transfers;
  if (transfer.is_queued()) --site.waiting_count;
}

// Connections.

void ConnectionPool::on_idle(ClientConnection& connection) {
  Site& site = *static_cast<Site*>(connection.site());
  if (site.waiting_count > 0) return connection.carry(next_waiting(site));
  if (figures_.idle >= options_.max_idle) {
    const std::shared_ptr<ClientConnection> kept = connections_.extract(&connection).mapped();
    kept->close();
    --site.open;
    return;
  }
  site.idle.push_back(&connection);
  ++figures_.idle;
  expect_expiry();
}

void ConnectionPool::on_closed(ClientConnection& connection) {
  const auto kept = connections_.extract(&connection);
  Site& site = *static_cast<Site*>(connection.site());
  --site.open;
  serve(site);
}

void ConnectionPool::on_room(ClientHttp2& connection) {
  if (connection.is_idle()) expect_expiry();
  serve(*static_cast<Site*>(connection.site()));
}

void ConnectionPool::on_draining(ClientHttp2& connection) {
  Site& site = *static_cast<Site*>(connection.site());
  if (site.http2.get() != &connection) return;
  site.http2 = nullptr;
  serve(site);
}

void ConnectionPool::on_closed(ClientHttp2& connection) {
  const auto kept = multiplexed_.extract(&connection);
  Site& site = *static_cast<Site*>(connection.site());
  --site.open;
  if (site.http2.get() == &connection) site.http2 = nullptr;
  serve(site);
}

Instant ConnectionPool::expiry_of(const ClientConnection& connection) const {
  std::chrono::milliseconds time = options_.idle_timeout;
  // A second before the server's own limit, so that both do not act at the same time.
  if (const std::optional<std::uint64_t> seconds = connection.keep_alive_seconds())
    time = std::min(time, std::chrono::milliseconds(std::chrono::seconds(
                              *seconds > 1 ? std::min<std::uint64_t>(*seconds - 1, 3'600) : 0)));
  return connection.idle_since() + time;
}

void ConnectionPool::expect_expiry() {
  if (std::exchange(expects_expiry_, true)) return;
  expiry_ = deadlines_.add(std::chrono::steady_clock::now() + options_.idle_timeout,
                           [this] { close_expired(); });
}

void ConnectionPool::close_expired() {
  expects_expiry_ = false;
  const Instant now = std::chrono::steady_clock::now();
  bool is_any_left = false;
  for (const auto& [key, site] : sites_) {
    if (const std::shared_ptr<ClientHttp2> http2 = site->http2; http2 && http2->is_idle()) {
      if (now < http2->idle_since() + options_.idle_timeout) {
        is_any_left = true;
      } else {
        close_http2(*site);
      }
    }
    std::erase_if(site->idle, [&](ClientConnection* connection) {
      if (now < expiry_of(*connection)) return false;
      const std::shared_ptr<ClientConnection> kept = connections_.extract(connection).mapped();
      kept->close();
      --site->open;
      --figures_.idle;
      return true;
    });
  }
  if (figures_.idle > 0 || is_any_left) expect_expiry();
}

void ConnectionPool::close_http2(Site& site) {
  multiplexed_.erase(site.http2.get());
  std::exchange(site.http2, nullptr)->close();
  --site.open;
}

void ConnectionPool::close_idle() {
  for (const auto& [key, site] : sites_) {
    if (site->http2 != nullptr && site->http2->is_idle()) close_http2(*site);
    for (ClientConnection* const connection : std::exchange(site->idle, {})) {
      const std::shared_ptr<ClientConnection> kept = connections_.extract(connection).mapped();
      kept->close();
      --site->open;
      --figures_.idle;
    }
  }
  expiry_.remove();
  expects_expiry_ = false;
  deadlines_.settle();
}

Result<boost::asio::ssl::context*> ConnectionPool::tls() {
  if (tls_ == nullptr) {
    tls_ = CORDON_TRY(make_client_tls_context(options_.trusted_certificates,
                                              options_.offers_http2 ? "h2,http/1.1" : "http/1.1"));
  }
  return tls_.get();
}

HttpClient::Figures ConnectionPool::figures() const {
  HttpClient::Figures figures = figures_;
  figures.connections = connections_.size() + multiplexed_.size() + openings_.size();
  for (const auto& [key, site] : sites_) figures.waiting += site->waiting_count;
  return figures;
}

void ConnectionPool::sweep_sites() {
  if (sites_.size() < swept_at_) return;
  std::erase_if(sites_, [](const auto& entry) {
    return entry.second->open == 0 && entry.second->transfers == 0;
  });
  swept_at_ = std::max(least_swept, 2 * sites_.size());
}

}  // namespace cordon::transport::http
