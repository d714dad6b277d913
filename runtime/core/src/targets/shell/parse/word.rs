//! Words: quotes, expansions, and the commands in them.

use std::rc::Rc;

use super::super::super::target::Why;
use super::super::tree::{Script, Unit, Word};
use super::{Parser, Unparsable, is_delimiter};

impl Parser<'_> {
    /// Reads a word, if one begins here.
    pub(super) fn word(&mut self) -> Result<Option<Word>, Unparsable> {
        if let Some(plain) = self.plain_word() {
            return Ok(Some(plain));
        }
        let mut word = Word {
            units: Vec::with_capacity(16),
            ..Word::default()
        };
        while let Some(c) = self.peek() {
            if matches!(c, '<' | '>') && self.byte(1) == Some(b'(') {
                self.at += 2;
                word.inner.push(self.within()?);
                word.units.push(Unit::Process);
                continue;
            }
            let after_sign = matches!(
                word.units.last(),
                Some(Unit::Bare('@' | '!' | '?' | '*' | '+'))
            );
            if c == '(' && after_sign {
                self.group(&mut word)?;
                continue;
            }
            if is_delimiter(c) {
                break;
            }
            self.part(c, &mut word)?;
        }
        Ok((!word.units.is_empty()).then_some(word))
    }

    /// Reads a word in which nothing is special, as most are: bare, or quoted as a whole.
    fn plain_word(&mut self) -> Option<Word> {
        let first = self.peek()?;
        let rest = self.rest();
        let (text, length) = match first {
            '\'' | '"' => {
                let (text, _) = rest.get(1..)?.split_once(first)?;
                let is_literal = first == '\'' || !text.contains(['$', '`', '\\']);
                (is_literal.then_some(text)?, text.len() + 2)
            }
            '{' if rest.starts_with("{}") => ("{}", 2),
            _ => {
                let is_option = first == '-';
                let plain = |byte: &u8| is_plain(*byte) || (is_option && *byte == b'=');
                let length = rest.bytes().take_while(plain).count();
                (rest.get(..length)?, length)
            }
        };
        let next = self.byte(length);
        let ends = next.is_none_or(|byte| is_delimiter(char::from(byte)) && byte != b'(');
        let streams = matches!(next, Some(b'<' | b'>')) && self.byte(length + 1) == Some(b'(');
        if length == 0 || !ends || streams {
            return None;
        }
        self.at += length;
        Some(Word {
            plain: Some(Rc::from(text)),
            ..Word::default()
        })
    }

    /// Reads a regular expression, in which only blanks end the word.
    pub(super) fn regex(&mut self) -> Result<Word, Unparsable> {
        let mut word = Word::default();
        self.skip_blanks();
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' => break,
                '(' | ')' | '|' | '<' | '>' | '&' | ';' => {
                    self.take();
                    word.units.push(Unit::Quoted(c));
                }
                c => self.part(c, &mut word)?,
            }
        }
        Ok(word)
    }

    /// Reads the rest of the text as if it stood in double quotes, in which double quotes are themselves.
    pub(super) fn text_word(&mut self) -> Result<Word, Unparsable> {
        let mut word = Word::default();
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.take();
                    word.units.push(Unit::Quoted(c));
                }
                c => self.quoted_part(c, &mut word)?,
            }
        }
        Ok(word)
    }

    /// Reads `((…))`, if that stands here and is an expression rather than a subshell in a subshell.
    ///
    /// As a command of its own it may be the latter in shells that know no such command, so that a path in it counts.
    pub(super) fn arithmetic_here(&mut self, command: bool) -> Result<Option<Word>, Unparsable> {
        if !self.rest().starts_with("((") {
            return Ok(None);
        }
        // Each failure reads what follows once more, and they may stand within each other.
        self.failures = self.failures.checked_sub(1).ok_or(Unparsable)?;
        let (start, texts, pending) = (self.at, self.texts.len(), self.pending.len());
        self.at += 2;
        let word = self.arithmetic("))");
        let text = self.text.get(start..self.at).unwrap_or("");
        let is_other = !is_expression(text) || (command && text.contains('/'));
        if let Some(word) = word.ok().filter(|_| !is_other) {
            return Ok(Some(word));
        }
        self.at = start;
        self.texts.truncate(texts);
        self.pending.truncate(pending);
        Ok(None)
    }

    /// Reads an arithmetic expression up to `end`: of all it holds, only commands count.
    pub(super) fn arithmetic(&mut self, end: &str) -> Result<Word, Unparsable> {
        let mut word = Word::default();
        let mut open = 0_usize;
        loop {
            let c = self.peek().ok_or(Unparsable)?;
            if open == 0 && self.eat(end) {
                word.units = vec![Unit::Digits];
                return Ok(word);
            }
            match c {
                '(' => open += 1,
                ')' => open = open.checked_sub(1).ok_or(Unparsable)?,
                _ => {}
            }
            match c {
                '$' | '`' | '\\' => self.quoted_part(c, &mut word)?,
                _ => self.take(),
            }
        }
    }

    fn part(&mut self, c: char, word: &mut Word) -> Result<(), Unparsable> {
        match c {
            '\\' => {
                self.take();
                let next = self.rest().chars().next();
                word.units.push(Unit::Quoted(next.unwrap_or('\\')));
                self.at += next.map_or(0, char::len_utf8);
                Ok(())
            }
            '\'' => {
                self.take();
                let (text, _) = self.rest().split_once('\'').ok_or(Unparsable)?;
                self.at += text.len() + 1;
                push_quoted(word, text);
                Ok(())
            }
            '"' => self.double_quotes(word),
            '$' => match self.byte(1) {
                Some(b'\'') => self.ansi(word),
                Some(b'"') => {
                    self.take();
                    self.double_quotes(word)
                }
                _ => self.dollar(word),
            },
            '`' => self.backticks(word, false),
            c => {
                self.take();
                word.units.push(Unit::Bare(c));
                Ok(())
            }
        }
    }

    fn double_quotes(&mut self, word: &mut Word) -> Result<(), Unparsable> {
        self.take();
        let before = word.units.len();
        loop {
            match self.peek().ok_or(Unparsable)? {
                '"' => break,
                '`' => self.backticks(word, true)?,
                c => self.quoted_part(c, word)?,
            }
        }
        self.take();
        if word.units.len() == before {
            word.units.push(Unit::Nothing);
        }
        Ok(())
    }

    /// What counts between double quotes, in here-documents and in arithmetic.
    fn quoted_part(&mut self, c: char, word: &mut Word) -> Result<(), Unparsable> {
        match c {
            '$' => self.dollar(word),
            '`' => self.backticks(word, false),
            '\\' => {
                self.at += 1;
                let next = self.rest().chars().next();
                match next {
                    Some(c @ ('$' | '`' | '"' | '\\')) => {
                        self.at += 1;
                        word.units.push(Unit::Quoted(c));
                    }
                    _ => word.units.push(Unit::Quoted('\\')),
                }
                Ok(())
            }
            c => {
                self.take();
                word.units.push(Unit::Quoted(c));
                Ok(())
            }
        }
    }

    fn dollar(&mut self, word: &mut Word) -> Result<(), Unparsable> {
        self.take();
        if let Some(number) = self.arithmetic_here(false)? {
            word.inner.extend(number.inner);
            word.units.push(Unit::Digits);
            return Ok(());
        }
        match self.peek() {
            Some('(') => {
                self.take();
                word.inner.push(self.within()?);
                word.units.push(Unit::Open(Why::Substitution));
            }
            Some('{') => self.parameter(word)?,
            Some('[') => {
                self.take();
                let number = self.arithmetic("]")?;
                word.inner.extend(number.inner);
                word.units.push(Unit::Digits);
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let rest = self.rest();
                let name = rest
                    .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .next()
                    .unwrap_or("");
                self.at += name.len();
                word.units.push(Unit::Open(Why::Variable));
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.take();
                word.units.push(if "#?$!".contains(c) {
                    Unit::Digits
                } else {
                    Unit::Open(Why::Variable)
                });
            }
            Some(_) | None => word.units.push(Unit::Quoted('$')),
        }
        Ok(())
    }

    /// The commands up to a closing parenthesis.
    fn within(&mut self) -> Result<Script, Unparsable> {
        let script = self.script(&[])?;
        if self.eat(")") {
            Ok(script)
        } else {
            Err(Unparsable)
        }
    }

    /// `${…}`: whatever is done to the parameter, only the commands in it are known.
    fn parameter(&mut self, word: &mut Word) -> Result<(), Unparsable> {
        self.take();
        self.depth += 1;
        if self.depth > super::MAX_DEPTH {
            return Err(Unparsable);
        }
        let is_length = self.rest().starts_with('#') && !self.rest().starts_with("#}");
        let mut skipped = Word::default();
        loop {
            match self.peek().ok_or(Unparsable)? {
                '}' => break,
                c => self.part(c, &mut skipped)?,
            }
        }
        self.take();
        self.depth -= 1;
        word.inner.extend(skipped.inner);
        word.units.push(if is_length {
            Unit::Digits
        } else {
            Unit::Open(Why::Variable)
        });
        Ok(())
    }

    fn backticks(&mut self, word: &mut Word, in_quotes: bool) -> Result<(), Unparsable> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let c = self.rest().chars().next().ok_or(Unparsable)?;
            self.at += c.len_utf8();
            match c {
                '`' => break,
                '\\' => {
                    let next = self.rest().chars().next().ok_or(Unparsable)?;
                    self.at += next.len_utf8();
                    let escapes = matches!(next, '`' | '\\' | '$') || (in_quotes && next == '"');
                    if !escapes {
                        text.push('\\');
                    }
                    text.push(next);
                }
                c => text.push(c),
            }
        }
        word.inner
            .push(self.nested(&text, |parser| parser.script(&[]))?);
        word.units.push(Unit::Open(Why::Substitution));
        Ok(())
    }

    /// A pattern in parentheses, `@(a|b)`.
    fn group(&mut self, word: &mut Word) -> Result<(), Unparsable> {
        let mut skipped = Word::default();
        let mut open = 0_usize;
        loop {
            match self.peek().ok_or(Unparsable)? {
                '(' => {
                    open += 1;
                    self.take();
                }
                ')' => {
                    open = open.saturating_sub(1);
                    self.take();
                    if open == 0 {
                        break;
                    }
                }
                c => self.part(c, &mut skipped)?,
            }
        }
        word.inner.extend(skipped.inner);
        word.units.pop();
        word.units.push(Unit::Group);
        Ok(())
    }

    /// `$'…'`, with its escapes.
    fn ansi(&mut self, word: &mut Word) -> Result<(), Unparsable> {
        self.at += 2;
        let mut text = String::new();
        loop {
            let c = self.rest().chars().next().ok_or(Unparsable)?;
            self.at += c.len_utf8();
            match c {
                '\'' => break,
                '\\' => self.escape(&mut text)?,
                c => text.push(c),
            }
        }
        // A NUL ends the text there.
        push_quoted(word, text.split('\0').next().unwrap_or(""));
        Ok(())
    }

    fn escape(&mut self, text: &mut String) -> Result<(), Unparsable> {
        let c = self.rest().chars().next().ok_or(Unparsable)?;
        self.at += c.len_utf8();
        let code = match c {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            'x' => self.digits(16, 2),
            'u' => self.digits(16, 4),
            'U' => self.digits(16, 8),
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3) & 0xff
            }
            'c' => {
                let control = self.rest().chars().next().ok_or(Unparsable)?;
                self.at += control.len_utf8();
                u32::from(control) & 0x1f
            }
            '\\' | '\'' | '"' | '?' => u32::from(c),
            c => {
                text.push('\\');
                u32::from(c)
            }
        };
        text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        Ok(())
    }

    fn digits(&mut self, base: u32, most: usize) -> u32 {
        let digits = self
            .rest()
            .chars()
            .take(most)
            .map_while(|c| c.to_digit(base));
        let (value, count) = digits.fold((0_u32, 0), |(value, count), digit| {
            (value.wrapping_mul(base).wrapping_add(digit), count + 1)
        });
        self.at += count;
        value
    }
}

/// Whether a byte is itself wherever it stands in a word.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'_' | b'-' | b'.' | b'/' | b':' | b',' | b'%' | b'^' | b'+' | b'@'
        )
}

fn push_quoted(word: &mut Word, text: &str) {
    if text.is_empty() {
        word.units.push(Unit::Nothing);
    }
    word.units.extend(text.chars().map(Unit::Quoted));
}

/// Whether a text in double parentheses is an expression: shells disagree about what else may stand there.
fn is_expression(text: &str) -> bool {
    let operand = |c: char| c.is_alphanumeric() || "_$/.\"'".contains(c);
    let mut words = text.split_whitespace().zip(text.split_whitespace().skip(1));
    !text.contains([';', '\n'])
        && !words.any(|(one, other)| one.ends_with(operand) && other.starts_with(operand))
}
