//! A limit on a store's memory that remembers that it was met: a module that asks for more gets -1, as WebAssembly has it,
//! and may then fail in any way it likes. Only the limiter knows that memory was the reason.

use wasmtime_c_api::wasmtime::{Error, ResourceLimiter, Result};
use wasmtime_c_api::{wasmtime_store_t, WasmtimeStore};

/// `cordon_memory_limit_t`; C has it.
#[repr(C)]
pub struct MemoryLimit {
    max_bytes: u64,
    was_refused: bool,
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        let is_allowed = desired as u64 <= self.max_bytes;
        self.was_refused |= !is_allowed;
        Ok(is_allowed)
    }

    // The memory's own maximum, or no address space to be had.
    fn memory_grow_failed(&mut self, _: Error) -> Result<()> {
        self.was_refused = true;
        Ok(())
    }

    fn table_growing(&mut self, _: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        Ok(maximum.is_none_or(|most| desired <= most))
    }

    fn instances(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        1
    }

    fn memories(&self) -> usize {
        1
    }
}

struct Place(*mut MemoryLimit);
// The store is used by one thread at a time, and so is its limit.
unsafe impl Send for Place {}
unsafe impl Sync for Place {}

impl Place {
    fn limit(&self) -> *mut MemoryLimit {
        self.0
    }
}

/// Limits the one memory of a store.
///
/// # Safety
/// `store` comes from `wasmtime_store_new`, a `#[repr(C)]` struct of one field; `limit` stays where it is for as long as the
/// store does, and nobody touches it while the store runs.
#[no_mangle]
pub unsafe extern "C" fn cordon_runtime_limit_memory(
    store: *mut wasmtime_store_t,
    limit: *mut MemoryLimit,
) {
    const { assert!(size_of::<wasmtime_store_t>() == size_of::<WasmtimeStore>()) };
    let place = Place(limit);
    (*store.cast::<WasmtimeStore>()).limiter(move |_| unsafe { &mut *place.limit() });
}
