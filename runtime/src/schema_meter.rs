//! How much a check may take. It is counted in steps: nodes looked at, pieces of text, comparisons. Where they
//! are used up, or the stack is, or the caller says that its time is, there are no more children to look at: every loop over
//! them ends, and the check with it. Its outcome then says nothing; `Meter::has_ended` tells.

use std::cell::Cell;
use std::ptr;

use crate::schema_values::Access;

/// What one check may take.
pub struct Meter<'a> {
    pub access: &'a Access,
    stack_floor: usize,
    left: Cell<u64>,
    ask_below: Cell<u64>,
    ended: Cell<bool>,
    is_over: &'a dyn Fn() -> bool,
    asks_often: bool,
    whole_values: Cell<bool>,
}

/// So many steps are taken between two looks at the clock.
const STEPS_A_LOOK: u64 = 4096;

thread_local! {
    // Not in the nodes: names of members become nodes where nothing else is at hand.
    static METER: Cell<*const Meter<'static>> = const { Cell::new(ptr::null()) };
}

impl<'a> Meter<'a> {
    /// `asks_often`: a step may take long, since patterns may backtrack.
    pub fn new(
        access: &'a Access,
        steps: u64,
        stack_floor: usize,
        is_over: &'a dyn Fn() -> bool,
        asks_often: bool,
    ) -> Self {
        Meter {
            access,
            stack_floor,
            left: Cell::new(steps),
            ask_below: Cell::new(steps.saturating_sub(STEPS_A_LOOK)),
            ended: Cell::new(false),
            is_over,
            asks_often,
            whole_values: Cell::new(false),
        }
    }

    pub fn has_ended(&self) -> bool {
        self.ended.get()
    }

    /// No more than `steps` of what is left.
    pub fn lower_to(&self, steps: u64) {
        self.left.set(self.left.get().min(steps));
        self.ask_below.set(self.left.get().saturating_sub(STEPS_A_LOOK));
    }

    /// Errors get copies of what they are about, and not stand-ins.
    pub fn give_whole_values(&self) {
        self.whole_values.set(true);
    }

    pub fn gives_whole_values(&self) -> bool {
        self.whole_values.get()
    }

    /// A string is about to be looked at, perhaps by a pattern.
    pub fn note_string(&self) {
        if self.asks_often {
            self.ask();
        }
    }

    /// Runs `work` with this meter in force on this thread.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = METER.replace(ptr::from_ref(self).cast());
        let result = work();
        METER.set(before);
        result
    }

    /// Whether there were so many left.
    pub fn step(&self, cost: u64) -> bool {
        if self.ended.get() {
            return false;
        }
        let left = self.left.get();
        // A check recurses with the value and, within each of its levels, with the schema.
        let on_stack = 0_u8;
        let is_too_deep = (&raw const on_stack as usize) < self.stack_floor;
        if left <= cost || is_too_deep {
            self.ended.set(true);
            return false;
        }
        self.left.set(left - cost);
        if left - cost < self.ask_below.get() {
            self.ask();
        }
        !self.ended.get()
    }

    fn ask(&self) {
        self.ask_below.set(self.left.get().saturating_sub(STEPS_A_LOOK));
        if (self.is_over)() {
            self.ended.set(true);
        }
    }
}

pub fn meter<'a>() -> &'a Meter<'static> {
    // SAFETY: nodes are used by checks alone, and each runs within Meter::run on one thread.
    unsafe { &*METER.get() }
}
