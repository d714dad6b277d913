//! Manifests, the fourteen gates, and plans.
//!
//! A manifest says which units of knowledge there are and whom they serve; a plan says which of them an agent may load or
//! invoke for a task, and why not the others. This crate reads manifests, plans, and answers what can be asked of a plan.
//! It does no input or output, reads no clock and draws no random number: texts, moments and answers from elsewhere come
//! in as arguments, and where something must be fetched it says what, and what with the result.
//!
//! Read [`manifest`] for what comes in, [`gate`] for the order of the gates, [`planner`] and [`plan`] for the answer.
#![forbid(unsafe_code)]

pub mod address;
pub mod amount;
pub mod artifact;
pub mod assess;
pub mod correlation;
pub mod date;
pub mod diff;
pub mod drift;
pub mod eligibility;
pub mod federation;
pub mod gate;
pub mod governing;
pub mod ledger;
pub mod lint;
pub mod loading;
pub mod manifest;
mod members;
pub mod options;
pub mod plan;
pub mod planner;
mod procedure;
pub mod reference;
mod relevance;
pub mod replay;
pub mod scope;
pub mod serving;
pub mod signature;
pub mod starter;
mod terms;
pub mod ticket;
pub mod trace;
