//! `when`: lowered to the JSON form that the core evaluates.

use knotrust_core::{
    json::{Object, Value},
    number::Number,
    predicate,
};

use super::Resolver;
use crate::{
    located::{Located, Span},
    model::{self, Condition, Json, Literal, Many, Test},
    problem::{Code, Problem},
    resolved,
};

impl Resolver<'_> {
    pub(super) fn condition(
        &mut self,
        written: &Located<Condition>,
    ) -> Option<resolved::Condition> {
        let json = self.lower(written)?;
        match predicate::read(&json) {
            Ok(tree) => Some(resolved::Condition { json, tree }),
            Err(fault) => {
                self.push(
                    Problem::new(Code::BadCondition, fault.to_string())
                        .at(written.span, "in this condition"),
                );
                None
            }
        }
    }

    fn lower(&mut self, written: &Located<Condition>) -> Option<Value<'static>> {
        let condition = &written.value;
        let mut terms = Vec::new();
        for (pointer, test) in &condition.tests {
            let path = self.pointer_text(&pointer.value, pointer.span);
            terms.push(path.and_then(|path| self.test(&path, test)));
        }
        terms.extend(condition.all.iter().map(|condition| self.lower(condition)));
        if let Some(any) = &condition.any {
            terms.push(
                all(any.iter().map(|condition| self.lower(condition)).collect())
                    .map(|any| member("any", Value::Array(any))),
            );
        }
        if let Some(not) = &condition.not {
            terms.push(self.lower(not).map(|not| member("not", not)));
        }
        all(terms).and_then(conjunction)
    }

    /// The tests of one value, each a condition of its own.
    fn test(&mut self, pointer: &str, written: &Located<Test>) -> Option<Value<'static>> {
        let test = &written.value;
        self.contradictions(written);
        let at = |name: &str, operand: Value<'static>| member_of(pointer, name, operand);
        let mut terms = Vec::new();
        terms.extend(
            test.eq
                .as_ref()
                .map(|value| Some(at("eq", literal(&value.value)))),
        );
        terms.extend(
            test.ne
                .as_ref()
                .map(|value| Some(at("ne", literal(&value.value)))),
        );
        if let Some(values) = &test.one_of {
            let values = values.iter().map(|value| literal(&value.value)).collect();
            terms.push(Some(at("in", Value::Array(values))));
        }
        for (name, limit) in [
            ("lt", &test.lt),
            ("lte", &test.lte),
            ("gt", &test.gt),
            ("gte", &test.gte),
        ] {
            terms.extend(
                limit
                    .as_ref()
                    .map(|limit| Some(at(name, literal(&limit.value.0)))),
            );
        }
        if let Some(Many(patterns)) = &test.matches {
            let each = patterns.iter().map(|pattern| {
                self.text_pattern(pattern)
                    .map(|()| at("matches", text(&pattern.value.0)))
            });
            terms.push(all(each.collect()).and_then(disjunction));
        }
        if let Some(Many(folders)) = &test.under {
            let each = folders.iter().map(|folder| {
                self.visible(&folder.value.0, folder.span, "a folder")
                    .map(|()| at("under", text(&folder.value.0)))
            });
            terms.push(all(each.collect()).and_then(disjunction));
        }
        terms.extend(
            test.exists
                .as_ref()
                .map(|exists| Some(at("exists", Value::Bool(exists.value)))),
        );
        terms.extend(
            test.all
                .iter()
                .flatten()
                .map(|test| self.test(pointer, test)),
        );
        if let Some(any) = &test.any {
            terms.push(
                all(any.iter().map(|test| self.test(pointer, test)).collect())
                    .and_then(disjunction),
            );
        }
        if let Some(not) = &test.not {
            terms.push(self.test(pointer, not).map(|not| member("not", not)));
        }
        all(terms).and_then(conjunction)
    }

    /// Names a test that no value can pass.
    fn contradictions(&mut self, written: &Located<Test>) {
        let test = &written.value;
        let others = [
            test.eq.as_ref().map(|test| test.span),
            test.ne.as_ref().map(|test| test.span),
            test.lt.as_ref().or(test.lte.as_ref()).map(|test| test.span),
            test.gt.as_ref().or(test.gte.as_ref()).map(|test| test.span),
        ];
        let absent = test.exists.as_ref().filter(|exists| !exists.value);
        if let (Some(absent), Some(other)) = (absent, others.into_iter().flatten().next()) {
            self.never(
                other,
                "asks about a value",
                absent.span,
                "asks that there is none",
            );
        }
        let lowest = [
            test.gt.as_ref().map(|low| (low, true)),
            test.gte.as_ref().map(|low| (low, false)),
        ];
        let highest = [
            test.lt.as_ref().map(|high| (high, true)),
            test.lte.as_ref().map(|high| (high, false)),
        ];
        for (low, low_is_open) in lowest.into_iter().flatten() {
            for (high, high_is_open) in highest.into_iter().flatten() {
                let (Literal::Number(least), Literal::Number(most)) = (&low.value.0, &high.value.0)
                else {
                    continue;
                };
                let (Some(least), Some(most)) = (Number::read(least), Number::read(most)) else {
                    continue;
                };
                let order = least.cmp(&most);
                if order.is_gt() || (order.is_eq() && (low_is_open || high_is_open)) {
                    self.never(
                        high.span,
                        "no number is below this",
                        low.span,
                        "and above this",
                    );
                }
            }
        }
    }

    fn never(&mut self, span: Span, label: &str, other: Span, other_label: &str) {
        self.push(
            Problem::new(Code::NeverHolds, "no value can pass this test")
                .at(span, label)
                .at(other, other_label)
                .help("all tests of one value must hold; use `any` where one is enough"),
        );
    }

    /// A JSON object as it was written, numbers as they were spelled.
    pub(super) fn object(&mut self, written: &Located<model::JsonObject>) -> Value<'static> {
        Value::Object(members(&written.value.0))
    }
}

fn members(written: &[(String, Json)]) -> Object<'static> {
    written
        .iter()
        .map(|(name, value)| (name.clone().into(), json(value)))
        .collect()
}

fn json(value: &Json) -> Value<'static> {
    match value {
        Json::Literal(value) => literal(value),
        Json::Array(items) => Value::Array(items.iter().map(json).collect()),
        Json::Object(object) => Value::Object(members(object)),
    }
}

fn literal(value: &Literal) -> Value<'static> {
    match value {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Number(spelling) => {
            Number::read(spelling).map_or(Value::Null, |number| Value::Number(number.into_owned()))
        }
        Literal::Text(value) => text(value),
    }
}

fn text(text: &str) -> Value<'static> {
    Value::String(text.to_owned().into())
}

fn member(name: &str, value: Value<'static>) -> Value<'static> {
    Value::Object([(name.to_owned().into(), value)].into_iter().collect())
}

fn member_of(pointer: &str, name: &str, value: Value<'static>) -> Value<'static> {
    member(pointer, member(name, value))
}

/// Everything, or nothing if a part is missing.
fn all(terms: Vec<Option<Value<'static>>>) -> Option<Vec<Value<'static>>> {
    terms.into_iter().collect()
}

fn conjunction(terms: Vec<Value<'static>>) -> Option<Value<'static>> {
    combined("all", terms)
}

fn disjunction(terms: Vec<Value<'static>>) -> Option<Value<'static>> {
    combined("any", terms)
}

fn combined(word: &str, mut terms: Vec<Value<'static>>) -> Option<Value<'static>> {
    match terms.len() {
        0 => None,
        1 => terms.pop(),
        _ => Some(member(word, Value::Array(terms))),
    }
}
