//! From a tree whose shape was checked to the types of the model.
//!
//! Short forms are read here: one item where a list is meant, and a scalar where a structure is meant whose first member it is. Whether they
//! are allowed, the schema has said before.

use std::{fmt, str::FromStr};

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess,
        VariantAccess, Visitor,
        value::{BoolDeserializer, StrDeserializer, U32Deserializer},
    },
    forward_to_deserialize_any,
};

use crate::{
    located::{Located, Span},
    node::{Entry, Key, Kind, Mapping, Node, Scalar},
    read::Plain,
    source::FileId,
};

/// Reads a value out of a tree.
pub(crate) fn from_node<'de, T: Deserialize<'de>>(node: &'de Node) -> Result<T, Misread> {
    T::deserialize(Reader { node })
}

/// A tree that its schema admits and its type does not: the two contradict each other.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Misread {
    pub(crate) message: String,
    pub(crate) span: Option<Span>,
}

impl serde::de::Error for Misread {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            message: message.to_string(),
            span: None,
        }
    }
}

/// The names by which a type asks for more than serde knows of.
const LOCATED: &str = "$knotrust::Located";
const LITERAL: &str = "$knotrust::Literal";

struct Reader<'de> {
    node: &'de Node,
}

impl<'de> Reader<'de> {
    fn scalar(&self) -> Result<&'de Scalar, Misread> {
        self.node
            .scalar()
            .ok_or_else(|| self.misread("not a scalar"))
    }

    fn number<T: FromStr>(&self) -> Result<T, Misread> {
        let number = self.scalar()?.text.parse();
        number.map_err(|_| self.misread("not a number of this size"))
    }

    fn misread(&self, message: &str) -> Misread {
        Misread {
            message: message.to_owned(),
            span: Some(self.node.span),
        }
    }
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Misread;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match &self.node.kind {
            Kind::Scalar(_) => visitor.visit_newtype_struct(self),
            Kind::Sequence(_) => self.deserialize_seq(visitor),
            Kind::Mapping(_) => self.deserialize_map(visitor),
            Kind::Refused => Err(self.misread("a refused value")),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match Plain::of(&self.scalar()?.text) {
            Plain::True => visitor.visit_bool(true),
            Plain::False => visitor.visit_bool(false),
            Plain::Null | Plain::Integer | Plain::Decimal | Plain::Ambiguous(_) | Plain::Text => {
                Err(self.misread("neither true nor false"))
            }
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        visitor.visit_u32(self.number()?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        visitor.visit_borrowed_str(&self.scalar()?.text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match self.node.scalar() {
            Some(scalar) if scalar.plain && Plain::of(&scalar.text) == Plain::Null => {
                visitor.visit_none()
            }
            Some(_) | None => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misread> {
        if name == LOCATED {
            visitor.visit_seq(Place {
                span: self.node.span,
                node: Some(self.node),
                key: None,
                step: 0,
            })
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        match &self.node.kind {
            Kind::Sequence(items) => visitor.visit_seq(Items(items.iter())),
            Kind::Scalar(_) | Kind::Mapping(_) => {
                visitor.visit_seq(Items(std::slice::from_ref(self.node).iter()))
            }
            Kind::Refused => Err(self.misread("a refused value")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        let Kind::Mapping(Mapping { entries, .. }) = &self.node.kind else {
            return Err(self.misread("not a mapping"));
        };
        visitor.visit_map(Members {
            entries: entries.iter(),
            value: None,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        match (&self.node.kind, fields.first()) {
            (Kind::Scalar(_), Some(first)) => visitor.visit_map(Only {
                field: Some(first),
                node: self.node,
            }),
            (Kind::Scalar(_) | Kind::Sequence(_) | Kind::Mapping(_) | Kind::Refused, _) => {
                self.deserialize_map(visitor)
            }
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misread> {
        let scalar = self.scalar()?;
        let variant = if name == LITERAL {
            literal(scalar)
        } else {
            &*scalar.text
        };
        visitor.visit_enum(Variant {
            name: variant,
            node: self.node,
        })
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct ignored_any
    }
}

/// Which kind of JSON value a scalar is.
fn literal(scalar: &Scalar) -> &'static str {
    if !scalar.plain {
        return "text";
    }
    match Plain::of(&scalar.text) {
        Plain::Null => "null",
        Plain::True | Plain::False => "bool",
        Plain::Integer | Plain::Decimal => "number",
        Plain::Ambiguous(_) | Plain::Text => "text",
    }
}

struct Items<'de>(std::slice::Iter<'de, Node>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Misread;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misread> {
        self.0
            .next()
            .map(|node| seed.deserialize(Reader { node }))
            .transpose()
    }
}

struct Members<'de> {
    entries: std::slice::Iter<'de, Entry>,
    value: Option<&'de Node>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Misread;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misread> {
        let Some(entry) = self.entries.next() else {
            return Ok(None);
        };
        self.value = Some(&entry.value);
        seed.deserialize(KeyReader { key: &entry.key }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misread> {
        let node = self
            .value
            .take()
            .ok_or_else(|| Misread::custom("a value before its key"))?;
        seed.deserialize(Reader { node })
    }
}

/// A structure of which only the first member was written.
struct Only<'de> {
    field: Option<&'static str>,
    node: &'de Node,
}

impl<'de> MapAccess<'de> for Only<'de> {
    type Error = Misread;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misread> {
        let key = self
            .field
            .take()
            .map(|field| seed.deserialize(StrDeserializer::new(field)));
        key.transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misread> {
        seed.deserialize(Reader { node: self.node })
    }
}

struct KeyReader<'de> {
    key: &'de Key,
}

impl<'de> Deserializer<'de> for KeyReader<'de> {
    type Error = Misread;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misread> {
        visitor.visit_borrowed_str(&self.key.text)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misread> {
        if name == LOCATED {
            visitor.visit_seq(Place {
                span: self.key.span,
                node: None,
                key: Some(self.key),
                step: 0,
            })
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Variant<'de> {
    name: &'de str,
    node: &'de Node,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Misread;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Misread> {
        let name: StrDeserializer<'de, Misread> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Misread;

    fn unit_variant(self) -> Result<(), Misread> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Misread> {
        seed.deserialize(Reader { node: self.node })
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _length: usize,
        _visitor: V,
    ) -> Result<V::Value, Misread> {
        Err(Misread::custom("a variant that no text can name"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Misread> {
        Err(Misread::custom("a variant that no text can name"))
    }
}

/// The file, the first byte, the byte after the last, the value, and whether all of it is there: what [`Located`] is read from.
struct Place<'de> {
    span: Span,
    node: Option<&'de Node>,
    key: Option<&'de Key>,
    step: u8,
}

impl<'de> SeqAccess<'de> for Place<'de> {
    type Error = Misread;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misread> {
        self.step += 1;
        let number = match (self.step, self.node, self.key) {
            (1, _, _) => self.span.file.number(),
            (2, _, _) => self.span.start,
            (3, _, _) => self.span.end,
            (4, Some(node), _) => return seed.deserialize(Reader { node }).map(Some),
            (4, None, Some(key)) => return seed.deserialize(KeyReader { key }).map(Some),
            (5, node, _) => {
                let whole = node
                    .and_then(Node::mapping)
                    .is_none_or(|mapping| mapping.whole);
                return seed.deserialize(BoolDeserializer::new(whole)).map(Some);
            }
            _ => return Ok(None),
        };
        seed.deserialize(U32Deserializer::new(number)).map(Some)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(LOCATED, LocatedVisitor(std::marker::PhantomData))
    }
}

struct LocatedVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for LocatedVisitor<T> {
    type Value = Located<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value and its place")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Located<T>, A::Error> {
        let missing = || A::Error::custom("a place without a value");
        let file = FileId::from_number(parts.next_element()?.ok_or_else(missing)?);
        let start = parts.next_element()?.ok_or_else(missing)?;
        let end = parts.next_element()?.ok_or_else(missing)?;
        let value = parts.next_element()?.ok_or_else(missing)?;
        let whole = parts.next_element()?.ok_or_else(missing)?;
        Ok(Located {
            value,
            span: Span { file, start, end },
            whole,
        })
    }
}
