//! JSON Schema (draft 2020-12 unless a schema names another) for C: crate `jsonschema`, with nothing
//! that reaches the network or a file.

use std::ffi::c_void;

use jsonschema::{PatternOptions, Retrieve, Uri, ValidationError, Validator};
use serde::Deserialize;
use serde_json::Value;

/// Takes the place of a mistake, as a JSON pointer, and what is wrong there. Called for each mistake.
type MistakeSink = extern "C" fn(*mut c_void, *const u8, usize, *const u8, usize);

/// What a pattern with look-around or back references may try before it counts as a failure. Other
/// patterns take time that is linear in the text.
const MOST_BACKTRACKS: usize = 100_000;
const MOST_PATTERN_BYTES: usize = 1 << 20;

/// Opaque to C.
pub struct Schema(Validator);

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
    let patterns = PatternOptions::fancy_regex().backtrack_limit(MOST_BACKTRACKS).size_limit(MOST_PATTERN_BYTES);
    match jsonschema::options().with_retriever(Nowhere).with_pattern_options(patterns).build(&schema) {
        Ok(validator) => Some(Box::new(Schema(validator))),
        Err(error) => {
            tell(sink, sink_data, error.instance_path().as_str(), &error.to_string());
            None
        }
    }
}

#[no_mangle]
pub extern "C" fn cordon_schema_delete(_: Option<Box<Schema>>) {}

/// Whether a JSON text is as the schema wants it. Where it is not, `sink` gets at most `most` mistakes.
/// Any number of threads may ask the same schema.
///
/// # Safety
/// `json` has `length` bytes; `sink` copies what it is given.
#[no_mangle]
pub unsafe extern "C" fn cordon_schema_check(
    schema: &Schema,
    json: *const u8,
    length: usize,
    most: usize,
    sink: MistakeSink,
    sink_data: *mut c_void,
) -> bool {
    let value = match parse(std::slice::from_raw_parts(json, length)) {
        Ok(value) => value,
        Err(error) => {
            tell(sink, sink_data, "", &error.to_string());
            return false;
        }
    };
    if schema.0.is_valid(&value) {
        return true;
    }
    for error in schema.0.iter_errors(&value).take(most) {
        tell(sink, sink_data, error.instance_path().as_str(), &message(&error));
    }
    false
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
