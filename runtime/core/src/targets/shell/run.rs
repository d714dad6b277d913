//! Follows a command line without running it.
//!
//! What a command reaches for depends on the folder it runs in, and that on whether the `cd` before it worked: `cd X &&`
//! surely leaves, `cd X;` perhaps. So each command is followed in all the folders it could run in, and leaves two sets
//! behind, for success and for failure. Loops are followed twice; a branch that may not be taken leaves both ways open.

use std::rc::Rc;

use super::super::judge::{Judge, Usage};
use super::super::path::Folder;
use super::super::target::{Access, Reach, Why};
use super::super::wild::Wild;
use super::super::{own, patch};
use super::field::{Field, Meaning};
use super::folders::{After, Folders};
use super::habits::Words;
use super::parse::parse;
use super::tree::{
    Assignment, Body, Chain, Command, Flow, Junction, Pipeline, Redirect, Script, Word,
};

/// A command line that is being followed.
pub(super) struct Run<'r, 'g, 'a> {
    pub(super) judge: &'r mut Judge<'g, 'a>,
    /// What a tilde stands for, as long as nothing has set it anew.
    pub(super) home: Option<String>,
    /// The here-documents of the command line at hand.
    texts: Rc<[Word]>,
    functions: Vec<(String, Rc<Command>)>,
    /// Every folder that was entered: where `cd -` and `popd` may lead.
    pub(super) visited: Folders,
    /// Whether `CDPATH` was set, so that `cd` may look elsewhere.
    pub(super) has_cdpath: bool,
    /// How often a word leads up, and whether a loop leads down and down.
    ups: usize,
    descends: bool,
    depth: usize,
    fuel: usize,
}

/// What a command reads from its standard input.
#[derive(Clone, Debug)]
pub(super) enum Input {
    /// Whatever the shell has, which is nothing that the call decides.
    Inherited,
    /// What another command writes.
    Data,
    /// A here-document or here-string.
    Text(Rc<Word>),
    /// A file.
    File(String),
}

/// How deep scripts may be called from scripts, and how many commands are followed.
const MAX_DEPTH: usize = 12;
const MAX_COMMANDS: usize = 20_000;

/// What a redirection or a word of an assignment is judged as.
const fn usage(access: Access) -> Usage {
    Usage {
        access,
        reach: Reach::Named,
        by_server: false,
    }
}

impl<'r, 'g, 'a> Run<'r, 'g, 'a> {
    pub(super) fn new(judge: &'r mut Judge<'g, 'a>) -> Self {
        Self {
            home: judge.ground.home.clone(),
            judge,
            texts: Rc::from([]),
            functions: Vec::new(),
            visited: Folders::default(),
            has_cdpath: false,
            ups: 0,
            descends: false,
            depth: 0,
            fuel: MAX_COMMANDS,
        }
    }

    /// Follows the text of a script.
    pub(super) fn text(&mut self, text: &str, folders: &Folders, input: &Input) -> After {
        if self.depth >= MAX_DEPTH {
            self.judge.unknown(Why::Excess, text);
            return After::unmoved(folders);
        }
        let Ok(tree) = parse(text) else {
            self.judge.own |= own::mentions_program(text);
            self.judge.unknown(Why::Unparsable, text);
            return After::unmoved(folders);
        };
        let outer = std::mem::replace(&mut self.texts, Rc::from(tree.texts));
        self.depth += 1;
        let after = self.script(&tree.script, folders, input);
        self.depth -= 1;
        self.texts = outer;
        after
    }

    /// Settles what could only be said at the end: further down than a loop was followed nothing new is reached, unless
    /// words lead up again as far.
    pub(super) fn end(self) {
        if self.descends && self.ups >= MAX_TURNS {
            self.judge.unknown(Why::Folder, "");
        }
    }

    /// Notes how far up a word may lead.
    fn note_ups(&mut self, text: &str) {
        let pairs = text.as_bytes().windows(2);
        self.ups += pairs.filter(|pair| *pair == b"..").count();
    }

    fn script(&mut self, script: &Script, folders: &Folders, input: &Input) -> After {
        let mut after = After::unmoved(folders);
        for chain in &script.chains {
            let now = self.either(after);
            if now.is_never() {
                return After::never();
            }
            after = if chain.background {
                self.chain(chain, &now, input);
                After::unmoved(&now)
            } else {
                self.chain(chain, &now, input)
            };
        }
        after
    }

    fn either(&mut self, after: After) -> Folders {
        let mut folders = after.success;
        self.join(&mut folders, &after.failure);
        folders
    }

    pub(super) fn join(&mut self, folders: &mut Folders, more: &Folders) {
        if !folders.join(more) {
            self.judge.unknown(Why::Folder, "");
        }
    }

    fn chain(&mut self, chain: &Chain, folders: &Folders, input: &Input) -> After {
        let mut after = self.pipeline(&chain.first, folders, input);
        for (junction, pipeline) in &chain.rest {
            match junction {
                Junction::And => {
                    let next = self.pipeline(pipeline, &after.success, input);
                    after.success = next.success;
                    self.join(&mut after.failure, &next.failure);
                }
                Junction::Or => {
                    let next = self.pipeline(pipeline, &after.failure, input);
                    after.failure = next.failure;
                    self.join(&mut after.success, &next.success);
                }
            }
        }
        after
    }

    fn pipeline(&mut self, pipeline: &Pipeline, folders: &Folders, input: &Input) -> After {
        if folders.is_never() {
            return After::never();
        }
        let mut after = self.command(&pipeline.first, folders, input);
        if !pipeline.rest.is_empty() {
            for stage in &pipeline.rest {
                after = self.command(stage, folders, &Input::Data);
            }
            // Each stage has a shell of its own, but for the last, which some shells run themselves.
            let mut left = self.either(after);
            self.join(&mut left, folders);
            after = After::unmoved(&left);
        }
        if pipeline.negated {
            after.negated()
        } else {
            after
        }
    }

    fn command(&mut self, command: &Command, folders: &Folders, input: &Input) -> After {
        let Some(fuel) = self.fuel.checked_sub(1) else {
            self.judge.unknown(Why::Excess, "");
            return After::never();
        };
        self.fuel = fuel;
        let mut input = input.clone();
        for redirect in &command.redirects {
            if let Some(redirected) = self.redirect(redirect, folders) {
                input = redirected;
            }
        }
        self.body(&command.body, folders, &input)
    }

    fn body(&mut self, body: &Body, folders: &Folders, input: &Input) -> After {
        match body {
            Body::Simple { assignments, words } => {
                let fields = self.fields(words, folders);
                for assignment in assignments {
                    self.assign(assignment, folders);
                }
                self.program(&fields, folders, input)
            }
            Body::Group(script) => self.script(script, folders, input),
            Body::Subshell(script) => {
                self.script(script, folders, input);
                After::unmoved(folders)
            }
            Body::If { arms, otherwise } => self.branches(arms, otherwise.as_ref(), folders, input),
            Body::While { condition, body } => {
                self.turns(folders, |run, folders| {
                    let after = run.script(condition, folders, input);
                    let mut left = run.either(after.clone());
                    // `until` goes on where `while` ends.
                    for start in [after.success, after.failure] {
                        let body = run.script(body, &start, input);
                        let body = run.either(body);
                        run.join(&mut left, &body);
                    }
                    left
                })
            }
            Body::For { words, body } => {
                let fields = self.fields(words, folders);
                self.values(&fields, folders);
                self.turns(folders, |run, folders| {
                    let after = run.script(body, folders, input);
                    run.either(after)
                })
            }
            Body::Case { words, arms } => {
                self.fields(words, folders);
                let mut left = folders.clone();
                for arm in arms {
                    let after = self.script(arm, folders, input);
                    let after = self.either(after);
                    self.join(&mut left, &after);
                }
                After::unmoved(&left)
            }
            Body::Test(words) => {
                let fields = self.fields(words, folders);
                let fields = without_patterns(&fields);
                self.test(&fields, folders);
                After::unmoved(folders)
            }
            Body::Arithmetic(word) => {
                self.inner(word, folders);
                After::unmoved(folders)
            }
            Body::Function { name, body } => {
                self.functions
                    .push((name.clone(), Rc::new((**body).clone())));
                // It may be called where this is not seen.
                self.command(body, folders, input);
                After::unmoved(folders)
            }
            Body::Coproc(command) => {
                self.command(command, folders, input);
                After::unmoved(folders)
            }
        }
    }

    fn branches(
        &mut self,
        arms: &[(Script, Script)],
        otherwise: Option<&Script>,
        folders: &Folders,
        input: &Input,
    ) -> After {
        let mut left = Folders::never();
        let mut start = folders.clone();
        for (condition, body) in arms {
            let condition = self.script(condition, &start, input);
            let after = self.script(body, &condition.success, input);
            let after = self.either(after);
            self.join(&mut left, &after);
            start = condition.failure;
        }
        let end = match otherwise {
            Some(script) => {
                let after = self.script(script, &start, input);
                self.either(after)
            }
            None => start,
        };
        self.join(&mut left, &end);
        After::unmoved(&left)
    }

    /// Follows a loop until no turn leads to another folder.
    fn turns(
        &mut self,
        folders: &Folders,
        mut follow: impl FnMut(&mut Self, &Folders) -> Folders,
    ) -> After {
        let mut left = folders.clone();
        for turn in 0..MAX_TURNS {
            let before = left.clone();
            let after = follow(self, &before);
            self.join(&mut left, &after);
            if left == before {
                return After::unmoved(&left);
            }
            if turn + 1 < MAX_TURNS {
                continue;
            }
            if left.only_deepens(&before) {
                self.descends = true;
            } else {
                self.judge.unknown(Why::Folder, "");
            }
        }
        After::unmoved(&left)
    }

    /// Calls a function of that name, if there is one. What it hides may be meant as well.
    pub(super) fn call(&mut self, name: &str, folders: &Folders, input: &Input) -> Option<After> {
        let (_, body) = self
            .functions
            .iter()
            .rev()
            .find(|(known, _)| known == name)?;
        let body = Rc::clone(body);
        if self.depth >= MAX_DEPTH {
            self.judge.unknown(Why::Excess, name);
            return None;
        }
        self.depth += 1;
        let after = self.command(&body, folders, input);
        self.depth -= 1;
        Some(after)
    }

    /// The fields of words, after the commands in them were followed.
    fn fields(&mut self, words: &[Word], folders: &Folders) -> Vec<Field> {
        words.iter().for_each(|word| self.inner(word, folders));
        let mut fields = Vec::with_capacity(words.len());
        for word in words {
            Field::expand(word, self.home.as_deref(), &mut fields);
        }
        fields
    }

    fn inner(&mut self, word: &Word, folders: &Folders) {
        for script in &word.inner {
            self.script(script, folders, &Input::Inherited);
        }
    }

    fn assign(&mut self, assignment: &Assignment, folders: &Folders) {
        self.set(&assignment.name);
        let fields = self.fields(&assignment.values, folders);
        self.values(&fields, folders);
    }

    /// Notes that a variable is set that this reading depends on.
    pub(super) fn set(&mut self, name: &str) {
        match name {
            "HOME" => self.home = None,
            "CDPATH" | "cdpath" => self.has_cdpath = true,
            _ => {}
        }
    }

    /// Words that are only kept: what is known of them counts, what is not does no harm yet.
    fn values(&mut self, fields: &[Field], folders: &Folders) {
        for field in fields {
            match field.meaning() {
                Meaning::Text(text) => {
                    self.judge.own |= own::is_program(text);
                    self.value(text, usage(Access::Unknown), folders);
                    self.blanks(text, Words::Names, "cat", usage(Access::Unknown), folders);
                }
                Meaning::Wild(wild, text) => {
                    self.files(wild, text, usage(Access::Unknown), folders);
                }
                Meaning::Stream | Meaning::Open(..) => {}
            }
        }
    }

    fn redirect(&mut self, redirect: &Redirect, folders: &Folders) -> Option<Input> {
        let texts = Rc::clone(&self.texts);
        let (input, target) = match redirect.kind {
            Flow::Here(index) => (
                Input::Text(Rc::new(texts.get(index)?.clone())),
                texts.get(index)?,
            ),
            Flow::Text => (
                Input::Text(Rc::new(redirect.target.clone())),
                &redirect.target,
            ),
            Flow::Read | Flow::Write | Flow::Both | Flow::Descriptor => {
                let file = redirect.target.literal().unwrap_or_default();
                (Input::File(file), &redirect.target)
            }
        };
        self.inner(target, folders);
        let access = match redirect.kind {
            Flow::Read => Access::Read,
            Flow::Write => Access::Write,
            Flow::Both => Access::Unknown,
            Flow::Text | Flow::Here(_) => return redirect.is_input.then_some(input),
            // Another descriptor may be anything.
            Flow::Descriptor => return redirect.is_input.then_some(Input::Data),
        };
        let mut fields = Vec::new();
        Field::expand(target, self.home.as_deref(), &mut fields);
        for field in &fields {
            match field.meaning() {
                Meaning::Text(text) => self.redirected(text, usage(access), folders),
                Meaning::Wild(wild, text) => {
                    self.files(wild, text, usage(access), folders);
                }
                Meaning::Stream => {}
                Meaning::Open(why, text) => self.judge.unknown(*why, text),
            }
        }
        redirect.is_input.then_some(input)
    }

    fn redirected(&mut self, text: &str, usage: Usage, folders: &Folders) {
        if let Some(address) = text
            .strip_prefix("/dev/tcp/")
            .or_else(|| text.strip_prefix("/dev/udp/"))
        {
            let port = address
                .rsplit('/')
                .next()
                .and_then(|port| port.parse().ok());
            self.judge.own |= port.is_some_and(|port| self.judge.ground.is_own_port(port));
            return;
        }
        self.file(text, usage, folders);
    }

    /// Judges a path in every folder it could start from.
    pub(super) fn file(&mut self, path: &str, usage: Usage, folders: &Folders) {
        self.note_ups(path);
        for folder in folders.as_slice().iter() {
            self.judge.path(path, folder, usage);
        }
    }

    /// Judges a pattern in every folder it could start from.
    pub(super) fn files(&mut self, wild: &Wild, text: &str, usage: Usage, folders: &Folders) {
        self.note_ups(text);
        for folder in folders.as_slice().iter() {
            self.judge.wild(wild, text, folder, usage);
        }
    }

    /// The files that a patch in a text names.
    pub(super) fn patch(&mut self, text: &str, folders: &Folders) {
        for path in patch::paths(text) {
            self.file(path, usage(Access::Write), folders);
        }
    }

    /// Enters a folder from each that is possible; where that cannot be told, everything is.
    pub(super) fn enter(&mut self, raw: &str, folders: &Folders) -> Folders {
        self.note_ups(raw);
        let mut entered = Folders::default();
        let mut told = true;
        for folder in folders.as_slice().iter() {
            match folder.enter(raw, self.judge.ground.os, self.judge.links) {
                Some(folder) => told &= self.push_both(&mut entered, folder, raw),
                None => told = false,
            }
        }
        told &= self.visited.join(&entered);
        if !told {
            self.judge.unknown(Why::Folder, raw);
        }
        entered
    }

    /// A shell takes `..` out of a path as text, unless it is told otherwise.
    fn push_both(&self, entered: &mut Folders, folder: Folder, raw: &str) -> bool {
        if !raw.contains("..") || folder.text == folder.real {
            return entered.push(folder);
        }
        let real = folder.real.clone();
        let as_text = Folder::at(&folder.text, self.judge.ground.os, self.judge.links);
        entered.push(Folder {
            text: real.clone(),
            real,
        }) && entered.push(as_text)
    }
}

/// The words of `[[ … ]]`, in which a star stands for no file.
fn without_patterns(fields: &[Field]) -> Vec<Field> {
    let is_pattern = |field: &&Field| matches!(field.meaning(), Meaning::Wild(..));
    fields
        .iter()
        .filter(|field| !is_pattern(field))
        .cloned()
        .collect()
}

/// The turns after which a loop is taken to go anywhere.
const MAX_TURNS: usize = 7;
