//! Values and messages of D-Bus, as far as a keychain needs them (D-Bus specification, "Message Protocol").
//!
//! Little-endian, since that is what everything speaks that this runs on; a message of another kind is refused.

/// What is written, padded as it must be.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

/// What is read. Every step says whether there was what was looked for.
#[derive(Debug)]
pub(super) struct Reader<'m> {
    bytes: &'m [u8],
    at: usize,
}

/// A call of a method.
#[derive(Debug)]
pub(super) struct Call<'c> {
    pub(super) destination: &'c str,
    pub(super) path: &'c str,
    pub(super) interface: &'c str,
    pub(super) method: &'c str,
    /// The types of the arguments.
    pub(super) signature: &'c str,
    pub(super) arguments: Writer,
}

/// A message that came.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Message {
    pub(super) kind: u8,
    /// The serial of the call that it answers.
    pub(super) answers: Option<u32>,
    pub(super) body: Vec<u8>,
}

/// The kind of a message that answers with values.
pub(super) const RETURN: u8 = 2;
/// The length of the part of a message that says how long the rest is.
pub(super) const PREFIX: usize = 16;
/// More than any answer of a keychain.
const LONGEST: usize = 1 << 20;
const CALL: u8 = 1;
/// Who is not running is not to be started: that may take long, or ask somebody something.
const NO_AUTO_START: u8 = 2;

impl Writer {
    pub(super) fn pad(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn number(&mut self, number: u32) {
        self.pad(4);
        self.bytes.extend(number.to_le_bytes());
    }

    /// Text, or the path of an object.
    pub(super) fn text(&mut self, text: &str) {
        self.blob(text.as_bytes());
        self.byte(0);
    }

    /// Bytes, as an array.
    pub(super) fn blob(&mut self, bytes: &[u8]) {
        self.number(u32::try_from(bytes.len()).unwrap_or_default());
        self.bytes.extend(bytes);
    }

    pub(super) fn signature(&mut self, signature: &str) {
        self.byte(u8::try_from(signature.len()).unwrap_or_default());
        self.bytes.extend(signature.as_bytes());
        self.byte(0);
    }

    /// An array of what begins at multiples of eight.
    pub(super) fn array(&mut self, items: impl FnOnce(&mut Self)) {
        self.number(0);
        let length_at = self.bytes.len() - 4;
        self.pad(8);
        let start = self.bytes.len();
        items(self);
        let length = u32::try_from(self.bytes.len() - start).unwrap_or_default();
        if let Some(place) = self.bytes.get_mut(length_at..length_at + 4) {
            place.copy_from_slice(&length.to_le_bytes());
        }
    }

    /// Names and texts (`a{ss}`).
    pub(super) fn texts(&mut self, texts: &[(&str, &str)]) {
        self.array(|writer| {
            for (name, text) in texts {
                writer.pad(8);
                writer.text(name);
                writer.text(text);
            }
        });
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl<'m> Reader<'m> {
    pub(super) const fn of(bytes: &'m [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'m [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    pub(super) fn pad(&mut self, to: usize) -> Option<()> {
        let padding = self.at.next_multiple_of(to) - self.at;
        self.take(padding).map(drop)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub(super) fn number(&mut self) -> Option<u32> {
        self.pad(4)?;
        Some(u32::from_le_bytes(*self.take(4)?.first_chunk()?))
    }

    pub(super) fn blob(&mut self) -> Option<&'m [u8]> {
        let length = self.number()?;
        self.take(usize::try_from(length).ok()?)
    }

    pub(super) fn text(&mut self) -> Option<&'m str> {
        let text = str::from_utf8(self.blob()?).ok()?;
        self.byte()?;
        Some(text)
    }

    pub(super) fn signature(&mut self) -> Option<&'m str> {
        let length = self.byte()?;
        let signature = str::from_utf8(self.take(usize::from(length))?).ok()?;
        self.byte()?;
        Some(signature)
    }

    /// The paths of objects (`ao`).
    pub(super) fn paths(&mut self) -> Option<Vec<&'m str>> {
        let length = usize::try_from(self.number()?).ok()?;
        let end = self.at.checked_add(length)?;
        let mut paths = Vec::new();
        while self.at < end {
            paths.push(self.text()?);
        }
        Some(paths)
    }
}

impl Call<'_> {
    /// The message, and nothing after it.
    pub(super) fn into_bytes(self, serial: u32) -> Vec<u8> {
        let body = self.arguments.bytes();
        let mut writer = Writer::default();
        for byte in [b'l', CALL, NO_AUTO_START, 1] {
            writer.byte(byte);
        }
        writer.number(u32::try_from(body.len()).unwrap_or_default());
        writer.number(serial);
        writer.array(|fields| {
            for (code, kind, value) in [
                (1, "o", self.path),
                (2, "s", self.interface),
                (3, "s", self.method),
                (6, "s", self.destination),
            ] {
                fields.pad(8);
                fields.byte(code);
                fields.signature(kind);
                fields.text(value);
            }
            if !self.signature.is_empty() {
                fields.pad(8);
                fields.byte(8);
                fields.signature("g");
                fields.signature(self.signature);
            }
        });
        writer.pad(8);
        let mut bytes = writer.bytes();
        bytes.extend(body);
        bytes
    }
}

impl Message {
    /// How many bytes follow the prefix, or `None` if that is the beginning of no message of ours.
    pub(super) fn rest(prefix: &[u8; PREFIX]) -> Option<usize> {
        let mut reader = Reader::of(prefix);
        if reader.byte()? != b'l' {
            return None;
        }
        reader.take(3)?;
        let body = usize::try_from(reader.number()?).ok()?;
        reader.take(4)?;
        let fields = usize::try_from(reader.number()?).ok()?;
        let rest = fields.checked_next_multiple_of(8)?.checked_add(body)?;
        (rest <= LONGEST).then_some(rest)
    }

    /// Reads a whole message.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::of(bytes);
        reader.byte()?;
        let kind = reader.byte()?;
        reader.take(2)?;
        let body = usize::try_from(reader.number()?).ok()?;
        reader.number()?;
        let end = usize::try_from(reader.number()?)
            .ok()?
            .checked_add(PREFIX)?;
        let mut answers = None;
        while reader.at < end {
            reader.pad(8)?;
            let code = reader.byte()?;
            match reader.signature()? {
                "u" => {
                    let number = reader.number()?;
                    if code == 5 {
                        answers = Some(number);
                    }
                }
                "s" | "o" => drop(reader.text()?),
                "g" => drop(reader.signature()?),
                _ => return None,
            }
        }
        reader.pad(8)?;
        Some(Self {
            kind,
            answers,
            body: reader.take(body)?.to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_call_is_what_the_specification_says() {
        let mut arguments = Writer::default();
        arguments.texts(&[("a", "bc")]);
        let call = Call {
            destination: "d",
            path: "/",
            interface: "i",
            method: "m",
            signature: "a{ss}",
            arguments,
        };
        let bytes = call.into_bytes(7);
        let prefix = bytes.first_chunk().unwrap();
        assert_eq!(Message::rest(prefix), Some(bytes.len() - PREFIX));
        let message = Message::read(&bytes).unwrap();
        assert_eq!((message.kind, message.answers), (CALL, None));
        // The length of the array, padding to eight, then `a` and `bc`, each with its length before and a zero after it.
        let body = b"\x0f\0\0\0\0\0\0\0\x01\0\0\0a\0\0\0\x02\0\0\0bc\0";
        assert_eq!(message.body, body);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_fall_over(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(prefix) = bytes.first_chunk() {
                Message::rest(prefix);
            }
            Message::read(&bytes);
            Reader::of(&bytes).paths();
        }
    }
}
