#include "cordon/host/import_endings.h"

#include <algorithm>
#include <span>

#include "cordon/base/ascii.h"

namespace cordon::host {
namespace {

using js::ImportKind;

constexpr std::string_view script_endings[] = {".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"};

// Documents and data. Not among them are files of settings (.env, .ini, .toml), logs and keys.
constexpr std::string_view text_endings[] = {
    ".txt",  ".md",  ".csv", ".tsv",   ".html",   ".htm",     ".css", ".xml", ".svg",
    ".yaml", ".yml", ".sql", ".jsonl", ".ndjson", ".graphql", ".gql", ".jsx", ".tsx",
};

constexpr std::string_view bytes_endings[] = {
    ".bin", ".wasm", ".png", ".jpg",  ".jpeg", ".gif",   ".webp", ".avif",    ".bmp",
    ".ico", ".pdf",  ".zip", ".gz",   ".woff", ".woff2", ".ttf",  ".otf",     ".mp3",
    ".wav", ".ogg",  ".mp4", ".webm", ".docx", ".xlsx",  ".pptx", ".parquet", ".arrow",
};

bool ends_in(std::string_view name, std::span<const std::string_view> endings) {
  return std::ranges::any_of(endings,
                             [name](std::string_view ending) { return name.ends_with(ending); });
}

// People keep tokens in text files, too.
bool is_named_as_secret(std::string_view name) {
  constexpr std::string_view words[] = {"token",      "tokens",      "secret",   "secrets",
                                        "key",        "keys",        "password", "passwords",
                                        "credential", "credentials", "apikey",   "passwd"};
  const std::string lower = ascii_lower_case(std::string(name.substr(name.rfind('/') + 1)));
  std::string_view rest = lower;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_not_of(letters), rest.size());
    if (std::ranges::find(words, rest.substr(0, end)) != std::ranges::end(words)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

bool is_module_name(std::string_view name) {
  return is_script_name(name) || name.ends_with(".json");
}

}  // namespace

bool is_script_name(std::string_view name) { return ends_in(name, script_endings); }

bool is_data_name(std::string_view name) {
  return ends_in(name, text_endings) || ends_in(name, bytes_endings);
}

bool may_import(std::string_view name, ImportKind kind) {
  if (is_module_name(name)) return true;
  if (kind == ImportKind::module || is_named_as_secret(name)) return false;
  return ends_in(name, text_endings) || (kind == ImportKind::bytes && ends_in(name, bytes_endings));
}

std::string why_not_import(std::string_view name, ImportKind kind) {
  const bool is_secret = is_named_as_secret(name);
  if (kind != ImportKind::bytes && !is_secret && ends_in(name, bytes_endings))
    return "import it with { type: 'bytes' }";
  if (kind == ImportKind::module && !is_secret && ends_in(name, text_endings))
    return "import it with { type: 'text' }";
  if (kind != ImportKind::module && is_secret) return "its name says that it is a secret";
  if (kind == ImportKind::module)
    return "it is no module: those end in .js, .mjs, .cjs, .json, .ts, .mts or .cts";
  return "files with such a name cannot be imported; .txt, .md, .csv and .json can, for example";
}

}  // namespace cordon::host
