//! The servers that a policy knows.

/// A server that the policy lists.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Server<'a> {
    /// The logical name, which action names begin with.
    pub name: &'a str,
    /// How it is reached.
    pub launch: Launch<'a>,
}

/// How a server is reached.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Launch<'a> {
    /// A program to start, with its arguments, and the names of the environment variables it is handed (`None`: all).
    Command {
        /// The program and its arguments.
        command: &'a [&'a str],
        /// Names of environment variables that are handed on.
        env: Option<&'a [&'a str]>,
    },
    /// A Streamable HTTP endpoint.
    Url(&'a str),
}
