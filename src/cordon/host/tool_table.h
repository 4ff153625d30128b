#pragma once

// The tools of one execution: what is behind the numbers by which its guest knows them. One thread
// at a time.

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
  // Numbers go through the functions of all providers in their order; after those of an open
  // provider comes one more, for all the names that it does not list. `suspend_on` are tools as
  // "provider.tool", or as "tool" of any provider.
  ToolTable(std::vector<Provider> providers, std::vector<std::string> suspend_on);

  // The numbers are those of an image, which knows these namespaces; what is behind them is found
  // by name. A call of what is not there fails.
  ToolTable(std::vector<Provider> providers, std::vector<std::string> suspend_on,
            std::vector<js::Namespace> known);

  ToolTable(const ToolTable&) = delete;
  ToolTable& operator=(const ToolTable&) = delete;

  std::span<const js::Namespace> namespaces() const { return namespaces_; }
  std::size_t size() const { return places_.size(); }
  bool is_open(std::uint32_t number) const;
  // Whether a guest of ours would make this call: there is such a number, and a name goes with it
  // where it is that of an open namespace, and nowhere else.
  bool accepts(std::uint32_t number, const std::string& name) const;

  // The following are for calls that it accepts.
  const std::string& provider_of(std::uint32_t number) const { return *places_[number].provider; }
  const std::string& name_of(std::uint32_t number, const std::string& name) const;
  bool is_to_suspend_on(std::uint32_t number, const std::string& name) const;
  void call(std::uint32_t number, const std::string& name, Value input, Reply reply) const;

  // Lets go of the providers: their end may be anything.
  void clear();

 private:
  // One of the two functions is null.
  struct Place {
    const std::string* provider;
    const Tool* tool;
    const AnyToolFunction* any;
    bool suspends = false;  // of an open one the name decides
  };

  void add(const std::string& provider, const Tool& tool);
  void add_any(const std::string& provider, const AnyToolFunction& any);
  void add_known(const js::Namespace& space);
  bool is_named_to_suspend_on(const std::string& provider, const std::string& tool) const;

  std::vector<Provider> providers_;
  std::vector<std::string> suspend_on_;
  std::vector<js::Namespace> namespaces_;
  std::vector<Place> places_;
  // Of an image, where what it knows is not what this execution was given. Places refer to them.
  std::deque<Tool> stand_in_tools_;
  std::deque<AnyToolFunction> stand_in_any_;
};

}  // namespace cordon::host
