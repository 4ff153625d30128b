#pragma once

// Provider: a namespace of tools, the functions that a guest may call.
//
//   Provider shop("shop");
//   shop.add("price", [](Value input) -> Result<Value> {
//     return Value(input["amount"].value_or(1) * 250);
//   });
//   shop.add_blocking("stock", [](Value input) -> Result<Value> { return read_database(input); });
//
// In the guest: `await shop.price({amount: 2})`. A Provider is a handle: copies are the same
// provider. Any number of executions may use it at once, so several threads may call its functions
// at the same time.

#include "cordon/needs_cxx23.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cordon/coroutine.h"
#include "cordon/export.h"
#include "cordon/result.h"
#include "cordon/tool_rules.h"
#include "cordon/value.h"

namespace cordon {

namespace detail {
struct ProviderAccess;
struct ReplyAccess;
}  // namespace detail

// The request that a call is part of, for a tool to log or to pass on.
struct CallOrigin {
  std::string request_id = {};
  std::string traceparent = {};  // W3C Trace Context; may be empty
};

// Where the answer to one call goes, mostly an execution.
class CORDON_API CallSink {
 public:
  virtual void answer(std::uint64_t call, Result<Value> result) = 0;
  // It is stopped when the execution ends, so that a long tool can give up.
  virtual std::stop_token stop_token() = 0;
  // Empty if it is unknown.
  virtual const CallOrigin& origin() const;

 protected:
  ~CallSink() = default;
};

// The right to answer one call, once, from any thread, now or later. A Reply that is dropped unused
// answers that the tool failed. An answer after the execution's end is ignored. Call stop_token()
// and origin() before you answer.
class CORDON_API Reply {
  friend struct detail::ReplyAccess;

 public:
  Reply(std::shared_ptr<CallSink> sink, std::uint64_t call) : sink_(std::move(sink)), call_(call) {}
  Reply(Reply&&) noexcept = default;
  Reply& operator=(Reply&&) = delete;
  ~Reply();

  // The guest sees the `code` and `message` of an error, and the execution ends with them if the
  // guest does not catch it. fail_as() gives a failure a code of the tool's own.
  void operator()(Result<Value> result);
  std::stop_token stop_token() const { return sink_->stop_token(); }
  const CallOrigin& origin() const { return sink_->origin(); }

 private:
  std::shared_ptr<CallSink> sink_;
  std::uint64_t call_;
};

// The implementation of a tool: it takes the input and answers, at once or later.
using ToolFunction = std::function<void(Value input, Reply reply)>;

// The implementation of all names of a provider that have no tool of their own.
using AnyToolFunction = std::function<void(std::string tool, Value input, Reply reply)>;

struct Tool {
  std::string name;                // as the guest calls it
  ToolFunction function;           // obeys the rules
  std::string original_name = {};  // as its author named it
  ToolRules rules = {};
};

namespace detail {

CORDON_API Result<Value> failed_with(std::exception_ptr exception);

template <class F>
concept PlainTool = std::is_invocable_r_v<Result<Value>, const F&, Value>;
template <class F>
concept StoppableTool = std::is_invocable_r_v<Result<Value>, const F&, Value, std::stop_token>;
template <class F>
concept ReplyTool = std::is_invocable_v<const F&, Value, Reply>;
template <class F>
concept AnyTool = std::is_invocable_r_v<Result<Value>, const F&, std::string, Value>;
template <class F>
concept CoroutineTool = std::is_invocable_r_v<Coroutine<Result<Value>>, const F&, Value>;
template <class F>
concept ImmediateTool = PlainTool<F> || StoppableTool<F>;
template <class F>
concept AddedTool = ImmediateTool<F> || ReplyTool<F> || CoroutineTool<F>;

template <class F>
Result<Value> call_guarded(F&& function) {
  try {
    return std::forward<F>(function)();
  } catch (...) {
    return failed_with(std::current_exception());
  }
}

}  // namespace detail

class CORDON_API Provider {
  friend struct detail::ProviderAccess;

 public:
  // `name` is a JavaScript identifier, such as "tools". Any other name is made into one, as execbox
  // does.
  explicit Provider(std::string_view name);
  // Keeps its name and those of its tools as they are: `globalThis["a-b"]["c d"]` reaches them. If
  // a name is added twice, the last tool counts.
  static Provider with_exact_names(std::string_view name);
  // The provider that a manifest of execbox describes: {"name", "tools": {SAFE: {"safeName",
  // "originalName", "description"?}}, "types"?}. All calls go to `handler`, with the original name
  // of the tool. Fails with ErrorCode::invalid_argument if it is no manifest, or if it has more
  // than 100,000 tools or names of more than 1,024 bytes.
  static Result<Provider> from_manifest(const Value& manifest, AnyToolFunction handler);
  ~Provider();
  Provider(const Provider&);
  Provider(Provider&&) noexcept;
  Provider& operator=(const Provider&);
  Provider& operator=(Provider&&) noexcept;

  // A tool is a function of one of these forms, and can be copied:
  //
  // Value -> Result<Value>, optionally with a std::stop_token after the Value: it answers at once.
  // The thread that runs guests calls it, so it must not wait. An exception fails the call.
  //
  // (Value, Reply) -> void: it answers through its Reply, at any time and from any thread.
  //
  // Value -> Coroutine<Result<Value>>: a coroutine.
  template <class F>
  Provider& add(std::string_view name, F function) {
    return add_async(name, as_tool(std::move(function)));
  }
  // The same for a tool with rules. Fails with ErrorCode::invalid_argument if a schema is invalid,
  // or if no call could ever run; the tool is then not added.
  template <class F>
  Result<> add(std::string_view name, F function, ToolRules rules) {
    return add_async(name, as_tool(std::move(function)), std::move(rules));
  }

  // A function that may wait. It gets a thread of its own while it runs. Its form is
  // Value -> Result<Value>, optionally with a std::stop_token after the Value.
  template <class F>
  Provider& add_blocking(std::string_view name, F function) {
    return add_async(name, as_waiting_tool(std::move(function)));
  }
  template <class F>
  Result<> add_blocking(std::string_view name, F function, ToolRules rules) {
    return add_async(name, as_waiting_tool(std::move(function)), std::move(rules));
  }

  // The general form, which all of these use: a function that answers through its Reply. The name
  // is made safe: "scrape-url" becomes scrape_url, "delete" and "console" become delete_ and
  // console_, and a second tool of the same name becomes name__2.
  Provider& add_async(std::string_view name, ToolFunction function);
  Result<> add_async(std::string_view name, ToolFunction function, ToolRules rules);
  // A function for every name that has no tool of its own, if you cannot list them beforehand. The
  // guest calls `remote.anything(input)`, and the function gets "anything". It must also answer for
  // names that it does not know. Names that JavaScript looks up on every object, such as `then`,
  // `constructor` and `toString`, are never passed on. Nor are names that consist of digits,
  // contain control characters, or are longer than 256 characters.
  Provider& add_any(AnyToolFunction function);
  // The same for a function that may wait: (tool, input) -> Result<Value>, on a thread of its own.
  template <class F>
  Provider& add_any_blocking(F function) {
    static_assert(detail::AnyTool<F>,
                  "the function behind all names has the form (std::string, Value) -> "
                  "Result<Value>. It is called as const: a lambda is not mutable.");
    return add_any([run = runner(), function = std::move(function)](std::string tool, Value input,
                                                                    Reply reply) {
      run([function, tool = std::move(tool), input = std::move(input),
           reply = std::move(reply)]() mutable {
        if (reply.stop_token().stop_requested()) return;
        reply(detail::call_guarded(
            [&]() -> Result<Value> { return function(std::move(tool), std::move(input)); }));
      });
    });
  }
  Provider& describe(std::string_view tool, std::string_view text);
  // Gives a tool rules in place of those that it had; `tool` is its name as the guest calls it. A
  // description stays unless the rules have one. Fails as add() with rules does, and with
  // ErrorCode::not_found if there is no such tool; the old rules then stay.
  Result<> set_rules(std::string_view tool, ToolRules rules);

  // A provider of the same name with the tools that are `read_only` by their rules, for executions
  // that are to change nothing. Limits are shared: calls of both count together. Tools that you add
  // later are not in it, nor is a function of add_any.
  Provider read_only() const;

  // Its tools take and give all kinds of Value, such as dates and maps, whatever rule the execution
  // has for other values. For tools that pass on what they are given, as to another program.
  Provider& take_all_values();
  bool takes_all_values() const;

  // Keeps a resource alive as long as the provider, such as a connection that its tools use.
  void keep(std::shared_ptr<void> resource);

  const std::string& name() const;
  const std::vector<Tool>& tools() const;
  // TypeScript declarations that a manifest came with. If there are none, they are made from the
  // schemas of the tools.
  const std::string& types() const;
  // The function that add_any was given, or an empty one.
  const AnyToolFunction& any_tool() const;
  // The function for this name, also by add_any; empty if there is none.
  ToolFunction find(std::string_view tool) const;

 private:
  struct State;
  using Runner = std::function<void(std::move_only_function<void()>)>;
  Runner runner();

  template <class F>
  static ToolFunction as_tool(F function) {
    static_assert(detail::AddedTool<F>,
                  "the function of a tool has one of these forms: Value -> Result<Value>; (Value, "
                  "std::stop_token) -> Result<Value>; (Value, Reply) -> void; Value -> "
                  "Coroutine<Result<Value>>. It is called as const: a lambda is not mutable.");
    if constexpr (detail::ImmediateTool<F>) {
      return [function = std::move(function)](Value input, Reply reply) {
        answer_with(function, std::move(input), std::move(reply));
      };
    } else if constexpr (detail::ReplyTool<F>) {
      return function;
    } else if constexpr (detail::CoroutineTool<F>) {
      return [function = std::move(function)](Value input, Reply reply) {
        detail::run_detached(function(std::move(input)), Answer{std::move(reply)});
      };
    } else {
      return {};
    }
  }

  template <class F>
  ToolFunction as_waiting_tool(F function) {
    static_assert(detail::ImmediateTool<F>,
                  "the function of a tool that may wait has one of these forms: Value -> "
                  "Result<Value>; (Value, std::stop_token) -> Result<Value>. It is called as "
                  "const: a lambda is not mutable.");
    if constexpr (detail::ImmediateTool<F>) {
      return [run = runner(), function = std::move(function)](Value input, Reply reply) {
        run([function, input = std::move(input), reply = std::move(reply)]() mutable {
          // The execution ended while the call was queued.
          if (reply.stop_token().stop_requested()) return;
          answer_with(function, std::move(input), std::move(reply));
        });
      };
    } else {
      return {};
    }
  }

  template <detail::ImmediateTool F>
  static void answer_with(const F& function, Value input, Reply reply) {
    reply(detail::call_guarded([&]() -> Result<Value> {
      if constexpr (detail::PlainTool<F>) {
        return function(std::move(input));
      } else {
        return function(std::move(input), reply.stop_token());
      }
    }));
  }

  struct Answer {
    Reply reply;
    void operator()(Result<Value> result) { reply(std::move(result)); }
    void operator()(std::exception_ptr exception) {
      reply(detail::failed_with(std::move(exception)));
    }
  };

  std::shared_ptr<State> state_;
};

}  // namespace cordon
