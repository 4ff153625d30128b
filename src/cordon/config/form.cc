#include "cordon/config/form.h"

#include <cmath>
#include <filesystem>

namespace cordon::config {
namespace {

constexpr std::size_t max_text_bytes = 65'536;

bool has_control(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

// The variable that a text names as a shell would, "${TOKEN}" or "$TOKEN"; empty where it names
// none. Passwords may well have a dollar in them, so that without braces all of it must look the
// part.
std::string_view shell_variable(std::string_view text) {
  const auto is_name = [](std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
      return c == '_' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    });
  };
  if (text.starts_with('$') && is_name(text.substr(1))) return text.substr(1);
  const std::size_t begin = text.find("${");
  const std::size_t end = text.find('}', begin == text.npos ? 0 : begin);
  if (begin == text.npos || end == text.npos) return {};
  // "${TOKEN:-none}" has a default behind the name.
  std::string_view name = text.substr(begin + 2, end - begin - 2);
  name = name.substr(0, name.find(':'));
  return is_name(name) ? name : std::string_view();
}

void warn_of_variable(const Node& node, Reader& reader) {
  const std::string name(shell_variable(node.text));
  if (name.empty()) return;
  reader.warning(node.offset,
                 reader.path() +
                     ": variables are not replaced in text, so the secret is the text "
                     "itself, with its dollar",
                 "write {\"env\": \"" + name + "\"} for what the variable " + name + " has");
}

std::optional<std::string> from_file(const Node& node, Reader& reader) {
  const std::string path = reader.absolute(node.text);
  reader.keep_private(path);
  Result<std::string> content = reader.surroundings().content(path);
  if (!content) {
    reader.wrong(node.offset, "the file \"" + node.text + "\" " + content.error().message);
    return std::nullopt;
  }
  if (content->ends_with('\n')) content->pop_back();
  if (content->ends_with('\r')) content->pop_back();
  if (content->empty()) reader.wrong(node.offset, "the file \"" + node.text + "\" is empty");
  return *std::move(content);
}

std::optional<std::string> from_environment(const Node& node, Reader& reader) {
  std::optional<std::string> value = reader.surroundings().variable(node.text);
  if (!value || value->empty()) {
    reader.wrong(
        node.offset,
        value ? "the variable " + node.text + " is empty" : "the environment has no " + node.text,
        "set it before the start");
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> from_elsewhere(const Node& node, Reader& reader) {
  const std::string_view hint = "write \"…\", {\"env\": \"NAME\"} or {\"file\": \"PATH\"}";
  if (node.members.size() != 1) {
    reader.wrong(node.offset, "expected one key, env or file", hint);
    return std::nullopt;
  }
  const KeyedNode& only = node.members.front();
  if (only.key != "env" && only.key != "file") {
    const std::string known[] = {"env", "file"};
    reader.mistake(only.key_offset, "unknown key \"" + only.key + "\" in " + reader.path(),
                   suggestion(only.key, known, "keys here"));
    return std::nullopt;
  }
  if (only.value.kind != Node::Kind::string || only.value.text.empty() ||
      only.value.text.contains('\0')) {
    reader.wrong(only.value.offset, "expected a name", hint);
    return std::nullopt;
  }
  return only.key == "env" ? from_environment(only.value, reader) : from_file(only.value, reader);
}

}  // namespace

Form<bool> boolean() {
  return {Value::object({{"type", "boolean"}}), [](const Node& node, bool& out, Reader& reader) {
            if (node.kind != Node::Kind::boolean) {
              reader.wrong(node.offset, "expected true or false, not " + describe(node));
              return;
            }
            out = node.boolean;
          }};
}

Form<std::string> text_that(Complain complaint, std::string_view example, Suggest suggest) {
  Value schema = Value::object({{"type", "string"}, {"minLength", 1}});
  if (!example.empty()) schema = schema.with("examples", Value::array({example}));
  return {std::move(schema),
          [complaint = std::move(complaint), example = std::string(example),
           suggest = std::move(suggest)](const Node& node, std::string& out, Reader& reader) {
            const std::string meant = suggest ? suggest(node.text) : std::string();
            const std::string& hint = meant.empty() ? example : meant;
            const std::string as = hint.empty() ? "" : "write it as \"" + hint + "\"";
            if (node.kind != Node::Kind::string) {
              reader.wrong(node.offset, "expected a string, not " + describe(node), as);
            } else if (node.text.empty()) {
              reader.wrong(node.offset, "is empty", as);
            } else if (has_control(node.text) || node.text.size() > max_text_bytes) {
              reader.wrong(node.offset, "has a control character or more than 64 KiB", as);
            } else if (const auto why = complaint ? complaint(node.text) : std::nullopt) {
              reader.wrong(node.offset, *why, as);
            } else {
              out = node.text;
            }
          }};
}

Form<std::string> text() { return text_that({}, ""); }

Form<std::string> prose() {
  return {Value::object({{"type", "string"}}),
          [](const Node& node, std::string& out, Reader& reader) {
            if (node.kind != Node::Kind::string) {
              reader.wrong(node.offset, "expected a string, not " + describe(node));
            } else if (node.text.size() > max_text_bytes) {
              reader.wrong(node.offset, "has more than 64 KiB");
            } else {
              out = node.text;
            }
          }};
}

Form<std::string> changed(const Form<std::string>& form,
                          std::function<std::string(std::string)> change) {
  return {form.schema, [read = form.read, change = std::move(change)](
                           const Node& node, std::string& out, Reader& reader) {
            std::string written;
            read(node, written, reader);
            if (!written.empty()) out = change(std::move(written));
          }};
}

Form<std::string> choice(std::vector<std::string> choices) {
  std::vector<Value> values(choices.begin(), choices.end());
  return {Value::object({{"enum", Value::array_from(values)}}),
          [choices = std::move(choices)](const Node& node, std::string& out, Reader& reader) {
            if (node.kind == Node::Kind::string &&
                std::ranges::find(choices, node.text) != choices.end()) {
              out = node.text;
              return;
            }
            reader.wrong(node.offset,
                         node.kind == Node::Kind::string ? "unknown word \"" + node.text + "\""
                                                         : "expected a word, not " + describe(node),
                         suggestion(node.text, choices, "words"));
          }};
}

namespace {

enum class Lines : std::uint8_t { one, several };

bool has_unwanted(std::string_view text, Lines lines) {
  if (lines == Lines::one) return has_control(text);
  return std::ranges::any_of(
      text, [](char c) { return c != '\n' && c != '\r' && c != '\t' && has_control({&c, 1}); });
}

Form<std::string> secret_of(Lines lines) {
  // Defined once in the schema's root.
  return {Value::object({{"$ref", "#/$defs/secret"}}),
          [lines](const Node& node, std::string& out, Reader& reader) {
            std::optional<std::string> found;
            if (node.kind == Node::Kind::string) {
              if (node.text.empty()) reader.wrong(node.offset, "is empty");
              warn_of_variable(node, reader);
              found = node.text;
            } else if (node.kind == Node::Kind::object) {
              found = from_elsewhere(node, reader);
            } else {
              reader.wrong(node.offset, "expected a string, not " + describe(node),
                           "write \"…\", {\"env\": \"NAME\"} or {\"file\": \"PATH\"}");
            }
            if (found && has_unwanted(*found, lines)) {
              reader.wrong(node.offset, lines == Lines::one
                                            ? "has a line end or another control character"
                                            : "has a control character");
            } else if (found) {
              out = *std::move(found);
            }
          }};
}

}  // namespace

Form<std::string> secret() { return secret_of(Lines::one); }
Form<std::string> secret_lines() { return secret_of(Lines::several); }

Form<std::string> file() {
  return {Value::object({{"type", "string"}, {"minLength", 1}}),
          [](const Node& node, std::string& out, Reader& reader) {
            if (node.kind != Node::Kind::string) {
              reader.wrong(node.offset, "expected a path, not " + describe(node));
              return;
            }
            if (node.text.empty() || node.text.contains('\0')) {
              reader.wrong(node.offset, "expected a path");
              return;
            }
            const std::string path = reader.absolute(node.text);
            if (const Result<> there = reader.surroundings().check_file(path); !there) {
              const std::filesystem::path whole(path);
              const auto beside = reader.surroundings().names_in(whole.parent_path().string());
              const auto near = nearest(whole.filename().string(), beside);
              reader.wrong(node.offset, "the file \"" + node.text + "\" " + there.error().message,
                           near && *near != whole.filename()
                               ? "did you mean \"" + *near + "\"?"
                               : "paths are relative to the configuration file");
              return;
            }
            out = path;
          }};
}

Form<std::string> private_file() {
  const Form<std::string> form = file();
  return {form.schema, [read = form.read](const Node& node, std::string& out, Reader& reader) {
            read(node, out, reader);
            if (!out.empty()) reader.keep_private(out);
          }};
}

Form<std::string> log_file() {
  const Form<std::string> form = text();
  return {form.schema, [read = form.read](const Node& node, std::string& out, Reader& reader) {
            std::string written;
            read(node, written, reader);
            if (written.empty() || written == "-") {
              out = written;
              return;
            }
            const std::filesystem::path path(reader.absolute(written));
            const std::string folder = path.parent_path().string();
            if (!reader.surroundings().has_folder(folder)) {
              reader.wrong(node.offset, "there is no folder \"" + folder + "\" for the file",
                           "make the folder before the start, or name another");
            } else if (path.filename().empty() || reader.surroundings().has_folder(path.string())) {
              reader.wrong(node.offset, "\"" + written + "\" is a folder",
                           "name a file in it, as \"" +
                               (std::filesystem::path(written) / "access.log").string() + "\"");
            } else {
              out = path.string();
            }
          }};
}

Form<std::uint64_t> whole_number(std::uint64_t least, std::uint64_t most) {
  Value schema = Value::object({{"type", "integer"}, {"minimum", least}, {"maximum", most}});
  return {std::move(schema), [=](const Node& node, std::uint64_t& out, Reader& reader) {
            const std::string range = "it is a whole number from " + std::to_string(least) +
                                      " to " + std::to_string(most);
            if (node.kind != Node::Kind::number) {
              reader.wrong(node.offset, "expected a number, not " + describe(node), range);
              return;
            }
            if (node.number != std::trunc(node.number) ||
                node.number < static_cast<double>(least) ||
                node.number > static_cast<double>(most)) {
              reader.wrong(node.offset, describe(node) + " cannot be used", range);
              return;
            }
            out = static_cast<std::uint64_t>(node.number);
          }};
}

Form<std::chrono::milliseconds> milliseconds(std::uint64_t least, std::uint64_t most) {
  const Form<std::uint64_t> form = whole_number(least, most);
  return {form.schema,
          [read = form.read](const Node& node, std::chrono::milliseconds& out, Reader& reader) {
            auto count = static_cast<std::uint64_t>(out.count());
            read(node, count, reader);
            out = std::chrono::milliseconds(count);
          }};
}

}  // namespace cordon::config
