//! A number of the C++ side, as JSON.stringify would write it.

use std::borrow::Cow;

use jsonschema::json::JsonNumber;

/// Always finite: others are null in JSON.
#[derive(Clone, Copy)]
pub struct Number(pub f64);

impl JsonNumber for Number {
    fn as_u64(&self) -> Option<u64> {
        let fits = self.is_integer() && self.0 >= 0.0 && self.0 < 18_446_744_073_709_551_616.0;
        fits.then_some(self.0 as u64)
    }

    fn as_i64(&self) -> Option<i64> {
        let fits = self.is_integer() && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&self.0);
        fits.then_some(self.0 as i64)
    }

    fn as_f64(&self) -> Option<f64> {
        Some(self.0)
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(self.to_number().to_string())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        let number = match (self.as_u64(), self.as_i64()) {
            (Some(number), _) => number.into(),
            (_, Some(number)) => number.into(),
            _ => serde_json::Number::from_f64(self.0).unwrap_or_else(|| 0.into()),
        };
        Cow::Owned(number)
    }

    fn is_integer(&self) -> bool {
        self.0.fract() == 0.0
    }

    /// JSON.stringify writes an exponent from there on.
    fn is_written_as_integer(&self) -> bool {
        self.is_integer() && self.0.abs() < 1e21
    }
}
