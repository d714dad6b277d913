//! The shell round the pure crates: files and time, no protocol.
//!
//! Everything lives below one [`home`], which any number of processes share. Read [`files`] and [`lock`] for how they do
//! so safely, and [`failure`] for what a reader is told when they cannot.

pub mod approvals;
pub mod audit;
pub mod budget;
pub mod caller;
pub mod channels;
pub mod clock;
pub mod failure;
pub mod files;
pub mod governance;
pub mod governor;
pub mod grants;
mod hint;
pub mod home;
pub mod inventory;
pub mod keychain;
pub mod keys;
pub mod loading;
pub mod lock;
pub mod manifests;
pub mod page;
pub mod pages;
pub mod paths;
pub mod permit;
pub mod person;
pub mod pin;
pub mod plans;
pub mod probing;
pub mod session;
#[cfg(test)]
mod testing;
pub mod uses;
mod watched;
pub mod whereabouts;
