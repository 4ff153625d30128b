#include "cordon/types/declare.h"

#include <utility>

#include "cordon/base/utf8.h"
#include "cordon/types/alias_names.h"
#include "cordon/types/schema_document.h"
#include "cordon/types/text.h"
#include "cordon/types/translator.h"

namespace cordon::types {
namespace {

std::string type_of(const Value& schema, std::string name, AliasNames& names,
                    std::string& aliases) {
  const SchemaDocument document(schema);
  Translator translator(document, names, std::move(name));
  std::string type = translator.type(1);
  for (const std::string& alias : translator.aliases()) aliases += indentation(1) + alias + "\n";
  return type;
}

std::string declare(const Function& function, AliasNames& names) {
  std::string aliases;
  const std::string input =
      function.input ? "input: " + type_of(*function.input, function.name + "Input", names, aliases)
                     : "input?: unknown";
  const std::string output =
      function.output ? type_of(*function.output, function.name + "Output", names, aliases)
                      : "unknown";
  return aliases + doc_comment(function.description, 1) + indentation(1) + "function " +
         function.name + "(" + input + "): Promise<" + output + ">;\n";
}

}  // namespace

std::string declare(const Namespace& space) {
  AliasNames names;
  std::string text = "declare namespace " + space.name + " {\n";
  for (const Function& function : space.functions) text += declare(function, names);
  // Names of a guest may hold half a surrogate pair, which is no text of a file.
  return to_utf8_lossy(text + "}\n");
}

}  // namespace cordon::types
