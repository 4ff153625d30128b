#include "cordon/js/guest_module.h"

#include <utility>

#include "cordon/js/host_functions.h"
#include "cordon/sandbox/instance.h"

extern "C" const unsigned char cordon_guest_code[];
extern "C" const unsigned char cordon_guest_code_end[];

namespace cordon::js {

BytesView guest_code() { return {cordon_guest_code, cordon_guest_code_end}; }

GuestModule::GuestModule(sandbox::Engine engine, sandbox::Module module)
    : engine_(std::move(engine)), module_(std::move(module)) {}

Result<std::unique_ptr<GuestModule>> GuestModule::create(const sandbox::EngineOptions& options) {
  sandbox::Engine engine = CORDON_TRY(sandbox::Engine::create(options));
  sandbox::Module module = CORDON_TRY(sandbox::Module::load_in_place(engine, guest_code()));
  std::unique_ptr<GuestModule> made(new GuestModule(std::move(engine), std::move(module)));
  made->template_ = CORDON_TRY(
      sandbox::Template::create(made->engine_, made->module_, "cordon", HostFunctions::all()));
  const auto sample = CORDON_TRY(sandbox::Instance::create(made->template_, {}, nullptr));
  made->inbox_address_ = CORDON_TRY(sample->exported_address("cordon_inbox"));
  made->stack_top_ = CORDON_TRY(sample->exported_address("__stack_pointer"));
  return made;
}

Result<BytesView> GuestModule::base_memory() const {
  const MutexLock lock(base_mutex_);
  if (base_memory_.empty()) {
    const auto sample = CORDON_TRY(sandbox::Instance::create(template_, {}, nullptr));
    const auto memory = sample->memory();
    base_memory_.assign(memory.begin(), memory.end());
  }
  return BytesView(base_memory_);
}

}  // namespace cordon::js
