#pragma once

// Result<T>: a value, or an Error. Functions that can fail return it.
//
//   Result<int> port(ValueView config) {
//     const int port = CORDON_TRY(config["port"].as<int>());
//     if (port > 65535) return fail(ErrorCode::invalid_argument, "port past 65535");
//     return port;
//   }

#include "cordon/needs_cxx23.h"

#include <concepts>
#include <expected>
#include <string>
#include <type_traits>
#include <utility>

#include "cordon/error.h"

namespace cordon {

// std::expected under a name of its own, with a warning if you ignore it.
template <class T = void>
class [[nodiscard]] Result : public std::expected<T, Error> {
  using Base = std::expected<T, Error>;

 public:
  using Base::Base;
  constexpr Result() = default;
  constexpr Result(Base other) : Base(std::move(other)) {}  // NOLINT(google-explicit-constructor)

  // The comparisons of std::expected take the other side for a T, or are ambiguous. Both sides are
  // deduced here, so that nothing is converted to a Result for a comparison.
  template <std::same_as<Result> Self>
  friend constexpr bool operator==(const Self& one, const Self& other) {
    if (one.has_value() != other.has_value()) return false;
    if (!one.has_value()) return one.error() == other.error();
    if constexpr (std::is_void_v<T>) {
      return true;
    } else {
      return *one == *other;
    }
  }
  template <std::same_as<Result> Self, class Other>
    requires(!std::is_void_v<T> && !std::derived_from<Other, Base> &&
             requires(const T& own, const Other& other) { own == other; })
  friend constexpr bool operator==(const Self& one, const Other& other) {
    return one.has_value() && *one == other;
  }
};

// Converts to any Result<T>: `return fail(ErrorCode::truncated, "length without its bytes");`.
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected<Error>(Error{code, std::move(message)});
}

[[nodiscard]] inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}

// A tool's failure with a code of its own: `return fail_as("out_of_stock", "none is left");`.
[[nodiscard]] inline std::unexpected<Error> fail_as(std::string own_code, std::string message) {
  return std::unexpected<Error>(
      Error{ErrorCode::tool_error, std::move(message), std::move(own_code)});
}

namespace detail {

template <class T>
T take(std::expected<T, Error>&& result) {
  return *std::move(result);
}

inline void take(std::expected<void, Error>&&) {}

}  // namespace detail
}  // namespace cordon

#define CORDON_DETAIL_JOIN2(a, b) a##b
#define CORDON_DETAIL_JOIN(a, b) CORDON_DETAIL_JOIN2(a, b)
#define CORDON_DETAIL_TRY(name, ...)                                                         \
  __extension__({                                                                            \
    auto name = (__VA_ARGS__);                                                               \
    if (!name.has_value()) return std::unexpected<::cordon::Error>(std::move(name).error()); \
    ::cordon::detail::take(std::move(name));                                                 \
  })

// Evaluates to the value of a Result, or returns its error from the enclosing function. That
// function returns a Result itself and is not a coroutine, where g++ 12 crashes. The names differ
// so that uses may nest.
#define CORDON_TRY(...) CORDON_DETAIL_TRY(CORDON_DETAIL_JOIN(cordon_try_, __COUNTER__), __VA_ARGS__)
