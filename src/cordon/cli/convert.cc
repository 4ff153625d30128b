#include "cordon/cli/convert.h"

#include <cerrno>
#include <functional>
#include <limits>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "cordon/cli/arguments.h"
#include "cordon/cli/exit_codes.h"
#include "cordon/cli/options.h"
#include "cordon/cli/terminal.h"
#include "cordon/cli/usage.h"
#include "cordon/host/payload_regexps.h"

namespace cordon::cli {
namespace {

constexpr std::string_view name_of_command = "convert";

std::vector<std::pair<std::string, Format>> formats() {
  return {{"runner", Format::runner}, {"json", Format::json}, {"msgpack", Format::msgpack}};
}

// A limit of the serializer's: a whole number that is not below `least`, or Infinity.
CLI::Option& add_limit(CLI::App& command, const std::string& name, std::size_t& into,
                       std::uint64_t least, const std::string& about) {
  const auto read = [least](const std::string& text) -> Result<std::size_t> {
    if (text == "Infinity") return rich::unlimited;
    if (text == "0" && least == 0) return 0;
    const auto number = positive(text);
    if (number) return static_cast<std::size_t>(*number);
    return fail(ErrorCode::invalid_argument, "'" + text + "' is neither a " +
                                                 (least == 0 ? "" : "positive ") +
                                                 "whole number nor Infinity");
  };
  CLI::Option& option = add_read(command, name, into, read, about);
  return *option.type_name("N|Infinity")->default_str(std::to_string(into));
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> ids_of(const std::vector<std::string>& lists) {
  std::vector<std::string> ids;
  for (const std::string& list : lists) {
    for (std::string_view rest = list; !rest.empty();) {
      const std::string_view id = rest.substr(0, rest.find(','));
      rest.remove_prefix(id.size() == rest.size() ? id.size() : id.size() + 1);
      if (!without_blanks(id).empty()) ids.emplace_back(without_blanks(id));
    }
  }
  return ids;
}

Result<ConverterOptions> options_of(const ConvertArguments& arguments) {
  ConverterOptions options = arguments.options;
  if (options.graph && options.to != Format::runner) {
    return fail(ErrorCode::invalid_argument, "--graph: only Runner text has a graph format");
  }
  if (arguments.pretty && options.to == Format::msgpack) {
    return fail(ErrorCode::invalid_argument, "--pretty: MessagePack has no layout");
  }
  if (arguments.pretty && arguments.lines) {
    return fail(ErrorCode::invalid_argument,
                "--pretty: not with --lines, where a payload is a line");
  }
  rich::Options& serializer = options.serializer;
  if (arguments.allow_unsafe_regexp) serializer.unsafe_regexps = rich::UnsafeRegExps::allowed;
  if (arguments.has_allowed_types) serializer.allowed_types = ids_of(arguments.allowed_types);
  if (arguments.pretty) serializer.layout = rich::Layout::pretty;
  return options;
}

class Conversion {
 public:
  Conversion(const ConvertArguments& arguments, const ConverterOptions& options)
      : options_(options), converter_(options, regexps_), by_lines_(arguments.lines) {}

  int run() { return by_lines_ ? run_lines() : run_whole(); }

 private:
  int run_whole() {
    const std::size_t most = options_.serializer.max_input_bytes;
    // One more than is taken, so that the codec finds it too large and says so.
    Result<std::string> payload = read_up_to(STDIN_FILENO, most + 1);
    if (!payload) return unreadable(payload.error());
    auto converted = convert(*payload);
    if (!converted) return bad_payload(converted.error());
    if (options_.to != Format::msgpack) return print(*std::move(converted) + "\n");
    return print(isatty(STDOUT_FILENO) != 0 ? to_hex(*converted) + "\n" : *std::move(converted));
  }

  // Each is written before the next one is read, so that this may stand in a conversation.
  int run_lines() {
    std::string held;
    std::size_t searched = 0;
    for (bool more = true; more;) {
      const Result<std::string> piece = read_some(STDIN_FILENO);
      if (!piece) return unreadable(piece.error());
      more = !piece->empty();
      held += *piece;
      std::size_t start = 0;
      for (std::size_t end = 0; (end = held.find('\n', searched)) != held.npos;) {
        if (const int code = line(std::string_view(held).substr(start, end - start))) return code;
        start = searched = end + 1;
      }
      if (!more && start < held.size()) return line(std::string_view(held).substr(start));
      held.erase(0, start);
      searched = held.size();
      if (held.size() > 2 * options_.serializer.max_input_bytes + 2) return line(held);
    }
    return exit_done;
  }

  int line(std::string_view text) {
    ++number_;
    if (text.find_first_not_of(" \t\r") == text.npos) return exit_done;
    std::string bytes;
    if (options_.from == Format::msgpack) {
      auto decoded = from_hex(text);
      if (!decoded) return bad_payload(decoded.error());
      bytes = *std::move(decoded);
      text = bytes;
    }
    const auto converted = convert(text);
    if (!converted) return bad_payload(converted.error());
    return print((options_.to == Format::msgpack ? to_hex(*converted) : *converted) + "\n");
  }

  int bad_payload(const Error& error) {
    std::string reason = error.message;
    if (by_lines_) {
      // A line is a text of one line; what helps is where it stands among the others.
      const std::string first_line = " at line 1, column ";
      const std::size_t place = reason.rfind(first_line);
      const std::string number = "line " + std::to_string(number_);
      if (place != reason.npos) {
        const std::size_t column = place + first_line.size();
        reason = reason.substr(0, place) + " at " + number + ", column " +
                 reason.substr(column, reason.find(' ', column) - column);
      } else {
        reason.append(", in ").append(number);
      }
    }
    if (error.code == ErrorCode::cyclic && options_.to == Format::runner) {
      reason += "; use --graph, which keeps cycles";
    }
    const bool ours =
        error.code == ErrorCode::internal_error || error.code == ErrorCode::unavailable;
    return failed(name_of_command, reason, ours ? exit_internal : exit_failed);
  }

  static int unreadable(const Error& error) { return failed(name_of_command, error, exit_usage); }

  static int print(std::string_view text) {
    return write_all(STDOUT_FILENO, text) ? exit_done : cannot_write(name_of_command);
  }

  Result<std::string> convert(std::string_view payload) const {
    const host::PayloadRegExps regexps(regexps_, host::RegExpAllowance::of_own_files());
    return converter_.convert(payload, &regexps);
  }

  ConverterOptions options_;
  host::SandboxRegExps regexps_;
  Converter converter_;
  bool by_lines_;
  std::size_t number_ = 0;  // of the line
};

}  // namespace

void bind_convert(CLI::App& command, ConvertArguments& arguments) {
  ConverterOptions& options = arguments.options;
  begin_group(command, "Formats");
  add_choice(command, "--from", options.from, formats(), "the format of standard input").required();
  add_choice(command, "--to", options.to, formats(), "the format of standard output").required();
  command.add_flag("--graph", options.graph,
                   "write Runner text in graph format, which keeps shared objects and cycles");
  command.add_flag("--pretty", arguments.pretty, "indent by two spaces");
  command.add_flag("--lines", arguments.lines,
                   "read and write one payload on each line; MessagePack as hexadecimal digits");
  begin_group(command, "Limits");
  add_limit(command, "--max-depth", options.serializer.max_depth, 0,
            "levels below the outermost value");
  CLI::Option& allowed =
      *add_list(command, "--allowed-types", arguments.allowed_types,
                "the only types that Runner text may hold, as Date,Map (default: all)")
           .type_name("A,B");
  add_choice(command, "--symbol-policy", options.serializer.symbol_policy,
             {{"allow-all", rich::SymbolPolicy::allow_all},
              {"well-known-only", rich::SymbolPolicy::well_known_only},
              {"disabled", rich::SymbolPolicy::disabled}},
             "which symbols Runner text may hold")
      .default_str("allow-all");
  add_limit(command, "--max-regexp-pattern-length", options.serializer.max_regexp_pattern_length, 1,
            "the longest pattern of a RegExp in Runner text, in UTF-16 units");
  command.add_flag("--allow-unsafe-regexp", arguments.allow_unsafe_regexp,
                   "read RegExps whose matching may take exponential time");
  command.callback([&arguments, &allowed] { arguments.has_allowed_types = allowed.count() > 0; });
}

int convert(const ConvertArguments& arguments) {
  const auto options = options_of(arguments);
  if (!options) return usage_error(name_of_command, options.error());
  return Conversion(arguments, *options).run();
}

}  // namespace cordon::cli
