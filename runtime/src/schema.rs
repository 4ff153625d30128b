//! JSON Schema (draft 2020-12 unless a schema names another) for C: crate `jsonschema`, with nothing
//! that reaches the network or a file, on values of the C++ side (schema_values.rs).

use std::ffi::c_void;

use jsonschema::{PatternOptions, Retrieve, Uri, ValidationError, Validator};
use serde::Deserialize;
use serde_json::Value;

use crate::schema_meter::Meter;
use crate::schema_values::{is_after_the_end, Access, ValueNode, Values};

/// Takes the place of a mistake, as a JSON pointer, and what is wrong there. Called for each mistake.
type MistakeSink = extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize);

/// What a pattern with look-around or back references may try before it counts as a failure. Other
/// patterns take time that is linear in the text.
const MOST_BACKTRACKS: usize = 100_000;
const MOST_PATTERN_BYTES: usize = 1 << 20;

/// Mistakes are looked for in so many steps. The crate collects all of them before it tells the first, those
/// within branches of `anyOf` too, so that there can be far more than the value has nodes.
const MISTAKE_STEPS: u64 = 20_000;
/// Where a match could not be finished, the crate looks for its place in a copy of the value.
const MOST_COPIED_NODES: usize = 500;
const MOST_COPIED_BYTES: usize = 65_536;

/// Opaque to C.
pub struct Schema {
    validator: Validator<Values>,
    /// Patterns may backtrack: a step may take milliseconds.
    backtracks: bool,
}

/// `cordon_schema_limits_t`.
#[repr(C)]
pub struct Limits {
    steps: u64,
    stack_floor: usize,
    is_over: extern "C" fn(*mut c_void) -> bool,
    is_over_data: *mut c_void,
}

/// `cordon_schema_verdict_t`.
#[repr(u32)]
pub enum Verdict {
    Right,
    Wrong,
    GaveUp,
}

struct Nowhere;

impl Retrieve for Nowhere {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("{uri} is outside of this schema, and nothing is fetched").into())
    }
}

/// Compiles a schema; nothing where it is none, after its first mistake went to `sink`.
///
/// # Safety
/// `json` has `length` bytes; `sink` copies what it is given.
#[no_mangle]
pub unsafe extern "C" fn cordon_schema_new(
    json: *const u8,
    length: usize,
    sink: MistakeSink,
    sink_data: *mut c_void,
) -> Option<Box<Schema>> {
    let schema = match parse(std::slice::from_raw_parts(json, length)) {
        Ok(schema) => schema,
        Err(error) => {
            tell(sink, sink_data, "", &error.to_string());
            return None;
        }
    };
    match compile(&schema) {
        Ok(compiled) => Some(Box::new(compiled)),
        Err(error) => {
            tell(sink, sink_data, error.instance_path().as_str(), &error.to_string());
            None
        }
    }
}

/// With patterns that never backtrack, if that is possible.
fn compile(schema: &Value) -> Result<Schema, ValidationError<'_>> {
    let options = || jsonschema::options_for::<Values>().with_retriever(Nowhere);
    let linear = PatternOptions::regex().size_limit(MOST_PATTERN_BYTES);
    if let Ok(validator) = options().with_pattern_options(linear).build(schema) {
        return Ok(Schema { validator, backtracks: false });
    }
    let fancy = PatternOptions::fancy_regex().backtrack_limit(MOST_BACKTRACKS).size_limit(MOST_PATTERN_BYTES);
    let validator = options().with_pattern_options(fancy).build(schema)?;
    Ok(Schema { validator, backtracks: true })
}

#[no_mangle]
pub extern "C" fn cordon_schema_delete(_: Option<Box<Schema>>) {}

#[no_mangle]
pub extern "C" fn cordon_schema_backtracks(schema: &Schema) -> bool {
    schema.backtracks
}

/// Whether a value is as the schema wants it. Where it is not, `sink` gets at most `most` mistakes, and none where
/// they are not known. Any number of threads may ask the same schema.
///
/// # Safety
/// `value` is a node that `access` reads; it has no cycles, and `sink` copies what it is given.
#[no_mangle]
pub unsafe extern "C" fn cordon_schema_check(
    schema: &Schema,
    access: &Access,
    value: *const c_void,
    limits: &Limits,
    most: usize,
    sink: MistakeSink,
    sink_data: *mut c_void,
) -> Verdict {
    let is_over = || (limits.is_over)(limits.is_over_data);
    let meter = Meter::new(access, limits.steps, limits.stack_floor, &is_over, schema.backtracks);
    meter.run(|| {
        let root = ValueNode::root(value);
        let is_valid = schema.validator.is_valid(root);
        if meter.has_ended() {
            return Verdict::GaveUp;
        }
        if is_valid {
            return Verdict::Right;
        }
        if schema.backtracks {
            if !root.is_small(MOST_COPIED_NODES, MOST_COPIED_BYTES) {
                return Verdict::Wrong;
            }
            meter.give_whole_values();
        }
        meter.lower_to(MISTAKE_STEPS);
        let mistakes = schema.validator.iter_errors(root);
        // Those that were made after the end would not be there if it had gone on.
        let known = mistakes.filter(|error| !is_after_the_end(error.instance()));
        if schema.backtracks && meter.has_ended() {
            return Verdict::Wrong;
        }
        for error in known.take(most) {
            tell(sink, sink_data, error.instance_path().as_str(), &message(&error));
        }
        Verdict::Wrong
    })
}

/// Says what is wrong without the value, which may be large and is known to whoever sent it.
fn message(error: &ValidationError) -> String {
    error.masked_with("the value").to_string()
}

/// The caller bounds the nesting, so there is no need for serde's own bound of 128 levels.
fn parse(json: &[u8]) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    reader.disable_recursion_limit();
    let value = Value::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

fn tell(sink: MistakeSink, data: *mut c_void, place: &str, message: &str) {
    sink(data, place.as_ptr(), place.len(), message.as_ptr(), message.len());
}
