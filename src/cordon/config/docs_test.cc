// docs/configuration.md has the row of every key, with the description and default that editors
// get.

#include <fstream>
#include <sstream>
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

TEST(ConfigurationDocs, HaveTheRowOfEveryKey) {
  std::ifstream file("docs/configuration.md");
  ASSERT_TRUE(file.is_open());
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::string> rows;
  add_rows(editor_schema(), "", rows);
  std::string missing;
  for (const std::string& row : rows) {
    if (!text.contains(row + "\n")) missing += row + "\n";
  }
  EXPECT_EQ(missing, "") << "these rows are missing, or are not as the keys say";
}

}  // namespace
}  // namespace cordon::config
