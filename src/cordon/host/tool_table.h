#pragma once

// The tools of one execution, by the numbers that its guest uses for them. One thread at a time may
// use it. Making one takes no longer for many tools than for few.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/js/guest.h"
#include "cordon/provider.h"
#include "cordon/value.h"

namespace cordon::host {

class ToolTable {
 public:
  // Numbers count through the functions of all providers in order. An open provider has one more at
  // its end, for all names that it does not list. `suspend_on` lists tools as "provider.tool", or
  // as "tool" for any provider.
  ToolTable(std::vector<Provider> providers, std::vector<std::string> suspend_on);

  // The numbers are those of an image with these namespaces, and their tools are found by name. A
  // call of a missing tool fails.
  ToolTable(std::vector<Provider> providers, std::vector<std::string> suspend_on,
            std::vector<js::Namespace> known);

  ToolTable(const ToolTable&) = delete;
  ToolTable& operator=(const ToolTable&) = delete;

  std::span<const js::Namespace> namespaces() const { return namespaces_; }
  std::size_t size() const { return size_; }
  bool is_open(std::uint32_t number) const;
  // Whether our own code in a guest would make this call: the number exists, and it comes with a
  // name exactly if it belongs to an open namespace.
  bool accepts(std::uint32_t number, const std::string& name) const;

  // Use the following only for calls that it accepts.
  const std::string& provider_of(std::uint32_t number) const;
  const std::string& name_of(std::uint32_t number, const std::string& name) const;
  bool is_to_suspend_on(std::uint32_t number, const std::string& name) const;
  void call(std::uint32_t number, const std::string& name, Value input, Reply reply) const;

  // Drops the providers. Their destructors may do anything.
  void clear();

 private:
  // A namespace's place among the numbers.
  struct Space {
    std::uint32_t first = 0;
    const Provider* provider = nullptr;  // null if the execution was not given it
  };
  struct Place {
    const js::Namespace& space;
    const Provider* provider;
    std::uint32_t position;
    bool is_listed() const { return position < space.functions.size(); }
  };

  void number_them();
  Place place_of(std::uint32_t number) const;
  static ToolFunction find(const Place& place, const std::string& tool);
  bool is_named_to_suspend_on(const std::string& provider, const std::string& tool) const;

  std::vector<Provider> providers_;
  std::vector<std::string> suspend_on_;  // sorted
  std::vector<js::Namespace> namespaces_;
  std::vector<Space> spaces_;  // in the order of `namespaces_`, and of their numbers
  std::uint32_t size_ = 0;
  bool is_of_image_ = false;
};

}  // namespace cordon::host
