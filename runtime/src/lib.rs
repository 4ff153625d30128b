//! Wasmtime's C API, re-exported whole, what Cordon needs that the C API does not offer, and JSON Schema (`schema.rs`).
//! The C declarations of these functions are in `include/cordon_runtime.h`.

// The structs are opaque to C, which the compiler cannot know.
#![allow(improper_ctypes_definitions)]

mod checks;
mod in_place;
mod memory_limit;
mod module_check;
mod schema;
mod schema_meter;
mod schema_number;
mod schema_parts;
mod schema_values;

use std::ffi::{c_char, c_void, CStr};
use std::task::{Context, Poll, Waker};

use wasmtime_c_api::wasmtime::{
    Config, Enabled, Engine, Instance, Linker, Module, PoolingAllocationConfig, Store, Val,
};
use wasmtime_internal_cranelift::epoch_plan::set_epoch_plan;
use wasmtime_wizer::{InstanceState, SnapshotVal, Wizer};

pub use wasmtime_c_api::*;

type ErrorOut = Option<Box<wasmtime_error_t>>;
/// Takes bytes, once.
type Sink = extern "C" fn(*mut c_void, *const u8, usize);

fn failed(error: wasmtime::Error) -> ErrorOut {
    Some(Box::new(wasmtime_error_t::from(error)))
}

/// Whether the kernel can tell which pages of a memory were written (Linux 6.7 and newer).
#[no_mangle]
pub extern "C" fn cordon_runtime_has_pagemap_scan() -> bool {
    PoolingAllocationConfig::is_pagemap_scan_available()
}

/// Resets a used slot by the kernel's list of written pages, where the kernel has it.
///
/// # Safety
/// `pool` comes from `wasmtime_pooling_allocation_config_new`, a `#[repr(C)]` struct of one field.
#[no_mangle]
pub unsafe extern "C" fn cordon_runtime_use_pagemap_scan(
    pool: *mut wasmtime_pooling_allocation_config_t,
) {
    (*pool.cast::<PoolingAllocationConfig>()).pagemap_scan(Enabled::Auto);
}

/// `wasm_engine_new_with_config` that reports what went wrong where the original aborts.
///
/// # Safety
/// `config` comes from `wasm_config_new`, a `#[repr(C)]` struct of one field, and is consumed.
#[no_mangle]
pub unsafe extern "C" fn cordon_runtime_engine_new(
    config: *mut wasm_config_t,
    engine_out: *mut *mut wasm_engine_t,
) -> ErrorOut {
    // wasm_config_t holds nothing but the Config, wasm_engine_t nothing but the Engine.
    let mut config = Box::from_raw(config.cast::<Config>());
    in_place::prepare(&mut config);
    match Engine::new(&config) {
        Ok(engine) => {
            *engine_out = Box::into_raw(Box::new(engine)).cast::<wasm_engine_t>();
            None
        }
        Err(error) => failed(error),
    }
}

/// `wasmtime_module_deserialize` without a copy, see `in_place.rs`.
///
/// # Safety
/// `engine` is one of `cordon_runtime_engine_new`; `image` has `length` bytes of a serialized module, begins with a page,
/// is never written to, and is there as long as the process.
#[no_mangle]
pub unsafe extern "C" fn cordon_runtime_module_load_in_place(
    engine: *const wasm_engine_t,
    image: *const u8,
    length: usize,
    module_out: *mut *mut wasmtime_module_t,
) -> ErrorOut {
    // wasmtime_module_t holds nothing but the Module.
    const { assert!(size_of::<wasmtime_module_t>() == size_of::<Module>()) };
    match in_place::load(&*engine.cast::<Engine>(), std::slice::from_raw_parts(image, length)) {
        Ok(module) => {
            *module_out = Box::into_raw(Box::new(module)).cast::<wasmtime_module_t>();
            None
        }
        Err(error) => failed(error),
    }
}

/// Fails for a module that asks more of the compiler than `limits` allow, or that does not parse; see `module_check.rs`.
///
/// # Safety
/// `wasm` has `length` bytes; `limits` are some.
#[no_mangle]
pub unsafe extern "C" fn cordon_runtime_check_module(
    wasm: *const u8,
    length: usize,
    limits: *const module_check::Limits,
) -> ErrorOut {
    module_check::check(std::slice::from_raw_parts(wasm, length), &*limits).err().and_then(failed)
}

/// Calls `told` at a panic, before the process ends of it.
#[no_mangle]
pub extern "C" fn cordon_runtime_on_panic(told: extern "C" fn()) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        before(panic);
        told();
    }));
}

/// Runs `init_function` of a module whose imports all trap, and writes the module anew with the
/// memory and globals it left. The bytes go to `sink` once.
///
/// # Safety
/// `wasm` has `length` bytes; `init_function` ends in NUL; `sink` copies what it is given.
#[no_mangle]
pub unsafe extern "C" fn cordon_runtime_snapshot(
    wasm: *const u8,
    length: usize,
    init_function: *const c_char,
    sink: Sink,
    sink_data: *mut c_void,
) -> ErrorOut {
    let wasm = std::slice::from_raw_parts(wasm, length);
    let name = CStr::from_ptr(init_function).to_string_lossy();
    deliver(snapshot(wasm, &name), sink, sink_data)
}

/// Compiles a module that we wrote to machine code, with checks for interruption where `checks.rs` wants them.
/// The bytes go to `sink` once.
///
/// # Safety
/// `engine` is one of `cordon_runtime_engine_new`; `wasm` has `length` bytes; `sink` copies what it is given.
#[no_mangle]
pub unsafe extern "C" fn cordon_runtime_compile_ahead(
    engine: *const wasm_engine_t,
    wasm: *const u8,
    length: usize,
    sink: Sink,
    sink_data: *mut c_void,
) -> ErrorOut {
    let wasm = std::slice::from_raw_parts(wasm, length);
    deliver(compile_ahead(&*engine.cast::<Engine>(), wasm), sink, sink_data)
}

fn deliver(bytes: wasmtime::Result<Vec<u8>>, sink: Sink, sink_data: *mut c_void) -> ErrorOut {
    match bytes {
        Ok(bytes) => {
            sink(sink_data, bytes.as_ptr(), bytes.len());
            None
        }
        Err(error) => failed(error),
    }
}

fn compile_ahead(engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let plan = checks::plan(wasm)?;
    let planned = plan.as_ref().map_or(0, |plan| plan.unchecked_entries.len() + plan.checkpoints.len());
    set_epoch_plan(plan);
    let compiled = engine.precompile_module(wasm);
    let followed = set_epoch_plan(None).map_or(0, |plan| plan.followed);
    // Dead code has no checks to leave out, so not all of a plan need be followed; none of it means another module.
    if planned > 0 && followed < planned / 2 {
        wasmtime::bail!("of {planned} places planned for interruption only {followed} were met");
    }
    compiled
}

fn snapshot(wasm: &[u8], init_function: &str) -> wasmtime::Result<Vec<u8>> {
    let mut wizer = Wizer::new();
    wizer.init_func(init_function).keep_init_func(false);
    let (context, instrumented) = wizer.instrument(wasm)?;

    let engine = Engine::default();
    let module = Module::new(&engine, &instrumented)?;
    let mut linker: Linker<()> = Linker::new(&engine);
    linker.define_unknown_imports_as_traps(&module)?;
    let mut store = Store::new(&engine, ());
    let instance = linker.instantiate(&mut store, &module)?;
    for function in ["_initialize", init_function] {
        if let Ok(function) = instance.get_typed_func::<(), ()>(&mut store, function) {
            function.call(&mut store, ())?;
        }
    }
    now_or_never(wizer.snapshot(&context, &mut State { store, instance }))
}

struct State {
    store: Store<()>,
    instance: Instance,
}

impl InstanceState for State {
    async fn global_get(&mut self, name: &str, _: wasmtime_wizer::ValType) -> SnapshotVal {
        let global = self.instance.get_global(&mut self.store, name).expect("instrumented");
        match global.get(&mut self.store) {
            Val::I32(x) => SnapshotVal::I32(x),
            Val::I64(x) => SnapshotVal::I64(x),
            Val::F32(x) => SnapshotVal::F32(x),
            Val::F64(x) => SnapshotVal::F64(x),
            other => panic!("a global of a type that no C compiler emits: {other:?}"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        let memory = self.instance.get_memory(&mut self.store, name).expect("instrumented");
        contents(memory.data(&self.store))
    }
}

/// Nothing here waits, so the first poll is the last.
fn now_or_never<T>(future: impl std::future::Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("a snapshot does not wait"),
    }
}
