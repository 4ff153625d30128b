#pragma once

// What is to happen at certain times, with one timer for all of it. Most deadlines are removed
// before they come, and most are later than those before them: neither touches the timer.

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "cordon/base/instant.h"

namespace cordon::transport::http {

// On the loop's thread.
class Deadlines {
  struct Table;

 public:
  explicit Deadlines(boost::asio::io_context& io);
  ~Deadlines();
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;

  using Key = std::pair<Instant, std::uint64_t>;
  // The deadline is removed with it. It may outlive the deadlines.
  class Entry {
   public:
    Entry() = default;
    Entry(std::shared_ptr<Table> table, Key key) : table_(std::move(table)), key_(key) {}
    Entry(Entry&& other) noexcept = default;
    Entry& operator=(Entry&& other) noexcept;
    ~Entry() { remove(); }
    void remove();

   private:
    std::shared_ptr<Table> table_ = {};
    Key key_ = {};
  };

  // `on_time` is called once, and may remove any entry, its own too.
  [[nodiscard]] Entry add(Instant time, std::move_only_function<void()> on_time);
  // If there are none, the loop has nothing to wait for.
  void settle();

 private:
  static void arm(const std::shared_ptr<Table>& table);

  std::shared_ptr<Table> table_;
};

}  // namespace cordon::transport::http
