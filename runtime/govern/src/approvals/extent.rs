//! How much there is to see.

use knotrust_core::json::Value;

/// How much there is in some arguments.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Extent {
    /// Strings, numbers, truth values and nulls, at any depth.
    pub values: usize,
    /// Characters of the strings and digits of the numbers.
    pub characters: usize,
}

impl Extent {
    /// How much there is in a value.
    #[must_use]
    pub fn of(value: &Value<'_>) -> Self {
        let mut extent = Self::default();
        extent.add(value);
        extent
    }

    fn add(&mut self, value: &Value<'_>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(object) => object.iter().for_each(|(_, member)| self.add(member)),
            Value::Null | Value::Bool(_) => self.values += 1,
            Value::Number(number) => {
                self.values += 1;
                self.characters += number.as_str().len();
            }
            Value::String(text) => {
                self.values += 1;
                self.characters += text.chars().count();
            }
        }
    }

    /// In words: `3 values, 39 characters`.
    #[must_use]
    pub fn words(self) -> String {
        let counted = |count, what| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        format!(
            "{}, {}",
            counted(self.values, "value"),
            counted(self.characters, "character")
        )
    }
}
