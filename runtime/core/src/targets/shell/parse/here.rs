//! Here-documents: texts that begin on the line after the one that asks for them.

use super::super::tree::{Unit, Word};
use super::{Parser, Unparsable};

/// A here-document that was asked for.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    delimiter: String,
    /// Whether the delimiter was quoted, so that nothing in the text is expanded.
    quoted: bool,
    /// Whether tabs at the front of lines are left out.
    indented: bool,
    /// Which of the texts it is.
    index: usize,
}

impl Parser<'_> {
    /// Reads the delimiter after `<<`, and returns the number that the text will have.
    pub(super) fn here(&mut self, indented: bool) -> Result<usize, Unparsable> {
        let start = self.at;
        let word = self.word()?.ok_or(Unparsable)?;
        let spelled = self.text.get(start..self.at).unwrap_or("");
        let index = self.texts.len();
        self.pending.push(Pending {
            delimiter: word.literal().ok_or(Unparsable)?,
            quoted: spelled.contains(['\'', '"', '\\']),
            indented,
            index,
        });
        self.texts.push(Word::default());
        Ok(index)
    }

    /// Takes a newline, and the here-documents that begin after it.
    pub(super) fn newline(&mut self) -> Result<(), Unparsable> {
        self.at += 1;
        for here in std::mem::take(&mut self.pending) {
            let word = self.here_text(&here)?;
            if let Some(text) = self.texts.get_mut(here.index) {
                *text = word;
            }
        }
        Ok(())
    }

    fn here_text(&mut self, here: &Pending) -> Result<Word, Unparsable> {
        let mut text = String::new();
        loop {
            if self.rest().is_empty() {
                return Err(Unparsable);
            }
            let line = self.rest().split('\n').next().unwrap_or("");
            self.at += line.len() + 1;
            self.at = self.at.min(self.text.len());
            let line = if here.indented {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if line.trim_end_matches('\r') == here.delimiter {
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        if here.quoted {
            return Ok(Word {
                plain: None,
                units: text.chars().map(Unit::Quoted).collect(),
                inner: Vec::new(),
            });
        }
        self.nested(&text, |parser| parser.text_word())
    }
}
