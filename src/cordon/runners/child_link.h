#pragma once

// A runner in a process of its own, over its standard streams.

#include <array>
#include <optional>
#include <string>

#include "cordon/runners/child.h"
#include "cordon/runners/link.h"

namespace cordon::runners {

class ChildLink final : public Link {
 public:
  ChildLink(Child child, LinkOptions options);

  void add_waits(std::vector<pollfd>& waits, bool reads, bool writes) const override;
  std::size_t send(std::string_view lines) override;
  std::string_view receive(std::span<char> buffer) override;
  std::optional<std::string> over() override;
  std::optional<Instant> next_time() const override;
  void close() override;

 private:
  void show_errors();

  Child child_;
  LinkOptions options_;
  std::string unsent_;  // the line with the token
  bool is_input_broken_ = false;
  bool is_output_over_ = false;
  bool has_ended_ = false;
  std::optional<Instant> give_up_;  // waiting for what the end of its output means
};

}  // namespace cordon::runners
