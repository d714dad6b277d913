//! Gate 12: is there a place left? What is listed takes one, loadable or not.

/// The place a unit would take, counted from 1.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Place {
    pub(crate) position: usize,
    pub(crate) cap: usize,
}

impl Place {
    pub(crate) const fn exists(self) -> bool {
        self.position <= self.cap
    }

    pub(crate) fn detail(self) -> String {
        let verdict = if self.exists() { "within" } else { "exceeds" };
        format!("position {} {verdict} cap of {}", self.position, self.cap)
    }
}
