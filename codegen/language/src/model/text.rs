//! Texts with a meaning of their own.

use schemars::{JsonSchema, Schema, json_schema};
use serde::Deserialize;
use serde_json::Value;

/// Declares texts that are told apart by type, so that none can stand where another is meant.
macro_rules! texts {
    ($($(#[doc = $about:literal])+ $name:ident $title:literal [$($example:literal),*] $pattern:literal;)*) => {$(
        $(#[doc = $about])+
        #[derive(Clone, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd)]
        #[serde(transparent)]
        #[schemars(title = $title, $(example = $example,)* extend("pattern" = $pattern))]
        pub struct $name(pub String);

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
    )*};
}

texts! {
    /// A glob over `server.tool`: `*` stands for any characters, `?` for one, `[abc]` for one of them, `{a,b}` for either; a backslash takes a
    /// character's meaning away. Case matters.
    Pattern "a pattern" ["github.list_*"] "^[\\x21-\\x7e]+$";

    /// A path pattern. With `/` at its end it is a folder and all below; otherwise a glob in which `*` stops at `/` and `**` does not.
    PathPattern "a path pattern" ["docs/"] "^.+$";

    /// A path in the file system, seen from the file that names it.
    PathText "a path" ["packs/github.yaml"] "^.+$";

    /// An `http` or `https` URL.
    Url "a URL" ["https://docs.example.com/"] "^https?://.+$";

    /// A length of time: a whole number and a unit, `s`, `m`, `h` or `d`.
    Duration "a duration with a unit" ["30s", "15m", "72h"] "^([1-9][0-9]*[smhd])+$";

    /// A JSON Pointer into the arguments of a call (RFC 6901).
    Pointer "a JSON Pointer" ["/amount"] "^(/([^~/]|~[01])*)*$";

    /// A name: letters, digits, `_`, `-` and `.`.
    Identifier "a name" ["account-owner"] "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$";

    /// A digest of bytes.
    Digest "a SHA-256 digest" ["sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"] "^sha256:[0-9a-f]{64}$";

    /// Bytes, in base64url without padding.
    KeyText "base64url" [] "^[A-Za-z0-9_-]+$";

    /// Words for people.
    Sentence "text" [] "^[^\\x00-\\x1f]+$";
}

/// An exact decimal, as written.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(transparent)]
pub struct Decimal(pub crate::model::Literal);

impl JsonSchema for Decimal {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Decimal".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "title": "a number", "description": "An exact decimal: it is never rounded." })
    }
}

/// Turns the schema of a structure into that of the structure or of its first member alone, a path.
pub(super) fn or_path(schema: &mut Schema) {
    let short = json_schema!({ "type": "string", "title": "a path", "minLength": 1 });
    or_short(schema, &short);
}

pub(super) fn or_short(schema: &mut Schema, short: &Schema) {
    let mut whole = schema.clone();
    let description = whole.remove("description");
    *schema = json_schema!({ "anyOf": [short, whole] });
    if let Some(description) = description {
        schema.insert("description".to_owned(), description);
    }
}

/// Says that a list may not be empty.
pub(super) fn at_least_one(schema: &mut Schema) {
    schema.insert("minItems".to_owned(), Value::from(1));
}
