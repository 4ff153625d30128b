// The build's last step for the guest: GUEST.wasm -> snapshot -> machine code, in one file that the
// program embeds.
//
//   compile_guest GUEST.wasm OUT.snapshot.wasm OUT.compiled

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "cordon/sandbox/engine.h"
#include "cordon/sandbox/module.h"

namespace {

using namespace cordon;

Result<Bytes> read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || bytes.empty()) return fail(Errc::io, std::string("cannot read ") + path);
  return bytes;
}

Result<> write(const char* path, BytesView bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) return fail(Errc::io, std::string("cannot write ") + path);
  return {};
}

Result<> compile(const char* from, const char* to_snapshot, const char* to_compiled) {
  const Bytes wasm = CORDON_TRY(read(from));
  const Bytes ready = CORDON_TRY(sandbox::snapshot(wasm, "initialize"));
  CORDON_TRY(write(to_snapshot, ready));
  const sandbox::Engine engine = CORDON_TRY(sandbox::Engine::create_for_compiling());
  return write(to_compiled, CORDON_TRY(sandbox::compile_ahead(engine, ready)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: compile_guest GUEST.wasm OUT.snapshot.wasm OUT.compiled\n");
    return 64;
  }
  const cordon::Result<> done = compile(argv[1], argv[2], argv[3]);
  if (done) return 0;
  std::fprintf(stderr, "compile_guest: %s\n", to_string(done.error()).c_str());
  return 1;
}
