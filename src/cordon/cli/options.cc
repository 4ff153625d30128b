#include "cordon/cli/options.h"

#include "cordon/codec/json/decode.h"

namespace cordon::cli {

CLI::Option& add_list(CLI::App& command, const std::string& name, std::vector<std::string>& into,
                      const std::string& about) {
  // One at a time: what follows a value is not another one.
  CLI::Option* option = command.add_option(name, into, about);
  return *option->take_all()->expected(1)->allow_extra_args(false);
}

CLI::Option& add_json(CLI::App& command, const std::string& name, std::optional<Value>& into,
                      const std::string& about) {
  const auto read = [](const std::string& text) { return json::decode(text); };
  CLI::Option& option = add_read(command, name, into, read, about);
  option.type_name("JSON");
  return option;
}

void refuse_empty(CLI::Option& option) {
  const auto complaint = [](const std::string& text) {
    return std::string(text.empty() ? "it is empty; give it a value, or leave it out" : "");
  };
  option.check(CLI::Validator(complaint, ""));
}

void refuse_empty_options(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) refuse_empty(*option);
  }
}

std::string shown_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) return "-" + option.get_snames().front();
  return option.get_type_name();
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

bool is_list(const CLI::Option& option) {
  return option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
}

std::string given_of_group(const CLI::App& command, std::string_view group) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() == group && option->count() > 0) return shown_name(*option);
  }
  return {};
}

}  // namespace cordon::cli
