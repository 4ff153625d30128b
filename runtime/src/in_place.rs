//! Machine code that runs where it lies in the program's own file, instead of in a copy: a process that runs one
//! program spends a good part of its time on copying.

use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use wasmtime_c_api::wasmtime::{self, Config, CustomCodeMemory, Engine, Module};

const PROT_READ: i32 = 1;
const PROT_EXEC: i32 = 4;

unsafe extern "C" {
    fn mprotect(address: *mut c_void, length: usize, protection: i32) -> i32;
}

struct CodePages;

impl CustomCodeMemory for CodePages {
    fn required_alignment(&self) -> usize {
        4096
    }

    fn publish_executable(&self, ptr: *const u8, len: usize) -> wasmtime::Result<()> {
        // SAFETY: these are pages of code that nobody writes to any more.
        if unsafe { mprotect(ptr.cast_mut().cast(), len, PROT_READ | PROT_EXEC) } != 0 {
            return Err(std::io::Error::last_os_error().into());
        }
        Ok(())
    }

    /// Called when the code is dropped: then it is unmapped, or is the program's own, which stays as it is.
    fn unpublish_executable(&self, _: *const u8, _: usize) -> wasmtime::Result<()> {
        Ok(())
    }
}

/// Lets modules of this configuration be loaded by `load`.
pub fn prepare(config: &mut Config) {
    // Elsewhere than on x86 the caches of instructions would have to be seen to.
    if cfg!(target_arch = "x86_64") {
        config.with_custom_code_memory(Some(Arc::new(CodePages)));
    }
}

/// A module whose code is used where it is, if nobody uses it there yet; otherwise a copy of it.
///
/// # Safety
/// `image` is what Wasmtime serialized; it begins with a page, is never written to, and is there as long as the process.
pub unsafe fn load(engine: &Engine, image: &'static [u8]) -> wasmtime::Result<Module> {
    // Wasmtime knows code by its address, so one place can be loaded once.
    static LOADED: Mutex<Option<HashSet<usize>>> = Mutex::new(None);
    let is_first = cfg!(target_arch = "x86_64")
        && image.as_ptr().addr() % 4096 == 0
        && LOADED.lock().unwrap().get_or_insert_default().insert(image.as_ptr().addr());
    unsafe {
        if is_first {
            Module::deserialize_raw(engine, NonNull::from(image))
        } else {
            Module::deserialize(engine, image)
        }
    }
}
