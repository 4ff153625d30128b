#include "cordon/config/load.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cordon/codec/json/decode.h"
#include "cordon/config/document.h"
#include "cordon/config/keys.h"
#include "cordon/config/references.h"

namespace cordon::config {
namespace {

// Paths in a configuration are absolute, so that a server may change its folder.
std::string folder_of(const std::string& file) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  return (error ? std::filesystem::path(file) : absolute).parent_path().string();
}

// In the order of the file. Complaints are few and files small, so that counting lines anew is
// fine.
std::vector<Mistake> placed(std::vector<Complaint>& complaints, std::string_view text) {
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (const Complaint& one : complaints) order.emplace_back(one.offset, order.size());
  std::ranges::sort(order);
  std::vector<Mistake> mistakes;
  for (const auto& [offset, index] : order) {
    Complaint& one = complaints[index];
    const json::Position at = json::position_of(text, one.offset);
    mistakes.push_back({at.line, at.column, one.is_warning, std::move(one.text)});
  }
  return mistakes;
}

// Whatever loads them later can then say where they are named.
std::vector<NamedFile> files_of(const Node& root, const Reader& reader, std::string_view text) {
  std::vector<NamedFile> files;
  const auto add = [&](const Node* node) {
    if (node == nullptr || node->kind != Node::Kind::string) return;
    const json::Position at = json::position_of(text, node->offset);
    files.push_back({reader.absolute(node->text), at.line, at.column});
  };
  for (const char* kind : {"providers", "plugins", "tasks", "events"}) {
    const Node* entries = root.find(kind);
    if (entries == nullptr) continue;
    for (const KeyedNode& entry : entries->members) {
      add(entry.value.find("script"));
      add(entry.value.find("wasm"));
    }
  }
  const Node* server = root.find("server");
  const Node* tls = server == nullptr ? nullptr : server->find("tls");
  if (tls != nullptr) {
    add(tls->find("certificate"));
    add(tls->find("key"));
  }
  const Node* log = server == nullptr ? nullptr : server->find("log");
  if (log != nullptr) add(log->find("access"));
  return files;
}

std::vector<NamedTool> tools_of(const Node& root) {
  std::vector<NamedTool> tools;
  const Node* providers = root.find("providers");
  if (providers == nullptr) return tools;
  for (const KeyedNode& provider : providers->members) {
    tools.push_back({provider.key, {}, provider.key_offset});
    const Node* listed = provider.value.find("tools");
    if (listed == nullptr) continue;
    for (const KeyedNode& tool : listed->members)
      tools.push_back({provider.key, tool.key, tool.key_offset});
  }
  return tools;
}

Value secret_schema() {
  const auto only = [](const char* key, const char* description) {
    return Value::object(
        {{"type", "object"},
         {"properties", Value::object({{key, Value::object({{"type", "string"},
                                                            {"minLength", 1},
                                                            {"description", description}})}})},
         {"required", Value::array({key})},
         {"additionalProperties", false}});
  };
  return Value::object(
      {{"description", "A secret: itself, or where it is."},
       {"anyOf", Value::array({Value::object({{"type", "string"}, {"minLength", 1}}),
                               only("env", "A variable of the environment that has it."),
                               only("file", "A file that has it, less one line end.")})}});
}

}  // namespace

std::string to_text(const Mistake& mistake, std::string_view file) {
  return std::string(file) + ":" + std::to_string(mistake.line) + ":" +
         std::to_string(mistake.column) + ": " + (mistake.is_warning ? "warning: " : "") +
         mistake.text;
}

bool Loaded::is_right() const { return std::ranges::all_of(mistakes, &Mistake::is_warning); }

void Loaded::add_mistake(std::string_view provider, std::string_view function, std::string what) {
  const auto found = std::ranges::find_if(tools, [&](const NamedTool& one) {
    return one.provider == provider && one.function == function;
  });
  const json::Position at = json::position_of(text, found == tools.end() ? 0 : found->offset);
  mistakes.push_back({at.line, at.column, false, std::move(what)});
}

Loaded read_configuration(std::string_view text, const std::string& file,
                          const Surroundings& surroundings) {
  Loaded loaded;
  loaded.configuration.file = file;
  loaded.text = text;
  Reader reader(folder_of(file), surroundings);
  reader.keep_private(reader.absolute(std::filesystem::path(file).filename().string()));
  const Document document = read_document(text);
  for (const SyntaxMistake& one : document.mistakes) reader.mistake(one.offset, one.reason);
  if (document.is_read) {
    configuration_form().read(document.root, loaded.configuration, reader);
    check_references(document.root, loaded.configuration, reader);
    loaded.files = files_of(document.root, reader, text);
    loaded.tools = tools_of(document.root);
  }
  loaded.configuration.private_files = reader.private_files();
  loaded.mistakes = placed(reader.complaints(), text);
  return loaded;
}

Result<Loaded> load_configuration(const std::string& file) {
  const SystemSurroundings surroundings;
  CORDON_TRY(surroundings.check_file(file));
  const std::string text = CORDON_TRY(read_file(file, max_document_bytes));
  return read_configuration(text, file, surroundings);
}

Value editor_schema() {
  const Value keys = configuration_form().schema;
  std::vector<Value::Field> fields = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "cordon.json"},
      {"description", "What `cordon serve` serves, and how. Comments are allowed."},
  };
  for (const Member& member : keys.members()) {
    fields.push_back({member.key(), keys.share(member.value)});
  }
  fields.push_back({"$defs", Value::object({{"secret", secret_schema()}})});
  return Value::object_from(fields);
}

}  // namespace cordon::config
