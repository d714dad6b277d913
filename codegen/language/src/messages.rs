//! What knotrust writes for other programs to read: the shapes that stand in `schemas/` beside those of the language.
//!
//! Nothing is read or written through these types, since what decides builds no trees it does not need. They say what the shapes
//! are, a test holds values that the real program wrote against the schemas made from them, and words come from the core itself.

mod decision;
mod denial;
mod event;
mod explanation;
mod grant;
mod request;
mod ticket;

use std::borrow::Cow;
use std::collections::BTreeMap;

use knotrust_core::audit::event::Kind;
use knotrust_core::precedence::{Layer, Outcome};
use knotrust_core::reason::Reason;
use knotrust_core::tier::Tier;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

pub use decision::Decision;
pub use denial::Denial;
pub use event::Event;
pub use explanation::Explanation;
pub use grant::Grant;
pub use request::DecisionRequest;
pub use ticket::Ticket;

/// An object with any members.
pub type Open = BTreeMap<String, Value>;

/// Declares words that the core defines, so that no list of them can be out of date.
macro_rules! words {
    ($($(#[doc = $about:literal])+ $name:ident = $words:expr;)*) => {$(
        $(#[doc = $about])+
        #[derive(Debug)]
        pub struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let words: Vec<&str> = $words.into_iter().collect();
                json_schema!({ "type": "string", "description": concat!($($about),+).trim(), "enum": words })
            }
        }
    )*};
}

words! {
    /// How much harm a call could do.
    TierWord = Tier::ALL.iter().map(|tier| tier.as_str());
    /// What becomes of a call.
    OutcomeWord = Outcome::ALL.iter().map(|outcome| outcome.as_str());
    /// What becomes of a call that is not made.
    RefusalWord = Outcome::ALL.iter().filter(|outcome| **outcome != Outcome::Allow).map(|outcome| outcome.as_str());
    /// The layer that decided.
    LayerWord = Layer::ALL.iter().map(|layer| layer.as_str());
    /// Why, in the codes that only people read.
    ReasonWord = Reason::ALL.iter().map(|reason| reason.code());
    /// What an event tells of.
    EventWord = Kind::ALL.iter().map(|kind| kind.as_str());
}

/// A text of one form.
macro_rules! forms {
    ($($(#[doc = $about:literal])+ $name:ident { $($key:literal: $value:literal),+ })*) => {$(
        $(#[doc = $about])+
        #[derive(Debug)]
        pub struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "description": concat!($($about),+).trim(), $($key: $value),+ })
            }
        }
    )*};
}

forms! {
    /// A moment, as RFC 3339 has it, with an offset.
    Moment { "format": "date-time" }
    /// `sha256:` and 64 hexadecimal digits.
    Sha256 { "pattern": "^sha256:[0-9a-f]{64}$" }
    /// 64 hexadecimal digits.
    Link { "pattern": "^[0-9a-f]{64}$" }
    /// Bytes, in base64url without padding.
    Bytes { "pattern": "^[A-Za-z0-9_-]*$" }
    /// The id of an approval.
    ApprovalId { "pattern": "^apr_[A-Za-z0-9]{1,64}$" }
}

/// The version of a contract or form, which is one constant.
macro_rules! constants {
    ($($(#[doc = $about:literal])+ $name:ident = $value:literal;)*) => {$(
        $(#[doc = $about])+
        #[derive(Debug)]
        pub struct $name;

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "const": $value })
            }
        }
    )*};
}

constants! {
    /// The contract of requests and decisions.
    Contract = "1.0";
    /// The first version of a form.
    One = 1;
    /// Always `false`.
    False = false;
}

/// A value that is always there and may be `null`.
#[derive(Debug)]
pub struct OrNull<T>(pub T);

impl<T: JsonSchema> JsonSchema for OrNull<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}OrNull", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [generator.subschema_for::<T>(), { "const": null }] })
    }
}
