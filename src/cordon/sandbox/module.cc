#include "cordon/sandbox/module.h"

#include <algorithm>
#include <utility>

#include <cordon_runtime.h>

#include "cordon/sandbox/instance.h"
#include "cordon/sandbox/slot_order.h"
#include "cordon/sandbox/wasmtime_error.h"

namespace cordon::sandbox {
namespace {

static_assert(sizeof(RawValue) == sizeof(wasmtime_val_raw_t));

wasm_functype_t* type_of(std::string_view signature) {
  std::vector<wasm_valtype_t*> lists[2];
  std::size_t side = 0;
  for (const char letter : signature) {
    if (letter == ':') {
      side = 1;
    } else {
      lists[side].push_back(wasm_valtype_new(letter == 'I'   ? WASM_I64
                                             : letter == 'd' ? WASM_F64
                                                             : WASM_I32));
    }
  }
  wasm_valtype_vec_t parameters;
  wasm_valtype_vec_t results;
  wasm_valtype_vec_new(&parameters, lists[0].size(), lists[0].data());
  wasm_valtype_vec_new(&results, lists[1].size(), lists[1].data());
  return wasm_functype_new(&parameters, &results);
}

wasm_trap_t* stop(Instance& instance) {
  instance.mark_stopped();
  constexpr std::string_view reason = "stopped by the host";
  return wasmtime_trap_new(reason.data(), reason.size());
}

wasm_trap_t* call_host(void* function, wasmtime_caller_t* caller, wasmtime_val_raw_t* values,
                       std::size_t count) {
  const OnGuestStack on_stack;
  auto& instance =
      *static_cast<Instance*>(wasmtime_context_get_data(wasmtime_caller_context(caller)));
  const auto call = static_cast<const HostFunction*>(function)->call;
  if (call(instance, {reinterpret_cast<RawValue*>(values), count}) == Proceed::on) return nullptr;
  return stop(instance);
}

constexpr std::size_t max_waiting_values = 8;

// A call of a host function that may wait. Wasmtime polls it at once and then at every run of the
// instance, until it has an answer. It frees the call after the answer, or when the instance is
// destroyed in the middle of the wait, so the call may refer to the instance.
struct WaitingCall {
  Instance& instance;
  const HostFunction& function;
  RawValue arguments[max_waiting_values]{};
  std::size_t count = 0;
  wasmtime_val_t* results;
  std::size_t result_count;
  wasm_trap_t** trap;

  // Whether it is over.
  bool poll() {
    const OnGuestStack on_stack;
    RawValue values[max_waiting_values];
    std::ranges::copy(arguments, values);
    switch (function.call(instance, {values, std::max(count, result_count)})) {
      case Proceed::on:
        write_results(values);
        return true;
      case Proceed::stop:
        *trap = stop(instance);
        return true;
      case Proceed::wait:
        instance.mark_waiting();
        return false;
    }
    std::unreachable();
  }

  void write_results(std::span<const RawValue> values) {
    const std::string_view kinds = function.signature.substr(function.signature.find(':') + 1);
    for (std::size_t i = 0; i < result_count; ++i) {
      switch (kinds[i]) {
        case 'I':
          results[i] = {.kind = WASMTIME_I64, .of = {.i64 = values[i].i64}};
          break;
        case 'd':
          results[i] = {.kind = WASMTIME_F64, .of = {.f64 = values[i].f64}};
          break;
        default:
          results[i] = {.kind = WASMTIME_I32, .of = {.i32 = values[i].i32}};
      }
    }
  }
};

RawValue raw_value_of(const wasmtime_val_t& value) {
  RawValue slot{};
  switch (value.kind) {
    case WASMTIME_I64:
      slot.i64 = value.of.i64;
      break;
    case WASMTIME_F64:
      slot.f64 = value.of.f64;
      break;
    default:
      slot.i32 = value.of.i32;
  }
  return slot;
}

// Wasmtime owns the arguments and the room for results and trap until the call is over.
void call_waiting_host(void* function, wasmtime_caller_t* caller, const wasmtime_val_t* arguments,
                       std::size_t count, wasmtime_val_t* results, std::size_t result_count,
                       wasm_trap_t** trap, wasmtime_async_continuation_t* continuation) {
  auto& instance =
      *static_cast<Instance*>(wasmtime_context_get_data(wasmtime_caller_context(caller)));
  auto* const call = new WaitingCall{.instance = instance,
                                     .function = *static_cast<const HostFunction*>(function),
                                     .count = count,
                                     .results = results,
                                     .result_count = result_count,
                                     .trap = trap};
  for (std::size_t i = 0; i < count; ++i) call->arguments[i] = raw_value_of(arguments[i]);
  *continuation = {
      .callback = [](void* env) { return static_cast<WaitingCall*>(env)->poll(); },
      .env = call,
      .finalizer = [](void* env) { delete static_cast<WaitingCall*>(env); },
  };
}

wasmtime_error_t* define(wasmtime_linker_t& linker, std::string_view space,
                         const HostFunction& function, const wasm_functype_t& type) {
  void* const data = const_cast<HostFunction*>(&function);
  const std::string_view name = function.name;
  if (function.may_wait) {
    return wasmtime_linker_define_async_func(&linker, space.data(), space.size(), name.data(),
                                             name.size(), &type, call_waiting_host, data, nullptr);
  }
  return wasmtime_linker_define_func_unchecked(&linker, space.data(), space.size(), name.data(),
                                               name.size(), &type, call_host, data, nullptr);
}

void assign_bytes(void* to, const std::uint8_t* data, std::size_t size) {
  static_cast<Bytes*>(to)->assign(data, data + size);
}

}  // namespace

void Module::Delete::operator()(wasmtime_module* module) const { wasmtime_module_delete(module); }
void Template::Delete::operator()(wasmtime_instance_pre* pre) const {
  wasmtime_instance_pre_delete(pre);
}

Result<Module> Module::load(const Engine& engine, BytesView compiled) {
  wasmtime_module_t* module = nullptr;
  CORDON_TRY(
      checked(wasmtime_module_deserialize(engine.raw(), compiled.data(), compiled.size(), &module),
              ErrorCode::unavailable));
  return Module(module);
}

Result<Module> Module::load_in_place(const Engine& engine, BytesView compiled) {
  wasmtime_module_t* module = nullptr;
  CORDON_TRY(checked(
      cordon_runtime_module_load_in_place(engine.raw(), compiled.data(), compiled.size(), &module),
      ErrorCode::unavailable));
  return Module(module);
}

Result<Module> Module::compile(const Engine& engine, BytesView wasm) {
  wasmtime_module_t* module = nullptr;
  CORDON_TRY(checked(wasmtime_module_new(engine.raw(), wasm.data(), wasm.size(), &module),
                     ErrorCode::malformed));
  return Module(module);
}

Result<Bytes> Module::serialize() const {
  wasm_byte_vec_t code;
  CORDON_TRY(checked(wasmtime_module_serialize(raw(), &code), ErrorCode::internal_error));
  Bytes bytes;
  assign_bytes(&bytes, reinterpret_cast<const std::uint8_t*>(code.data), code.size);
  wasm_byte_vec_delete(&code);
  return bytes;
}

std::vector<std::string> Module::imports() const {
  wasm_importtype_vec_t list;
  wasmtime_module_imports(raw(), &list);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size; ++i) {
    const wasm_name_t* space = wasm_importtype_module(list.data[i]);
    const wasm_name_t* name = wasm_importtype_name(list.data[i]);
    names.push_back(std::string(space->data, space->size) + "." +
                    std::string(name->data, name->size));
  }
  wasm_importtype_vec_delete(&list);
  return names;
}

Result<Template> Template::create(const Engine& engine, const Module& module,
                                  std::string_view space, std::span<const HostFunction> functions,
                                  Missing missing) {
  struct DeleteLinker {
    void operator()(wasmtime_linker_t* linker) const { wasmtime_linker_delete(linker); }
  };
  const std::unique_ptr<wasmtime_linker_t, DeleteLinker> linker(wasmtime_linker_new(engine.raw()));
  for (const HostFunction& function : functions) {
    if (function.may_wait && function.signature.size() > max_waiting_values)
      return fail(ErrorCode::invalid_argument, "a host function with too many parameters");
    wasm_functype_t* type = type_of(function.signature);
    wasmtime_error_t* error = define(*linker, space, function, *type);
    wasm_functype_delete(type);
    CORDON_TRY(checked(error, ErrorCode::internal_error));
  }
  if (missing == Missing::traps) {
    CORDON_TRY(checked(wasmtime_linker_define_unknown_imports_as_traps(linker.get(), module.raw()),
                       ErrorCode::internal_error));
  }
  wasmtime_instance_pre_t* pre = nullptr;
  CORDON_TRY(checked(wasmtime_linker_instantiate_pre(linker.get(), module.raw(), &pre),
                     ErrorCode::invalid_argument));
  return Template(engine, pre);
}

Result<Bytes> snapshot(BytesView wasm, const char* init_function) {
  Bytes bytes;
  CORDON_TRY(checked(
      cordon_runtime_snapshot(wasm.data(), wasm.size(), init_function, assign_bytes, &bytes),
      ErrorCode::internal_error));
  return bytes;
}

Result<Bytes> from_text(std::string_view text) {
  wasm_byte_vec_t binary = {0, nullptr};
  CORDON_TRY(checked(wasmtime_wat2wasm(text.data(), text.size(), &binary), ErrorCode::malformed));
  Bytes bytes;
  assign_bytes(&bytes, reinterpret_cast<const std::uint8_t*>(binary.data), binary.size);
  wasm_byte_vec_delete(&binary);
  return bytes;
}

Result<Bytes> compile_ahead(const Engine& engine, BytesView wasm) {
  Bytes bytes;
  CORDON_TRY(checked(
      cordon_runtime_compile_ahead(engine.raw(), wasm.data(), wasm.size(), assign_bytes, &bytes),
      ErrorCode::internal_error));
  return bytes;
}

}  // namespace cordon::sandbox
