//! Commands made of commands.

use super::super::tree::{Body, Command, Script, Word};
use super::{Parser, Unparsable};

impl Parser<'_> {
    /// Reads a compound command, if one begins here.
    pub(super) fn compound(&mut self) -> Result<Option<Body>, Unparsable> {
        if self.peek() == Some('(') {
            return self.parentheses().map(Some);
        }
        let Some(word) = self.reserved() else {
            return Ok(None);
        };
        self.eat(word);
        let body = match word {
            "{" => {
                let script = self.script(&["}"])?;
                self.expect("}")?;
                Body::Group(script)
            }
            "if" => self.branches()?,
            "while" | "until" => {
                let condition = self.script(&["do"])?;
                let body = self.loop_body()?;
                Body::While { condition, body }
            }
            "for" | "select" => self.iteration()?,
            "case" => self.case()?,
            "[[" => Body::Test(self.test()?),
            "function" => {
                self.skip_blanks();
                let name = self
                    .word()?
                    .and_then(|word| word.literal())
                    .ok_or(Unparsable)?;
                return self.function_body(name).map(Some);
            }
            "coproc" => {
                let command = self.command()?;
                Body::Coproc(Box::new(command))
            }
            // `then` and its kin where a command should be.
            _ => return Err(Unparsable),
        };
        Ok(Some(body))
    }

    fn parentheses(&mut self) -> Result<Body, Unparsable> {
        if let Some(word) = self.arithmetic_here(true)? {
            return Ok(Body::Arithmetic(word));
        }
        self.eat("(");
        let script = self.script(&[])?;
        self.expect(")")?;
        Ok(Body::Subshell(script))
    }

    fn branches(&mut self) -> Result<Body, Unparsable> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.script(&["then"])?;
            self.expect("then")?;
            let body = self.script(&["elif", "else", "fi"])?;
            arms.push((condition, body));
            if self.eat("elif") {
                continue;
            }
            if self.eat("else") {
                otherwise = Some(self.script(&["fi"])?);
            }
            self.expect("fi")?;
            return Ok(Body::If { arms, otherwise });
        }
    }

    fn iteration(&mut self) -> Result<Body, Unparsable> {
        self.skip_blanks();
        let mut words = Vec::new();
        if self.eat("((") {
            words.push(self.arithmetic("))")?);
            self.skip_blanks();
            self.eat(";");
        } else {
            self.word()?.ok_or(Unparsable)?;
            self.skip_lines()?;
            if self.reserved() == Some("in") {
                self.eat("in");
                loop {
                    self.skip_blanks();
                    match self.word()? {
                        Some(word) => words.push(word),
                        None => break,
                    }
                }
            }
            self.eat(";");
        }
        self.skip_lines()?;
        let body = if self.reserved() == Some("{") {
            self.eat("{");
            let script = self.script(&["}"])?;
            self.expect("}")?;
            script
        } else {
            self.loop_body()?
        };
        Ok(Body::For { words, body })
    }

    fn loop_body(&mut self) -> Result<Script, Unparsable> {
        self.expect("do")?;
        let script = self.script(&["done"])?;
        self.expect("done")?;
        Ok(script)
    }

    fn case(&mut self) -> Result<Body, Unparsable> {
        self.skip_blanks();
        let mut words = vec![self.word()?.ok_or(Unparsable)?];
        let mut arms = Vec::new();
        self.skip_lines()?;
        self.expect("in")?;
        loop {
            self.skip_lines()?;
            if self.reserved() == Some("esac") {
                self.eat("esac");
                return Ok(Body::Case { words, arms });
            }
            self.eat("(");
            loop {
                self.skip_blanks();
                words.push(self.word()?.ok_or(Unparsable)?);
                self.skip_blanks();
                if !self.eat("|") {
                    break;
                }
            }
            self.expect(")")?;
            arms.push(self.script(&["esac"])?);
            let _ends = self.eat(";;&") || self.eat(";;") || self.eat(";&");
        }
    }

    /// The words of `[[ … ]]`; what stands between them are operators.
    fn test(&mut self) -> Result<Vec<Word>, Unparsable> {
        let mut words: Vec<Word> = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat("]]") {
                return Ok(words);
            }
            let operator = ["&&", "||", "(", ")", "<", ">"]
                .into_iter()
                .any(|sign| self.eat(sign));
            if operator {
                continue;
            }
            let is_regex = words.last().and_then(Word::literal).as_deref() == Some("=~");
            let word = if is_regex {
                self.regex()?
            } else {
                self.word()?.ok_or(Unparsable)?
            };
            words.push(word);
        }
    }

    /// Whether `()` follows, so that the word before names a function.
    pub(super) fn is_function(&mut self) -> bool {
        self.skip_blanks();
        let after = self.rest().strip_prefix('(');
        after.is_some_and(|after| after.trim_start_matches([' ', '\t']).starts_with(')'))
    }

    pub(super) fn function(&mut self, name: String) -> Result<Command, Unparsable> {
        let body = self.function_body(name)?;
        Ok(Command {
            body,
            redirects: Vec::new(),
        })
    }

    fn function_body(&mut self, name: String) -> Result<Body, Unparsable> {
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            self.expect(")")?;
        }
        self.skip_lines()?;
        self.depth += 1;
        let body = Box::new(self.command()?);
        self.depth -= 1;
        Ok(Body::Function { name, body })
    }

    fn expect(&mut self, text: &str) -> Result<(), Unparsable> {
        self.skip_lines()?;
        if self.eat(text) {
            Ok(())
        } else {
            Err(Unparsable)
        }
    }
}
