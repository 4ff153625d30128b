// The build's last step for the guest: GUEST.wasm -> snapshot -> machine code, in one file that the
// program embeds.
//
//   compile_guest GUEST.wasm OUT.snapshot.wasm OUT.compiled
//   compile_guest --plain IN.wasm OUT    machine code of a module that needs no snapshot
//   compile_guest --web COMPILER.wasm OUT    before it: runs guest/web/compiler.c, writes what it
//   emits

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "cordon/sandbox/engine.h"
#include "cordon/sandbox/instance.h"
#include "cordon/sandbox/module.h"

namespace {

using namespace cordon;

Result<Bytes> read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || bytes.empty()) return fail(ErrorCode::io, std::string("cannot read ") + path);
  return bytes;
}

Result<> write(const char* path, BytesView bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) return fail(ErrorCode::io, std::string("cannot write ") + path);
  return {};
}

Result<> compile(const char* from, const char* to_snapshot, const char* to_compiled) {
  const Bytes wasm = CORDON_TRY(read(from));
  const Bytes ready = CORDON_TRY(sandbox::snapshot(wasm, "initialize"));
  CORDON_TRY(write(to_snapshot, ready));
  const sandbox::Engine engine = CORDON_TRY(sandbox::Engine::create_for_compiling());
  return write(to_compiled, CORDON_TRY(sandbox::compile_ahead(engine, ready)));
}

// What the compiler of the web APIs asks of its host: to take the bytecode, or complaints.
struct Emitted {
  Bytes bytecode;
  std::string complaints;
};

sandbox::Proceed emit(sandbox::Instance& instance, std::span<sandbox::RawValue> values) {
  auto& emitted = *static_cast<Emitted*>(instance.owner());
  const auto bytes = instance.memory_at(static_cast<std::uint32_t>(values[1].i32),
                                        static_cast<std::uint32_t>(values[2].i32));
  if (values[0].i32 == 0) {
    emitted.bytecode.assign(bytes.begin(), bytes.end());
  } else {
    emitted.complaints.append(bytes.begin(), bytes.end());
    emitted.complaints += '\n';
  }
  return sandbox::Proceed::on;
}

sandbox::Proceed refuse(sandbox::Instance&, std::span<sandbox::RawValue>) {
  return sandbox::Proceed::stop;
}

Result<> compile_web(const char* from, const char* to) {
  const Bytes wasm = CORDON_TRY(read(from));
  const sandbox::Engine engine = CORDON_TRY(sandbox::Engine::create({}));
  const sandbox::Module module = CORDON_TRY(sandbox::Module::compile(engine, wasm));
  static constexpr sandbox::HostFunction functions[] = {{"emit", "iii:", emit},
                                                        {"grow", "i:i", refuse},
                                                        {"room", ":i", refuse},
                                                        {"clock", "i:I", refuse}};
  const auto joined = CORDON_TRY(sandbox::Template::create(engine, module, "cordon", functions));
  Emitted emitted;
  const auto instance = CORDON_TRY(sandbox::Instance::create(joined, {}, &emitted));
  const std::atomic<bool> never = false;
  instance->begin(0, 0);
  const auto progress =
      instance->run(std::chrono::steady_clock::now() + std::chrono::minutes(1), never);
  if (progress != sandbox::Progress::returned || emitted.bytecode.empty())
    return fail(ErrorCode::internal_error,
                "guest/web: " + emitted.complaints + instance->trap_text());
  return write(to, emitted.bytecode);
}

// A module that is not ours: no snapshot, and Wasmtime's own checks for interruption.
Result<> compile_plain(const char* from, const char* to) {
  const Bytes wasm = CORDON_TRY(read(from));
  const sandbox::Engine engine = CORDON_TRY(sandbox::Engine::create_for_compiling());
  const sandbox::Module module = CORDON_TRY(sandbox::Module::compile(engine, wasm));
  return write(to, CORDON_TRY(module.serialize()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: compile_guest GUEST.wasm OUT.snapshot.wasm OUT.compiled\n");
    return 64;
  }
  const std::string_view mode = argv[1];
  const cordon::Result<> done = mode == "--web"     ? compile_web(argv[2], argv[3])
                                : mode == "--plain" ? compile_plain(argv[2], argv[3])
                                                    : compile(argv[1], argv[2], argv[3]);
  if (done) return 0;
  std::fprintf(stderr, "compile_guest: %s\n", to_string(done.error()).c_str());
  return 1;
}
