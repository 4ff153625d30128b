#pragma once

// How a function of this library fails: it returns a Result<T>, which holds a T or an Error.
//
//   Result<int> port(ValueView config) {
//     const int port = CORDON_TRY(config["port"].as<int>());
//     if (port > 65535) return fail(Errc::invalid_argument, "port past 65535");
//     return port;
//   }

#include <cstdint>
#include <expected>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "cordon/export.h"

namespace cordon {

// What went wrong, for programs. The names are stable; new ones may join.
enum class Errc : std::uint8_t {
  // The caller's input.
  invalid_argument,
  not_found,
  already_exists,
  type_mismatch,
  unsupported,
  // Bytes that are not what they should be.
  syntax,
  truncated,
  invalid_utf8,
  too_large,
  too_deep,
  cyclic,
  not_serializable,
  unexpected_message,
  protocol_violation,
  // How an execution ends other than by its own result.
  guest_error,
  tool_error,
  timeout,
  memory_limit,
  stack_overflow,
  cancelled,
  // The state of this process and of others.
  overloaded,
  unavailable,
  permission_denied,
  io,
  closed,
  internal,
};

// The enumerator's own name: "too_large".
CORDON_API std::string_view name_of(Errc code);

// `detail` is one sentence fragment for people, in lower case and without a final full stop. It may
// reach a guest or a peer, so it holds no path, secret or address of the host.
struct Error {
  Errc code = Errc::internal;
  std::string detail;

  friend bool operator==(const Error&, const Error&) = default;
};

// "too_large: array longer than its input".
CORDON_API std::string to_string(const Error& error);
CORDON_API std::ostream& operator<<(std::ostream& out, const Error& error);

template <class T = void>
using Result = std::expected<T, Error>;

// Converts to any Result<T>: `return fail(Errc::truncated, "length without its bytes");`.
[[nodiscard]] inline std::unexpected<Error> fail(Errc code, std::string detail) {
  return std::unexpected<Error>(Error{code, std::move(detail)});
}

[[nodiscard]] inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}

namespace detail {

template <class T>
T take(Result<T>&& result) {
  return *std::move(result);
}

inline void take(Result<>&&) {}

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

// The value of a Result, or a return of its error from the enclosing function (which returns a
// Result itself and is no coroutine: g++ 12 crashes there). The names differ so that uses may nest.
#define CORDON_TRY(...) CORDON_DETAIL_TRY(CORDON_DETAIL_JOIN(cordon_try_, __COUNTER__), __VA_ARGS__)
