//! Who answers, as far as the operating system knows.

use rustix::process::getuid;

/// The user of this process, as it stands in answers and in the log: `uid:1000`.
#[must_use]
pub fn here() -> String {
    format!("uid:{}", getuid().as_raw())
}
