//! Where the guest's machine code looks whether its time is up.
//!
//! Wasmtime looks at every function's entry and in every loop. Fewer do, as long as no code can run for long without
//! one. A module that has marks (see `MARK`) is one whose interpreter was written for that:
//!
//! - Calls: a check at the entry of each function that calls through a table, so every cycle of calls that goes through
//!   a table meets one. Of the functions that are left, those that can reach themselves by direct calls are checked too.
//!   All others form a finite tree of calls between checks.
//! - Loops: all are checked but one, the loop around the opcodes of a function with marks. Each pass of it fetches the
//!   next opcode and moves on in the bytecode; wherever the function moves back there is a mark, and a mark is a check.
//!
//! Nothing of this rests on what is in linear memory: a guest that has taken over its interpreter is interrupted too.

use std::collections::HashSet;

use wasmparser::{FunctionBody, Operator, OperatorsReader, Parser, Payload, TypeRef};
use wasmtime_c_api::wasmtime;
use wasmtime_internal_cranelift::epoch_plan::EpochPlan;

/// `i32.const MARK; drop` in a function's code, from `guest/patches/checkpoints.diff` and `regexp-speed.diff`.
const MARK: i32 = 0x6364_6368;
/// The loop around the opcodes leads straight into a jump table of at least this size.
const DISPATCH_TARGETS: u32 = 32;

/// The plan for `wasm`, or none if it has no marks.
pub fn plan(wasm: &[u8]) -> wasmtime::Result<Option<EpochPlan>> {
    let functions = functions(wasm)?;
    if functions.iter().all(|function| function.marks.is_empty()) {
        return Ok(None);
    }
    let mut plan = EpochPlan::default();
    for (function, is_checked) in functions.iter().zip(needs_entry_check(&functions)) {
        if !is_checked {
            plan.unchecked_entries.insert(function.entry);
        }
        if function.marks.is_empty() {
            continue;
        }
        if function.dispatch_loops.len() != 1 {
            wasmtime::bail!(
                "a function with marks has {} loops around a table of opcodes instead of one",
                function.dispatch_loops.len()
            );
        }
        plan.unchecked_loops.extend(&function.dispatch_loops);
        plan.checkpoints.extend(&function.marks);
    }
    Ok(Some(plan))
}

/// What matters of a function; positions are those in the module's bytes. Imports are entries without code.
#[derive(Default)]
struct Function {
    entry: u32,
    callees: Vec<usize>,
    calls_through_table: bool,
    dispatch_loops: Vec<u32>,
    marks: Vec<u32>,
}

fn functions(wasm: &[u8]) -> wasmtime::Result<Vec<Function>> {
    let mut functions = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    if matches!(import?.ty, TypeRef::Func(_)) {
                        functions.push(Function::default());
                    }
                }
            }
            Payload::CodeSectionEntry(body) => functions.push(function(&body)?),
            _ => {}
        }
    }
    Ok(functions)
}

fn function(body: &FunctionBody) -> wasmtime::Result<Function> {
    let mut operators = body.get_operators_reader()?;
    let mut function = Function { entry: u32::try_from(operators.original_position())?, ..Default::default() };
    while !operators.eof() {
        let at = u32::try_from(operators.original_position())?;
        match operators.read()? {
            Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                function.callees.push(usize::try_from(function_index)?);
            }
            Operator::CallIndirect { .. }
            | Operator::ReturnCallIndirect { .. }
            | Operator::CallRef { .. }
            | Operator::ReturnCallRef { .. } => function.calls_through_table = true,
            Operator::Loop { .. } if leads_to_dispatch(operators.clone())? => function.dispatch_loops.push(at),
            Operator::I32Const { value: MARK } => function.marks.push(at),
            _ => {}
        }
    }
    Ok(function)
}

/// Whether every pass of the loop whose body begins here comes to the table of opcodes: no branch before it.
fn leads_to_dispatch(mut body: OperatorsReader) -> wasmtime::Result<bool> {
    loop {
        match body.read()? {
            Operator::BrTable { targets } => return Ok(targets.len() >= DISPATCH_TARGETS),
            Operator::Block { .. }
            | Operator::LocalGet { .. }
            | Operator::LocalSet { .. }
            | Operator::LocalTee { .. }
            | Operator::I32Const { .. }
            | Operator::I64Const { .. }
            | Operator::I32Add
            | Operator::I32Sub
            | Operator::I32Shl
            | Operator::I32Load { .. }
            | Operator::I32Load8U { .. } => {}
            _ => return Ok(false),
        }
    }
}

/// Which functions are checked at their entry, so that every cycle in the graph of calls meets a check.
fn needs_entry_check(functions: &[Function]) -> Vec<bool> {
    let mut checked: Vec<bool> = functions.iter().map(|function| function.calls_through_table).collect();
    for component in components(functions, &checked) {
        let is_cycle = component.len() > 1 || functions[component[0]].callees.contains(&component[0]);
        if is_cycle {
            component.iter().for_each(|&member| checked[member] = true);
        }
    }
    checked
}

/// The strongly connected components of the direct calls among the functions that are not `left_out`: Tarjan's
/// algorithm, with a stack of its own since the depth is the module's.
fn components(functions: &[Function], left_out: &[bool]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut order = vec![UNSEEN; functions.len()];
    let mut lowest = vec![UNSEEN; functions.len()];
    let mut open = Vec::new();
    let mut is_open = HashSet::new();
    let mut found = Vec::new();
    let mut next_order = 0;
    for root in (0..functions.len()).filter(|&root| !left_out[root]) {
        if order[root] != UNSEEN {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, callee)) = path.pop() {
            if callee == 0 {
                order[node] = next_order;
                lowest[node] = next_order;
                next_order += 1;
                open.push(node);
                is_open.insert(node);
            }
            if let Some(&to) = functions[node].callees.get(callee) {
                path.push((node, callee + 1));
                if left_out[to] {
                    continue;
                }
                if order[to] == UNSEEN {
                    path.push((to, 0));
                } else if is_open.contains(&to) {
                    lowest[node] = lowest[node].min(order[to]);
                }
                continue;
            }
            if let Some(&(parent, _)) = path.last() {
                lowest[parent] = lowest[parent].min(lowest[node]);
            }
            if lowest[node] == order[node] {
                let start = open.iter().rposition(|&member| member == node).expect("node is open");
                let component = open.split_off(start);
                component.iter().for_each(|member| {
                    is_open.remove(member);
                });
                found.push(component);
            }
        }
    }
    found
}
