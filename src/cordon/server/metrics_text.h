#pragma once

// Figures in the text format of Prometheus.

#include <cstdint>
#include <string>
#include <string_view>

namespace cordon::server {

class MetricsText {
 public:
  // What follows has this name and type, "counter" or "gauge" mostly.
  void head(std::string_view name, std::string_view type, std::string_view help);
  // `labels` as label() writes them, with commas between; empty: none.
  void line(std::string_view name, std::string_view labels, std::uint64_t value);
  void line(std::string_view name, std::string_view labels, double value);
  // A figure without labels, with its head.
  template <class Number>
  void one(std::string_view name, std::string_view type, std::string_view help, Number value) {
    head(name, type, help);
    line(name, "", value);
  }

  std::string take() { return std::move(text_); }

 private:
  void put(std::string_view name, std::string_view labels, std::string_view value);

  std::string text_;
};

// name="value", whatever the value has in it.
std::string label(std::string_view name, std::string_view value);

}  // namespace cordon::server
