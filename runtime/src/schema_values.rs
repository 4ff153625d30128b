//! The values of our C++ side as the JSON that crate `jsonschema` checks. They are read where they lie and
//! never copied, so a check takes no memory for each of their nodes, and a node that is shared costs nothing
//! for each place that leads to it.

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::ffi::c_void;
use std::hash::{BuildHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::ptr;

use jsonschema::json::{cmp, Json, JsonNumber, Node, NodeIdentity, Object};
use jsonschema::JsonType;
use serde_json::Value;

use crate::schema_meter::meter;
use crate::schema_number::Number;
use crate::schema_parts::{Elements, Members};

/// What a node is as JSON: `cordon_schema_kind_t`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // C makes most of them
pub enum RawKind {
    Null,
    False,
    True,
    Number,
    String,
    Date,
    Array,
    Bytes,
    Object,
    Indexed,
    Buffer,
    LeftOut,
}

/// `cordon_schema_node_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawNode {
    pub(crate) kind: RawKind,
    number: f64,
    pub(crate) size: usize,
    pub(crate) data: *const c_void,
    pub(crate) value: *const c_void,
    identity: *const c_void,
}

/// `cordon_schema_values_t`: how the other side's values are read.
#[repr(C)]
pub struct Access {
    look: unsafe extern "C" fn(*const c_void, *mut RawNode),
    member: unsafe extern "C" fn(*const c_void, *const u8, usize) -> *const c_void,
    pub(crate) element: unsafe extern "C" fn(*const c_void, usize) -> f64,
    date_text: unsafe extern "C" fn(f64, *mut u8) -> usize,
    pub(crate) node_bytes: usize,
}

const DATE_TEXT_BYTES: usize = 32;

/// Of a text that an error may tell.
const MOST_TOLD_BYTES: usize = 64;

/// An error about this is one that a check made when it had ended, and says nothing.
const AFTER_THE_END: &str = "\u{0}after the end";

pub fn is_after_the_end(instance: &Value) -> bool {
    instance.as_str() == Some(AFTER_THE_END)
}

pub struct Values;

impl Json for Values {
    type Node<'a> = ValueNode<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(_: &mut (), string: &str, f: impl FnOnce(ValueNode<'_>) -> T) -> T {
        f(ValueNode::text(string))
    }
}

#[derive(Clone, Copy)]
pub struct ValueNode<'a> {
    pub(crate) raw: RawNode,
    lives: PhantomData<&'a ()>,
}

const NOTHING: RawNode = RawNode {
    kind: RawKind::Null,
    number: 0.0,
    size: 0,
    data: ptr::null(),
    value: ptr::null(),
    identity: ptr::null(),
};

impl<'a> ValueNode<'a> {
    /// # Safety
    /// `value` is a node of the other side that lives for `'a`.
    pub unsafe fn root(value: *const c_void) -> Self {
        Self::unmetered(value).or_null()
    }

    /// What is left out of objects is null elsewhere.
    pub(crate) fn or_null(mut self) -> Self {
        if self.raw.kind == RawKind::LeftOut {
            self.raw.kind = RawKind::Null;
        }
        self
    }

    fn of(raw: RawNode) -> Self {
        ValueNode { raw, lives: PhantomData }
    }

    pub(crate) unsafe fn unmetered(value: *const c_void) -> Self {
        let mut raw = NOTHING;
        (meter().access.look)(value, &mut raw);
        Self::of(raw)
    }

    /// A part of another node; null once the check has ended.
    unsafe fn part(value: *const c_void) -> Self {
        if meter().step(1) { Self::unmetered(value) } else { Self::of(NOTHING) }
    }

    pub(crate) fn text(text: &'a str) -> Self {
        Self::of(RawNode { kind: RawKind::String, size: text.len(), data: text.as_ptr().cast(), ..NOTHING })
    }

    pub(crate) fn number(number: f64) -> Self {
        Self::of(RawNode { kind: RawKind::Number, number, ..NOTHING })
    }

    pub(crate) fn bytes_of_buffer(&self) -> Self {
        Self::of(RawNode { kind: RawKind::Bytes, size: self.raw.size, data: self.raw.data, ..NOTHING })
    }

    pub(crate) fn slice(&self) -> &'a [u8] {
        if self.raw.size == 0 {
            return &[];
        }
        // SAFETY: kinds of text and bytes have so many there, which live for 'a.
        unsafe { std::slice::from_raw_parts(self.raw.data.cast(), self.raw.size) }
    }

    fn string(&self) -> Option<Cow<'a, str>> {
        match self.raw.kind {
            RawKind::String => Some(text_of(self.slice())),
            RawKind::Date => {
                let mut buffer = [0_u8; DATE_TEXT_BYTES];
                // SAFETY: C writes no more than there is room for.
                let size = unsafe { (meter().access.date_text)(self.raw.number, buffer.as_mut_ptr()) };
                Some(Cow::Owned(String::from_utf8_lossy(&buffer[..size]).into_owned()))
            }
            _ => None,
        }
    }

    fn is_array(&self) -> bool {
        matches!(self.raw.kind, RawKind::Array | RawKind::Bytes)
    }

    fn is_object(&self) -> bool {
        matches!(self.raw.kind, RawKind::Object | RawKind::Indexed | RawKind::Buffer)
    }

    /// All of it, whatever the meter says: for values that are known to be small.
    fn whole(&self) -> Value {
        if self.is_array() {
            return Value::Array(Elements::unmetered(*self).map(|item| item.whole()).collect());
        }
        if self.is_object() {
            let members = Members::unmetered(*self);
            return Value::Object(members.map(|(name, value)| (name.into_owned(), value.whole())).collect());
        }
        self.scalar()
    }

    fn scalar(&self) -> Value {
        match self.raw.kind {
            RawKind::False => Value::Bool(false),
            RawKind::True => Value::Bool(true),
            RawKind::Number => Value::Number(Number(self.raw.number).to_number().into_owned()),
            RawKind::String | RawKind::Date => Value::String(self.string().unwrap_or_default().into_owned()),
            RawKind::Array | RawKind::Bytes => Value::Array(Vec::new()),
            RawKind::Object | RawKind::Indexed | RawKind::Buffer => Value::Object(serde_json::Map::new()),
            RawKind::Null | RawKind::LeftOut => Value::Null,
        }
    }

    /// Whether it has no more than so many nodes and bytes of text, shared ones counted each time.
    pub fn is_small(&self, nodes: usize, text_bytes: usize) -> bool {
        let (mut nodes, mut bytes) = (nodes, text_bytes);
        self.fits(&mut nodes, &mut bytes)
    }

    fn fits(&self, nodes: &mut usize, bytes: &mut usize) -> bool {
        let text = if self.raw.kind == RawKind::String { self.raw.size } else { 0 };
        if *nodes == 0 || *bytes < text {
            return false;
        }
        *nodes -= 1;
        *bytes -= text;
        if self.is_array() {
            return Elements::unmetered(*self).all(|item| item.fits(nodes, bytes));
        }
        !self.is_object()
            || Members::unmetered(*self).all(|(name, value)| {
                let is_short = *bytes >= name.len();
                *bytes = bytes.saturating_sub(name.len());
                is_short && value.fits(nodes, bytes)
            })
    }

    pub(crate) fn equals(&self, other: &Self) -> bool {
        if !meter().step(1) {
            return false;
        }
        if !self.raw.identity.is_null() && self.raw.identity == other.raw.identity {
            return true;
        }
        if self.is_array() && other.is_array() {
            return self.raw.size == other.raw.size
                && Elements::of(*self).zip(Elements::of(*other)).all(|(a, b)| a.equals(&b));
        }
        if self.is_object() && other.is_object() {
            return Object::len(self) == Object::len(other)
                && self.members().all(|(name, value)| other.find(&name).is_some_and(|same| value.equals(&same)));
        }
        match (self.string(), other.string()) {
            (Some(mine), Some(others)) => mine == others,
            (None, None) => self.raw.kind == other.raw.kind && self.raw.number == other.raw.number,
            _ => false,
        }
    }

    pub(crate) fn hash_into(&self, state: &mut impl Hasher, keys: &RandomState) {
        if !meter().step(1) {
            return;
        }
        if self.is_array() {
            state.write_u8(1);
            Elements::of(*self).for_each(|item| item.hash_into(state, keys));
        } else if self.is_object() {
            // In any order.
            let mut sum = 0_u64;
            for (name, value) in self.members() {
                let mut member = keys.build_hasher();
                name.hash(&mut member);
                value.hash_into(&mut member, keys);
                sum = sum.wrapping_add(member.finish());
            }
            state.write_u8(2);
            state.write_u64(sum);
        } else if let Some(text) = self.string() {
            text.hash(state);
        } else {
            state.write_u32(self.raw.kind as u32);
            state.write_u64((self.raw.number + 0.0).to_bits());
        }
    }

    pub(crate) fn find(&self, key: &str) -> Option<Self> {
        if !meter().step(1) {
            return None;
        }
        match self.raw.kind {
            RawKind::Object => {
                // SAFETY: `value` is a live node.
                let found = unsafe { (meter().access.member)(self.raw.value, key.as_ptr(), key.len()) };
                if found.is_null() {
                    return None;
                }
                // SAFETY: as above.
                let node = unsafe { Self::part(found) };
                (node.raw.kind != RawKind::LeftOut).then_some(node)
            }
            RawKind::Indexed => {
                let index: usize = key.parse().ok()?;
                let is_canonical = index < self.raw.size && index.to_string() == key;
                is_canonical.then(|| self.element(index))
            }
            RawKind::Buffer => match key {
                "type" => Some(Self::text("Buffer")),
                "data" => Some(self.bytes_of_buffer()),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn element(&self, index: usize) -> Self {
        // SAFETY: the index is within the array.
        Self::number(unsafe { (meter().access.element)(self.raw.value, index) })
    }
}

/// Text of the other side is UTF-8, except that lone surrogates may stand in it as three bytes.
pub(crate) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    if bytes.contains(&0xed) && bytes.windows(2).any(|pair| pair[0] == 0xed && pair[1] >= 0xa0) {
        return String::from_utf8_lossy(bytes);
    }
    // SAFETY: well-formed but for surrogates, of which there are none.
    unsafe { Cow::Borrowed(std::str::from_utf8_unchecked(bytes)) }
}

impl<'a> Node<'a, Values> for ValueNode<'a> {
    type Object = Self;
    type Array = Self;
    type Number = Number;

    fn as_object(&self) -> Option<Self> {
        self.is_object().then_some(*self)
    }

    fn as_array(&self) -> Option<Self> {
        self.is_array().then_some(*self)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        if !self.is_string() || !meter().step(1 + self.raw.size as u64 / 64) {
            return None;
        }
        meter().note_string();
        self.string()
    }

    fn as_number(&self) -> Option<Number> {
        (self.raw.kind == RawKind::Number).then_some(Number(self.raw.number))
    }

    fn as_boolean(&self) -> Option<bool> {
        match self.raw.kind {
            RawKind::True => Some(true),
            RawKind::False => Some(false),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self.raw.kind, RawKind::Null | RawKind::LeftOut)
    }

    fn is_number(&self) -> bool {
        self.raw.kind == RawKind::Number
    }

    fn is_string(&self) -> bool {
        matches!(self.raw.kind, RawKind::String | RawKind::Date)
    }

    fn json_type(&self) -> JsonType {
        match self.raw.kind {
            RawKind::Null | RawKind::LeftOut => JsonType::Null,
            RawKind::False | RawKind::True => JsonType::Boolean,
            RawKind::Number => JsonType::Number,
            RawKind::String | RawKind::Date => JsonType::String,
            RawKind::Array | RawKind::Bytes => JsonType::Array,
            RawKind::Object | RawKind::Indexed | RawKind::Buffer => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        if !meter().step(1) {
            return false;
        }
        match expected {
            Value::Null => self.is_null(),
            Value::Bool(boolean) => self.as_boolean() == Some(*boolean),
            Value::Number(number) => self.as_number().is_some_and(|mine| cmp::equal_numbers(&mine, number)),
            Value::String(text) => self.string().is_some_and(|mine| mine == text.as_str()),
            Value::Array(items) => {
                self.is_array()
                    && self.raw.size == items.len()
                    && Elements::of(*self).zip(items).all(|(mine, other)| mine.equals_value(other))
            }
            Value::Object(members) => {
                self.is_object()
                    && Object::len(self) == members.len()
                    && members
                        .iter()
                        .all(|(name, other)| self.find(name).is_some_and(|mine| mine.equals_value(other)))
            }
        }
    }

    /// For errors alone. Nobody reads it in ours, so a stand-in will do for all but small values.
    fn to_value(&self) -> Cow<'a, Value> {
        let meter = meter();
        if meter.gives_whole_values() {
            return Cow::Owned(self.whole());
        }
        if meter.has_ended() {
            return Cow::Owned(Value::String(AFTER_THE_END.to_owned()));
        }
        let is_long = self.raw.kind == RawKind::String && self.raw.size > MOST_TOLD_BYTES;
        Cow::Owned(if is_long { Value::String("…".to_owned()) } else { self.scalar() })
    }

    /// Never none, or a schema that leads to itself would recurse for ever. Those that lie nowhere share one:
    /// they have no parts, and so none is ever inside of another.
    fn identity(&self) -> Option<NodeIdentity> {
        let RawNode { identity, value, data, .. } = self.raw;
        let (address, tag) = match (identity.is_null(), value.is_null()) {
            (false, _) => (identity, 0),
            (true, false) => (value, 1),
            (true, true) => (data, 2),
        };
        Some(NodeIdentity::tagged(address as usize, tag))
    }
}
