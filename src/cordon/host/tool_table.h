#pragma once

// The tools of one execution, by the numbers that its guest uses for them. One thread at a time may
// use it.

#include <cstddef>
#include <cstdint>
#include <deque>
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
  std::size_t size() const { return places_.size(); }
  bool is_open(std::uint32_t number) const;
  // Whether our own code in a guest would make this call: the number exists, and it comes with a
  // name exactly if it belongs to an open namespace.
  bool accepts(std::uint32_t number, const std::string& name) const;

  // Use the following only for calls that it accepts.
  const std::string& provider_of(std::uint32_t number) const { return *places_[number].provider; }
  const std::string& name_of(std::uint32_t number, const std::string& name) const;
  bool is_to_suspend_on(std::uint32_t number, const std::string& name) const;
  void call(std::uint32_t number, const std::string& name, Value input, Reply reply) const;

  // Drops the providers. Their destructors may do anything.
  void clear();

 private:
  // One of the two functions is null.
  struct Place {
    const std::string* provider;
    const Tool* tool;
    const AnyToolFunction* any;
    bool suspends = false;  // for an open namespace the name decides
  };

  void add(const std::string& provider, const Tool& tool);
  void add_any(const std::string& provider, const AnyToolFunction& any);
  void add_known(const js::Namespace& space);
  bool is_named_to_suspend_on(const std::string& provider, const std::string& tool) const;

  std::vector<Provider> providers_;
  std::vector<std::string> suspend_on_;
  std::vector<js::Namespace> namespaces_;
  std::vector<Place> places_;
  // For tools of an image that this execution was not given. Places refer to them.
  std::deque<Tool> stand_in_tools_;
  std::deque<AnyToolFunction> stand_in_any_;
};

}  // namespace cordon::host
