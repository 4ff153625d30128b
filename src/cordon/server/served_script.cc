#include "cordon/server/served_script.h"

#include <memory>
#include <utility>

#include "cordon/server/script_tools.h"

namespace cordon::server {
namespace {

// What the file's place says, where the options leave it open.
void take_from_file(ExecuteOptions& options, const std::string& file) {
  const std::size_t folder_size = file.rfind('/') + 1;
  if (options.name == ExecuteOptions().name) options.name = file.substr(folder_size);
  if (!options.module_folder.empty()) return;
  options.module_folder = folder_size == 0 ? "." : file.substr(0, folder_size);
}

Result<std::string> text_of(const Script& script) {
  if (script.file.empty() == script.code.empty()) {
    return fail(ErrorCode::invalid_argument, "a Script has either a `file` or its `code`");
  }
  if (!script.code.empty()) return script.code;
  return read_script(script.file);
}

}  // namespace

Result<Served> serve_script(Engine& loader, std::string_view id, std::string_view text,
                            host::ScriptTaskOptions options) {
  ExecuteOptions loading = options.execute;
  loading.limits.time.total = max_load_time;
  const Module module = CORDON_TRY(host::ScriptTask::load(loader, text, std::move(loading)));
  Served served;
  served.id = id;
  served.make = [module, options = std::move(options)](
                    const ShardContext& shard) -> Result<std::shared_ptr<TaskHandler>> {
    return std::make_shared<host::ScriptTask>(module.on(*shard.engine), options);
  };
  return served;
}

Result<Served> serve_script(Engine& loader, std::string_view id, host::ScriptKind kind,
                            const Script& script) {
  const auto located = [&](Error error) {
    error.message =
        (script.file.empty() ? std::string(id) : script.file) + ": " + std::move(error.message);
    return fail(std::move(error));
  };
  const Result<std::string> text = text_of(script);
  if (!text) return located(text.error());
  host::ScriptTaskOptions options{
      .execute = script.execute, .kind = kind, .on_log = script.on_log, .on_end = script.on_end};
  if (!script.file.empty()) take_from_file(options.execute, script.file);
  Result<Served> served = serve_script(loader, id, *text, std::move(options));
  if (!served) return located(std::move(served).error());
  return served;
}

}  // namespace cordon::server
