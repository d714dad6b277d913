//! The grammar of commands: POSIX, and what bash adds to it.
//!
//! Words are read by `word`, in which quotes, expansions and the commands within them are told apart.

mod compound;
mod here;
mod word;

use super::tree::{
    Assignment, Body, Chain, Command, Flow, Junction, Pipeline, Redirect, Script, Tree, Unit, Word,
};
use here::Pending;

/// A text that is no command, or one deeper than anyone writes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Unparsable;

/// How deep commands may stand in commands: a bound on the stack.
const MAX_DEPTH: usize = 48;

/// How often a text is read again because it was no arithmetic.
const MAX_FAILURES: usize = 256;

/// Parses a script.
pub(super) fn parse(text: &str) -> Result<Tree, Unparsable> {
    Parser::new(text, 0).whole()
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// How often the text may still be taken for arithmetic by mistake.
    failures: usize,
    /// Here-documents whose text begins after the next newline.
    pending: Vec<Pending>,
    /// The texts of here-documents, in the order of their redirections.
    texts: Vec<Word>,
}

impl<'t> Parser<'t> {
    const fn new(text: &'t str, depth: usize) -> Self {
        Self {
            text,
            at: 0,
            depth,
            failures: MAX_FAILURES,
            pending: Vec::new(),
            texts: Vec::new(),
        }
    }

    fn whole(mut self) -> Result<Tree, Unparsable> {
        let script = self.script(&[])?;
        if self.peek().is_some() || !self.pending.is_empty() {
            return Err(Unparsable);
        }
        Ok(Tree {
            script,
            texts: self.texts,
        })
    }

    /// Has another text that stands within this one read by `read`: here-documents are numbered on.
    fn nested<T>(
        &mut self,
        text: &str,
        read: impl FnOnce(&mut Parser<'_>) -> Result<T, Unparsable>,
    ) -> Result<T, Unparsable> {
        let mut parser = Parser::new(text, self.depth + 1);
        parser.texts = std::mem::take(&mut self.texts);
        parser.failures = self.failures;
        let read = read(&mut parser);
        let is_whole = parser.rest().is_empty() && parser.pending.is_empty();
        self.texts = parser.texts;
        self.failures = parser.failures;
        if is_whole { read } else { Err(Unparsable) }
    }

    /// Reads commands up to one of the words in `stops`, a closing parenthesis, `;;` or the end.
    fn script(&mut self, stops: &[&str]) -> Result<Script, Unparsable> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Unparsable);
        }
        let mut script = Script::default();
        loop {
            self.skip_lines()?;
            let ends = matches!(self.peek(), None | Some(')'))
                || self.rest().starts_with(";;")
                || self.rest().starts_with(";&");
            if ends || self.reserved().is_some_and(|word| stops.contains(&word)) {
                break;
            }
            let mut chain = self.chain()?;
            self.skip_blanks();
            match self.peek() {
                Some('&') => {
                    chain.background = true;
                    self.take();
                }
                Some(';') if !self.rest().starts_with(";;") && !self.rest().starts_with(";&") => {
                    self.take()
                }
                Some('\n' | ')' | ';') | None => {}
                Some(_) => return Err(Unparsable),
            }
            script.chains.push(chain);
        }
        self.depth -= 1;
        Ok(script)
    }

    fn chain(&mut self) -> Result<Chain, Unparsable> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let junction = if self.eat("&&") {
                Junction::And
            } else if self.eat("||") {
                Junction::Or
            } else {
                break;
            };
            self.skip_lines()?;
            rest.push((junction, self.pipeline()?));
        }
        Ok(Chain {
            first,
            rest,
            background: false,
        })
    }

    fn pipeline(&mut self) -> Result<Pipeline, Unparsable> {
        let mut negated = false;
        loop {
            self.skip_blanks();
            match self.reserved() {
                Some("!") => {
                    self.eat("!");
                    negated = !negated;
                }
                Some("time") => {
                    self.eat("time");
                    self.skip_blanks();
                    self.eat("-p ");
                }
                Some(_) | None => break,
            }
        }
        let first = self.command()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            if self.rest().starts_with("||") || !(self.eat("|&") || self.eat("|")) {
                break;
            }
            self.skip_lines()?;
            rest.push(self.command()?);
        }
        Ok(Pipeline {
            negated,
            first,
            rest,
        })
    }

    fn command(&mut self) -> Result<Command, Unparsable> {
        self.skip_blanks();
        let Some(body) = self.compound()? else {
            return self.simple();
        };
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        Ok(Command { body, redirects })
    }

    fn simple(&mut self) -> Result<Command, Unparsable> {
        let mut assignments = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            let Some(word) = self.word()? else {
                break;
            };
            let list = self.list_after(&word)?;
            let assigned = if words.is_empty() {
                assigned(&word)
            } else {
                None
            };
            match (assigned, list) {
                (Some((name, value)), list) => {
                    let values = list.unwrap_or_else(|| vec![value]);
                    assignments.push(Assignment { name, values });
                }
                (_, Some(list)) => {
                    words.push(word);
                    words.extend(list);
                }
                (_, None) => words.push(word),
            }
            let first = words.len() == 1 && assignments.is_empty() && redirects.is_empty();
            if first && self.is_function() {
                let name = words.first().and_then(Word::literal).ok_or(Unparsable)?;
                return self.function(name);
            }
        }
        if assignments.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(Unparsable);
        }
        let body = Body::Simple { assignments, words };
        Ok(Command { body, redirects })
    }

    /// The elements of an array after `name=`.
    fn list_after(&mut self, word: &Word) -> Result<Option<Vec<Word>>, Unparsable> {
        if word.units.last() != Some(&Unit::Bare('=')) || self.peek() != Some('(') {
            return Ok(None);
        }
        self.take();
        let mut words = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat(")") {
                return Ok(Some(words));
            }
            words.push(self.word()?.ok_or(Unparsable)?);
        }
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, Unparsable> {
        if !matches!(self.peek(), Some('<' | '>' | '&' | '{' | '0'..='9')) {
            return Ok(None);
        }
        let start = self.at;
        let number = self.descriptor();
        let rest = self.rest();
        if rest.starts_with("<(") || rest.starts_with(">(") {
            self.at = start;
            return Ok(None);
        }
        let Some(operator) = OPERATORS
            .iter()
            .find(|operator| rest.starts_with(**operator))
        else {
            self.at = start;
            return Ok(None);
        };
        self.eat(operator);
        self.skip_blanks();
        let is_input = operator.starts_with('<') && matches!(number.as_deref(), None | Some("0"));
        if matches!(*operator, "<<" | "<<-") {
            let index = self.here(*operator == "<<-")?;
            return Ok(Some(Redirect {
                kind: Flow::Here(index),
                is_input,
                target: Word::default(),
            }));
        }
        let target = self.word()?.ok_or(Unparsable)?;
        let kind = match *operator {
            "<<<" => Flow::Text,
            "<&" | ">&" if is_descriptor(&target) => Flow::Descriptor,
            "<" | "<&" => Flow::Read,
            "<>" | ">&" => Flow::Both,
            _ => Flow::Write,
        };
        Ok(Some(Redirect {
            kind,
            is_input,
            target,
        }))
    }

    /// The descriptor in front of a redirection: digits, or a name in braces.
    fn descriptor(&mut self) -> Option<String> {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length = if digits > 0 {
            digits
        } else if rest.starts_with('{') {
            let name = rest.find('}').filter(|end| {
                let name = rest.get(1..*end).unwrap_or("");
                !name.is_empty()
                    && name
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            })?;
            name + 1
        } else {
            return None;
        };
        let (number, after) = rest.split_at_checked(length)?;
        if !after.starts_with(['<', '>']) {
            return None;
        }
        self.at += length;
        Some(number.to_owned())
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// The next character. A backslash before a newline joins two lines, wherever it is not quoted.
    fn peek(&mut self) -> Option<char> {
        loop {
            match self.byte(0)? {
                b'\\' if self.byte(1) == Some(b'\n') => self.at += 2,
                byte if byte.is_ascii() => return Some(char::from(byte)),
                _ => return self.rest().chars().next(),
            }
        }
    }

    fn take(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn eat(&mut self, text: &str) -> bool {
        let next = self.peek().map(u32::from);
        if next != text.chars().next().map(u32::from) {
            return false;
        }
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.byte(0) {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.byte(1) == Some(b'\n') => self.at += 2,
                Some(b'#') => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                    return;
                }
                _ => return,
            }
        }
    }

    fn skip_lines(&mut self) -> Result<(), Unparsable> {
        loop {
            self.skip_blanks();
            if self.peek() != Some('\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// The word at hand, if it stands alone and the grammar knows it.
    fn reserved(&mut self) -> Option<&'static str> {
        if !matches!(
            self.peek()?,
            'c' | 'd' | 'e' | 'f' | 'i' | 's' | 't' | 'u' | 'w' | '{' | '}' | '[' | '!'
        ) {
            return None;
        }
        let rest = self.rest();
        let end = rest.bytes().position(|byte| is_delimiter(char::from(byte)));
        let word = rest.get(..end.unwrap_or(rest.len()))?;
        RESERVED.iter().copied().find(|reserved| *reserved == word)
    }
}

/// The name and value of an assignment.
fn assigned(word: &Word) -> Option<(String, Word)> {
    let at = word
        .units
        .iter()
        .position(|unit| *unit == Unit::Bare('='))?;
    let (name, value) = word.units.split_at_checked(at)?;
    let mut letters = String::new();
    for unit in name {
        match unit {
            Unit::Bare(c) => letters.push(*c),
            Unit::Quoted(_)
            | Unit::Nothing
            | Unit::Open(_)
            | Unit::Digits
            | Unit::Group
            | Unit::Process => {
                if !letters.contains('[') {
                    return None;
                }
            }
        }
    }
    let plain = letters.split(['[', '+']).next().unwrap_or("");
    let is_name = plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| {
        let value = Word {
            plain: None,
            units: value.get(1..).unwrap_or(&[]).to_vec(),
            inner: word.inner.clone(),
        };
        (plain.to_owned(), value)
    })
}

/// Whether the target of `>&` is a descriptor: digits, or `-`.
fn is_descriptor(word: &Word) -> bool {
    let digit = |unit: &Unit| match unit {
        Unit::Bare(c) | Unit::Quoted(c) => c.is_ascii_digit() || *c == '-',
        Unit::Digits => true,
        Unit::Nothing | Unit::Open(_) | Unit::Group | Unit::Process => false,
    };
    let is_digits = |plain: &str| {
        plain
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    word.plain.as_deref().is_none_or(is_digits) && word.units.iter().all(digit)
}

/// What ends an unquoted word.
const fn is_delimiter(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')'
    )
}

/// Longer ones first.
const OPERATORS: [&str; 12] = [
    "&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">|", ">&", ">",
];

const RESERVED: [&str; 21] = [
    "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "select", "case",
    "esac", "in", "function", "time", "coproc", "{", "}", "[[", "!",
];
