#include "cordon/host/reachable_modules.h"

#include <string>
#include <utility>
#include <vector>

#include "cordon/host/import_endings.h"
#include "cordon/host/import_specifiers.h"

namespace cordon::host {
namespace {

using js::ImportKind;

// The program chooses its texts, and only its own caller waits for this.
constexpr std::size_t max_bytes = std::size_t{32} << 20;
constexpr std::size_t max_imports = 4000;
constexpr std::size_t max_files = 1000;

class Gathering {
 public:
  explicit Gathering(const ModuleSources& sources) : sources_(sources) {}

  ModuleTexts run(std::string_view base, std::string_view program) && {
    texts_to_read_.emplace_back(base, program);
    while (!texts_to_read_.empty() && imports_left_ > 0) {
      const auto [from, text] = texts_to_read_.back();
      texts_to_read_.pop_back();
      const ImportSpecifiers imports = import_specifiers(text, imports_left_);
      imports_left_ -= imports.names.size();
      for (const std::string_view name : imports.names)
        add(locate_module(sources_, from, name, ImportKind::bytes));
      if (!imports.has_computed) continue;
      if (!std::exchange(has_all_, true)) add_all(ImportKind::module);
      if (imports.has_data && !std::exchange(has_all_data_, true)) add_all(ImportKind::bytes);
    }
    return std::move(found_);
  }

 private:
  // As bytes: anything that may be imported may be imported so.
  void add(const Result<std::string>& name) {
    if (!name || found_.contains(*name)) return;
    Result<std::string> text = load_module(sources_, *name, bytes_left_, ImportKind::bytes);
    if (!text || text->size() > bytes_left_) return;
    bytes_left_ -= text->size();
    const auto [entry, is_new] = found_.emplace(*name, *std::move(text));
    if (!is_data_name(*name)) texts_to_read_.emplace_back(entry->first, entry->second);
  }

  void add_all(ImportKind kind) {
    for (const auto& [name, text] : sources_.texts) add(name);
    if (sources_.folder.exists())
      for (const std::string& name : sources_.folder.some_names(max_files, kind)) add(name);
    if (sources_.saved != nullptr)
      for (const auto& [name, text] : *sources_.saved) add(name);
  }

  const ModuleSources& sources_;
  ModuleTexts found_;
  // Names and texts. Those of modules point into `found_`.
  std::vector<std::pair<std::string_view, std::string_view>> texts_to_read_;
  std::size_t bytes_left_ = max_bytes;
  std::size_t imports_left_ = max_imports;
  bool has_all_ = false;
  bool has_all_data_ = false;
};

}  // namespace

ModuleTexts reachable_modules(const ModuleSources& sources, std::string_view base,
                              std::string_view program) {
  return Gathering(sources).run(base, program);
}

}  // namespace cordon::host
