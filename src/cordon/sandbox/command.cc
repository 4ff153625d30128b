#include "cordon/sandbox/command.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <span>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

#include <cordon_runtime.h>
#include <malloc.h>

#include "cordon/sandbox/code_cache.h"
#include "cordon/sandbox/compile_guard.h"
#include "cordon/sandbox/jail.h"
#include "cordon/sandbox/last_word.h"
#include "cordon/sandbox/wasi/functions.h"
#include "cordon/sandbox/wasmtime_error.h"

// The order of run_command() is its security, and each step has to come where it does:
//
//   end_with_host   first, so that a host that dies at any time takes this process with it
//   the cache       opened while files can still be opened
//   enter_jail      before a byte of the module is looked at beyond its format
//   load_module     compiles inside of the jail, since a compiler is a large target. Code from
//                   the cache is trusted, because its hash is keyed; see code_cache.h
//   linker, store   made while all system calls still work
//   door.close      the network is gone and all capabilities are given up, at the latest here
//                   and before the compiler sees the module
//   cache.reset     the filter would not let this descriptor be closed
//   watch_host      sets a timer, which the filter forbids afterwards
//   seal_jail       from here on only the calls of the filter work
//   instantiate, _start   the module's code runs here for the first time
//
// Signal handlers end the process in several places (end_at, end_on_abort, watch_host). They may
// only call what is async-signal-safe and what the filter allows.

namespace cordon::sandbox {
namespace {

constexpr std::size_t mib = 1024 * 1024;
constexpr std::int64_t max_table_elements = 1'000'000;

struct Delete {
  void operator()(wasm_engine_t* engine) const { wasm_engine_delete(engine); }
  void operator()(wasmtime_module_t* module) const { wasmtime_module_delete(module); }
  void operator()(wasmtime_store_t* store) const { wasmtime_store_delete(store); }
  void operator()(wasmtime_linker_t* linker) const { wasmtime_linker_delete(linker); }
};
using OwnedEngine = std::unique_ptr<wasm_engine_t, Delete>;
using OwnedModule = std::unique_ptr<wasmtime_module_t, Delete>;
using OwnedStore = std::unique_ptr<wasmtime_store_t, Delete>;
using OwnedLinker = std::unique_ptr<wasmtime_linker_t, Delete>;

// WebAssembly runs on this thread's own stack and may use about half of it.
std::size_t stack_bytes() {
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  const std::uint64_t there = limit.rlim_cur == RLIM_INFINITY ? 8 * mib : limit.rlim_cur;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(there / 2, 256 * 1024, 4 * mib));
}

Result<OwnedEngine> make_engine(const CommandOptions& options) {
  wasm_config_t* config = wasm_config_new();
  wasmtime_config_cranelift_opt_level_set(config, WASMTIME_OPT_LEVEL_SPEED);
  wasmtime_config_max_wasm_stack_set(config, stack_bytes());
  // Nothing here is called in slices, so this stack is never used; but Wasmtime accepts no smaller
  // one.
  wasmtime_config_async_stack_size_set(config, 2 * stack_bytes());
  // One instance gains nothing from an image of its memory, which would be one more kind of file.
  wasmtime_config_memory_init_cow_set(config, false);
  wasmtime_config_native_unwind_info_set(config, false);
  wasmtime_config_consume_fuel_set(config, options.fuel.has_value());
  // What compilers do not emit by default stays off. Only an attacker would need it.
  wasmtime_config_wasm_memory64_set(config, false);
  wasmtime_config_wasm_multi_memory_set(config, false);
  wasmtime_config_wasm_relaxed_simd_set(config, false);
  wasm_engine_t* engine = nullptr;
  CORDON_TRY(checked(cordon_runtime_engine_new(config, &engine), ErrorCode::unavailable));
  return OwnedEngine(engine);
}

// What the code depends on besides the module. It is part of the name in the cache.
std::string code_kind(const CommandOptions& options) {
  return std::string("wasmtime ") + WASMTIME_VERSION + (options.fuel ? " fuel" : "") + " 1";
}

Result<> check_format(BytesView wasm) {
  constexpr std::uint8_t magic[] = {0, 'a', 's', 'm'};
  if (wasm.size() < 8 || !std::equal(magic, magic + 4, wasm.begin())) {
    return fail(ErrorCode::malformed, "it is not WebAssembly");
  }
  // The second half of the version says the layer: 0 for modules, 1 for components.
  if (wasm[6] == 1 && wasm[7] == 0) {
    return fail(ErrorCode::unsupported,
                "it is a component (WASI preview 2): only core modules with WASI preview 1 run "
                "here, so build it for wasm32-wasip1");
  }
  return {};
}

Result<OwnedModule> load_module(wasm_engine_t* engine, BytesView wasm,
                                const CommandOptions& options,
                                const std::optional<CodeCache>& cache, JailDoor& door,
                                Instant deadline) {
  wasmtime_module_t* module = nullptr;
  std::string name;
  if (cache) {
    name = cache->name_of(code_kind(options), wasm);
    if (const std::optional<Bytes> code = cache->load(name)) {
      // Code that does not fit, for example to this processor, is compiled again.
      const OwnedError error(
          wasmtime_module_deserialize(engine, code->data(), code->size(), &module));
      if (!error) return OwnedModule(module);
    }
  }
  door.close();
  OwnedModule owned;
  {
    const CompileGuard guard(options.compile, exit_refused, deadline);
    CORDON_TRY(check_module(wasm));
    CORDON_TRY(checked(wasmtime_module_new(engine, wasm.data(), wasm.size(), &module),
                       ErrorCode::malformed));
    owned.reset(module);
  }
  if (cache) {
    wasm_byte_vec_t code;
    const OwnedError error(wasmtime_module_serialize(module, &code));
    if (!error) {
      // A cache that cannot be written to does not keep the module from running.
      (void)cache->store(name, {reinterpret_cast<const std::uint8_t*>(code.data), code.size});
      wasm_byte_vec_delete(&code);
    }
  }
  // Memory that the compiler no longer needs would count against the guest's limit.
  malloc_trim(0);
  return owned;
}

// The state that the imported functions get.
struct Running {
  wasi::Context guest;
  std::optional<wasmtime_memory_t> memory;
};

wasi::Memory memory_of(Running& running, wasmtime_caller_t* caller) {
  wasmtime_context_t* context = wasmtime_caller_context(caller);
  if (!running.memory) {
    wasmtime_extern_t item;
    if (!wasmtime_caller_export_get(caller, "memory", 6, &item) ||
        item.kind != WASMTIME_EXTERN_MEMORY) {
      return wasi::Memory({});
    }
    running.memory = item.of.memory;
  }
  return wasi::Memory({wasmtime_memory_data(context, &*running.memory),
                       wasmtime_memory_data_size(context, &*running.memory)});
}

wasm_trap_t* call_wasi(void* function, wasmtime_caller_t* caller, wasmtime_val_raw_t* slots,
                       std::size_t) {
  auto& running =
      *static_cast<Running*>(wasmtime_context_get_data(wasmtime_caller_context(caller)));
  const auto* found = static_cast<const wasi::Function*>(function);
  const wasi::Errno result = found->call(running.guest, memory_of(running, caller),
                                         reinterpret_cast<const RawValue*>(slots));
  slots[0].i32 = static_cast<std::int32_t>(result);
  return nullptr;
}

// There is nothing to clean up here, and the guest has flushed its own data or not.
wasm_trap_t* exit_process(void*, wasmtime_caller_t*, wasmtime_val_raw_t* slots, std::size_t) {
  _exit(wasi::exit_code_of(static_cast<std::uint32_t>(slots[0].i32)));
}

wasm_functype_t* type_of(std::string_view parameters, bool gives_errno) {
  std::vector<wasm_valtype_t*> types;
  for (const char letter : parameters) {
    types.push_back(wasm_valtype_new(letter == 'I' ? WASM_I64 : WASM_I32));
  }
  wasm_valtype_t* result = gives_errno ? wasm_valtype_new(WASM_I32) : nullptr;
  wasm_valtype_vec_t in;
  wasm_valtype_vec_t out;
  wasm_valtype_vec_new(&in, types.size(), types.data());
  wasm_valtype_vec_new(&out, gives_errno ? 1 : 0, &result);
  return wasm_functype_new(&in, &out);
}

class ImportList {
 public:
  explicit ImportList(const wasmtime_module_t* module) { wasmtime_module_imports(module, &list_); }
  ~ImportList() { wasm_importtype_vec_delete(&list_); }
  ImportList(const ImportList&) = delete;
  ImportList& operator=(const ImportList&) = delete;

  std::span<wasm_importtype_t* const> list() const { return {list_.data, list_.size}; }

 private:
  wasm_importtype_vec_t list_{};
};

std::string_view text_of(const wasm_name_t& name) { return {name.data, name.size}; }

Result<> define(wasmtime_linker_t* linker, std::string_view name, wasm_functype_t* type,
                wasmtime_func_unchecked_callback_t callback, const void* data) {
  wasmtime_error_t* error = wasmtime_linker_define_func_unchecked(
      linker, wasi::import_space.data(), wasi::import_space.size(), name.data(), name.size(), type,
      callback, const_cast<void*>(data), nullptr);
  wasm_functype_delete(type);
  return checked(error, ErrorCode::internal_error);
}

Result<> define_import(wasmtime_linker_t* linker, std::string_view from, std::string_view name) {
  if (from != wasi::import_space) {
    const std::string shown = (std::string(from) + "." + std::string(name)).substr(0, 200);
    return fail(ErrorCode::unsupported, "it imports " + shown + ", and only " +
                                            std::string(wasi::import_space) + " is there");
  }
  if (name == "proc_exit") return define(linker, name, type_of("i", false), exit_process, nullptr);
  const auto functions = wasi::functions();
  const auto found = std::ranges::find(functions, name, &wasi::Function::name);
  // An unknown function is refused when the module is instantiated, with a good message.
  if (found == functions.end()) return {};
  return define(linker, name, type_of(found->signature, true), call_wasi, &*found);
}

// Defines only what the module imports: defining the rest would take time at each start.
Result<OwnedLinker> make_linker(wasm_engine_t* engine, const wasmtime_module_t* module) {
  OwnedLinker linker(wasmtime_linker_new(engine));
  // A module may import a function twice.
  wasmtime_linker_allow_shadowing(linker.get(), true);
  ImportList imports(module);
  for (const wasm_importtype_t* import : imports.list()) {
    CORDON_TRY(define_import(linker.get(), text_of(*wasm_importtype_module(import)),
                             text_of(*wasm_importtype_name(import))));
  }
  return linker;
}

void end_when_out_of_time(Instant deadline) {
  end_at(deadline, exit_out_of_time, "cordon guest: timeout: the plugin ran out of time\n");
}

// A guest whose host is gone reads the end of its input, unless it computes or sleeps and does not
// read. So it looks for its host from time to time, by a timer of processor time and while it
// sleeps. A guest that waits for its host is never disturbed.
constexpr int microseconds_between_looks = 250'000;
// A global variable, because a signal handler gets no argument of ours.
pid_t host = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void end_without_host() {
  if (getppid() != host) _exit(exit_without_host);
}

void watch_host() {
  struct sigaction action{};
  action.sa_handler = [](int) { end_without_host(); };
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(SIGPROF, &action, nullptr);
  itimerval timer{};
  timer.it_value.tv_usec = timer.it_interval.tv_usec = microseconds_between_looks;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

std::string text_of(const wasm_trap_t& trap) {
  wasm_message_t message;
  wasm_trap_message(&trap, &message);
  std::string text(message.data, message.size);
  wasm_byte_vec_delete(&message);
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  return text;
}

CommandEnd ended(const OwnedTrap& trap, const OwnedError& error) {
  if (!error && !trap) return {};
  const std::string text = error ? message_of(*error) : text_of(*trap);
  // The reason follows a backtrace of addresses, which mean nothing without the source.
  constexpr std::string_view reason = "wasm trap: ";
  const std::size_t at = text.rfind(reason);
  return {exit_trapped,
          "trap: " + (at == std::string::npos ? text : text.substr(at + reason.size()))};
}

}  // namespace

Result<CommandEnd> run_command(BytesView wasm, const CommandOptions& options) {
  const Instant start_time = std::chrono::steady_clock::now();
  const Instant deadline = options.timeout ? start_time + *options.timeout : Instant::max();
  host = getppid();
  end_with_host(options.lifeline);
  if (options.timeout) end_when_out_of_time(deadline);
  CORDON_TRY(check_format(wasm));
  std::optional<CodeCache> cache;
  if (!options.cache_folder.empty()) {
    Result<CodeCache> opened = CodeCache::open(options.cache_folder);
    if (opened) cache.emplace(*std::move(opened));
  }
  JailDoor door = CORDON_TRY(enter_jail());
  const OwnedEngine engine = CORDON_TRY(make_engine(options));
  const OwnedModule module =
      CORDON_TRY(load_module(engine.get(), wasm, options, cache, door, deadline));
  JailLimits jail{.guest_memory_bytes = options.memory_bytes, .lifeline = options.lifeline};
  if (options.timeout) {
    end_when_out_of_time(deadline);
    jail.time = std::chrono::ceil<std::chrono::milliseconds>(
        std::max(deadline - std::chrono::steady_clock::now(), Duration(0)));
  }
  const OwnedLinker linker = CORDON_TRY(make_linker(engine.get(), module.get()));

  Running running;
  running.guest.while_waiting = end_without_host;
  const OwnedStore store(wasmtime_store_new(engine.get(), &running, nullptr));
  wasmtime_context_t* const context = wasmtime_store_context(store.get());
  wasmtime_store_limiter(store.get(), static_cast<std::int64_t>(options.memory_bytes),
                         max_table_elements, 1, 16, 1);
  if (options.fuel) {
    CORDON_TRY(
        checked(wasmtime_context_set_fuel(context, *options.fuel), ErrorCode::internal_error));
  }

  door.close();
  cache.reset();  // the filter would not let its descriptor be closed
  watch_host();
  CORDON_TRY(seal_jail(jail));
  wasmtime_instance_t instance;
  wasm_trap_t* trap = nullptr;
  wasmtime_error_t* error =
      wasmtime_linker_instantiate(linker.get(), context, module.get(), &instance, &trap);
  if (trap != nullptr) return ended(OwnedTrap(trap), OwnedError(error));
  CORDON_TRY(checked(error, ErrorCode::invalid_argument));
  wasmtime_extern_t start;
  if (!wasmtime_instance_export_get(context, &instance, "_start", 6, &start) ||
      start.kind != WASMTIME_EXTERN_FUNC) {
    return fail(ErrorCode::invalid_argument,
                "it exports no function _start: it is a library and no command");
  }
  error = wasmtime_func_call(context, &start.of.func, nullptr, 0, nullptr, 0, &trap);
  return ended(OwnedTrap(trap), OwnedError(error));
}

}  // namespace cordon::sandbox
