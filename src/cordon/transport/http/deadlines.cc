#include "cordon/transport/http/deadlines.h"

#include <map>
#include <optional>

#include <boost/asio/steady_timer.hpp>

namespace cordon::transport::http {

struct Deadlines::Table {
  explicit Table(boost::asio::io_context& io) : timer(io) {}

  boost::asio::steady_timer timer;
  std::optional<Instant> armed = {};  // when the timer goes off
  std::map<Key, std::move_only_function<void()>> entries = {};
  std::uint64_t last = 0;
  bool is_over = false;
};

Deadlines::Deadlines(boost::asio::io_context& io) : table_(std::make_shared<Table>(io)) {}

Deadlines::~Deadlines() {
  table_->is_over = true;
  table_->entries.clear();
  table_->timer.cancel();
}

Deadlines::Entry& Deadlines::Entry::operator=(Entry&& other) noexcept {
  if (this == &other) return *this;
  remove();
  table_ = std::move(other.table_);
  key_ = other.key_;
  return *this;
}

void Deadlines::Entry::remove() {
  if (const std::shared_ptr<Table> table = std::exchange(table_, nullptr))
    table->entries.erase(key_);
}

Deadlines::Entry Deadlines::add(Instant time, std::move_only_function<void()> on_time) {
  const Key key(time, ++table_->last);
  table_->entries.emplace(key, std::move(on_time));
  if (!table_->armed || time < *table_->armed) arm(table_);
  return {table_, key};
}

void Deadlines::settle() {
  if (!table_->entries.empty()) return;
  table_->timer.cancel();
  table_->armed.reset();
}

void Deadlines::arm(const std::shared_ptr<Table>& table) {
  table->armed.reset();
  if (table->is_over || table->entries.empty()) return;
  table->armed = table->entries.begin()->first.first;
  table->timer.expires_at(*table->armed);
  table->timer.async_wait([table](const boost::system::error_code& error) {
    if (error) return;
    const Instant now = std::chrono::steady_clock::now();
    while (!table->entries.empty() && table->entries.begin()->first.first <= now) {
      auto node = table->entries.extract(table->entries.begin());
      node.mapped()();
    }
    arm(table);
  });
}

}  // namespace cordon::transport::http
