//! What a module from outside may ask of the compiler, looked at before the compiler sees it.
//!
//! Cranelift takes a time and a memory that grow faster than a function does. It remembers for every branch which value each
//! local has there, so a function costs it its branches times its locals; some kilobytes of jump tables over many locals make
//! gigabytes. Function bodies are looked through once here, in no more memory than the largest of them.

use wasmparser::{FunctionBody, Operator, Parser, Payload};
use wasmtime_c_api::wasmtime;

/// `cordon_module_limits_t` of `include/cordon_runtime.h`.
#[repr(C)]
pub struct Limits {
    pub functions: u32,
    pub body_bytes: u32,
    pub locals: u32,
    pub targets: u32,
    pub joins: u64,
}

/// Fails for a module that is past a limit, or that does not parse.
pub fn check(wasm: &[u8], limits: &Limits) -> wasmtime::Result<()> {
    let mut index = 0;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::CodeSectionStart { count, .. } if count > limits.functions => {
                wasmtime::bail!("it has {count} functions, where {} are allowed", limits.functions)
            }
            Payload::CodeSectionEntry(body) => {
                check_body(index, &body, limits)?;
                index += 1;
            }
            _ => {}
        }
    }
    Ok(())
}

/// `index` is that among the functions which the module has code for.
fn check_body(index: u32, body: &FunctionBody, limits: &Limits) -> wasmtime::Result<()> {
    let bytes = body.range().len();
    if bytes > limits.body_bytes as usize {
        wasmtime::bail!("its function {index} has {bytes} bytes, where {} are allowed", limits.body_bytes);
    }
    let mut locals: u64 = 0;
    for group in body.get_locals_reader()? {
        locals += u64::from(group?.0);
    }
    if locals > u64::from(limits.locals) {
        wasmtime::bail!("its function {index} has {locals} locals, where {} are allowed", limits.locals);
    }
    let mut targets: u64 = 0;
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        match operators.read()? {
            Operator::BrTable { targets: table } => {
                if table.len() > limits.targets {
                    wasmtime::bail!(
                        "its function {index} has a jump table of {} targets, where {} are allowed",
                        table.len(),
                        limits.targets
                    );
                }
                targets += u64::from(table.len()) + 1;
            }
            Operator::Br { .. } | Operator::BrIf { .. } | Operator::If { .. } | Operator::Loop { .. } => targets += 1,
            _ => {}
        }
    }
    let joins = targets * locals;
    if joins > limits.joins {
        wasmtime::bail!(
            "its function {index} has {targets} branches over {locals} locals, which is more than {} together",
            limits.joins
        );
    }
    Ok(())
}
