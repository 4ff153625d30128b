//! The parts of a value: an object's members and an array's elements, each of which costs a step of the meter.

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use jsonschema::json::{Array, Object};

use crate::schema_meter::meter;
use crate::schema_values::{text_of, RawKind, ValueNode, Values};

impl<'a> Object<'a, Values> for ValueNode<'a> {
    type Node = Self;
    type MemberName = Cow<'a, str>;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        match self.raw.kind {
            // Those that are left out do not count.
            RawKind::Object => self.members().count(),
            RawKind::Indexed => self.raw.size,
            RawKind::Buffer => 2,
            _ => 0,
        }
    }

    fn get(&self, key: &String) -> Option<Self> {
        self.find(key)
    }

    fn members(&self) -> Members<'a> {
        Members { node: *self, next: 0, is_metered: true }
    }
}

pub struct Members<'a> {
    node: ValueNode<'a>,
    next: usize,
    is_metered: bool,
}

impl<'a> Members<'a> {
    pub(crate) fn unmetered(node: ValueNode<'a>) -> Self {
        Members { node, next: 0, is_metered: false }
    }

    /// The next pair of an object that is one on the other side too.
    fn pair(&mut self) -> Option<(Cow<'a, str>, ValueNode<'a>)> {
        let bytes = meter().access.node_bytes;
        while self.next < self.node.raw.size {
            // SAFETY: so many pairs of nodes lie there.
            let (name, value) = unsafe {
                let at = self.node.raw.data.cast::<u8>().add(2 * bytes * self.next);
                (ValueNode::unmetered(at.cast()), ValueNode::unmetered(at.add(bytes).cast()))
            };
            self.next += 1;
            if value.raw.kind != RawKind::LeftOut {
                return Some((text_of(name.slice()), value));
            }
        }
        None
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, ValueNode<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_metered && !meter().step(1) {
            return None;
        }
        let index = self.next;
        match self.node.raw.kind {
            RawKind::Object => self.pair(),
            RawKind::Indexed => {
                self.next += 1;
                (index < self.node.raw.size).then(|| (Cow::Owned(index.to_string()), self.node.element(index)))
            }
            RawKind::Buffer => {
                self.next += 1;
                match index {
                    0 => Some((Cow::Borrowed("type"), ValueNode::text("Buffer"))),
                    1 => Some((Cow::Borrowed("data"), self.node.bytes_of_buffer())),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

// Arrays this small are compared by pairs.
const FEW_ELEMENTS: usize = 8;

impl<'a> Array<'a, Values> for ValueNode<'a> {
    type Node = Self;
    type ElementsIter = Elements<'a>;

    fn len(&self) -> usize {
        self.raw.size
    }

    fn elements(&self) -> Elements<'a> {
        Elements::of(*self)
    }

    fn is_unique(&self) -> bool {
        let items = || Elements::of(*self);
        if self.raw.size <= FEW_ELEMENTS {
            return items().enumerate().all(|(i, a)| items().take(i).all(|b| !a.equals(&b)));
        }
        // Keyed anew, so that nobody can make many of one hash.
        let keys = RandomState::new();
        let mut hashed: Vec<(u64, ValueNode<'a>)> = items()
            .map(|item| {
                let mut state = keys.build_hasher();
                item.hash_into(&mut state, &keys);
                (state.finish(), item)
            })
            .collect();
        hashed.sort_unstable_by_key(|(hash, _)| *hash);
        hashed.chunk_by(|(a, _), (b, _)| a == b).all(|same| {
            same.iter().enumerate().all(|(i, (_, a))| same[..i].iter().all(|(_, b)| !a.equals(b)))
        })
    }
}

pub struct Elements<'a> {
    node: ValueNode<'a>,
    next: usize,
    is_metered: bool,
}

impl<'a> Elements<'a> {
    pub(crate) fn of(node: ValueNode<'a>) -> Self {
        Elements { node, next: 0, is_metered: true }
    }

    pub(crate) fn unmetered(node: ValueNode<'a>) -> Self {
        Elements { node, next: 0, is_metered: false }
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = ValueNode<'a>;

    fn next(&mut self) -> Option<ValueNode<'a>> {
        if self.next >= self.node.raw.size || (self.is_metered && !meter().step(1)) {
            return None;
        }
        let index = self.next;
        self.next += 1;
        if self.node.raw.kind == RawKind::Bytes {
            return Some(ValueNode::number(f64::from(self.node.slice()[index])));
        }
        // SAFETY: so many nodes lie there.
        let item = unsafe {
            ValueNode::unmetered(self.node.raw.data.cast::<u8>().add(meter().access.node_bytes * index).cast())
        };
        Some(item.or_null())
    }
}
