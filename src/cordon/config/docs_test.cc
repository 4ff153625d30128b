// docs/configuration.md has the row of every key, with the description and default that editors
// get, and no other rows.

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cordon/config/load.h"
#include "cordon/json.h"

namespace cordon::config {
namespace {

std::string kind_of(const ValueView& schema) {
  if (schema.contains("$ref")) return "secret";
  if (schema.contains("anyOf")) return kind_of(schema.find("anyOf").at(0)) + " or list";
  if (schema.contains("enum")) {
    std::string words;
    for (const ValueView& word : schema.find("enum").items()) {
      words += (words.empty() ? "" : ", ") + to_json(word).value();
    }
    return words;
  }
  const ValueView type = schema.find("type");
  if (type.is_array()) return "JSON Schema";
  if (type == "array") return "list";
  if (type == "integer") return "number";
  return std::string(type.as_string());
}

void add_rows(const ValueView& schema, const std::string& path, std::vector<std::string>& rows) {
  for (const Member& member : schema.find("properties").members()) {
    const std::string name = (path.empty() ? "" : path + ".") + std::string(member.key());
    const ValueView value = member.value;
    const ValueView entry = value.find("additionalProperties");
    const bool is_group = value.contains("properties");
    std::string shown;
    if (value.contains("default")) shown = "`" + to_json(value.find("default")).value() + "`";
    rows.push_back("| `" + name + "` | " +
                   (is_group || entry.is_object() ? "object" : kind_of(value)) + " | " + shown +
                   " | " + std::string(value.find("description").as_string()) + " |");
    add_rows(value, name, rows);
    if (entry.is_object()) add_rows(entry, name + ".NAME", rows);
  }
}

std::vector<std::string> rows_of_keys() {
  std::vector<std::string> rows;
  add_rows(editor_schema(), "", rows);
  return rows;
}

// The rows of its tables of keys; other tables have other heads.
std::vector<std::string> rows_of_page() {
  std::ifstream file("docs/configuration.md");
  std::vector<std::string> rows;
  bool is_inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "| key | value | default | |") {
      is_inside = true;
      continue;
    }
    is_inside = is_inside && line.starts_with("|");
    if (is_inside && !line.starts_with("| ---")) rows.push_back(line);
  }
  return rows;
}

// Those of `rows` that `others` does not have, a line for each.
std::string without(const std::vector<std::string>& rows, const std::vector<std::string>& others) {
  std::string left;
  for (const std::string& row : rows) {
    if (std::ranges::find(others, row) == others.end()) left += row + "\n";
  }
  return left;
}

TEST(ConfigurationDocs, HaveTheRowOfEveryKey) {
  EXPECT_EQ(without(rows_of_keys(), rows_of_page()), "") << "is missing, or is not as the keys say";
}

TEST(ConfigurationDocs, HaveNoRowOfAKeyThatIsNotThere) {
  EXPECT_EQ(without(rows_of_page(), rows_of_keys()), "")
      << "is in the page, and is not as the keys say";
}

}  // namespace
}  // namespace cordon::config
