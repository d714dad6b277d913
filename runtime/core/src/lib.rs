//! Decides, and does nothing else.
//!
//! This crate answers one question: given what a ruleset says and what is known, may this call happen? It does no input
//! or output, reads no clock, draws no random number and knows no protocol; equal inputs give equal decisions, so any
//! recorded decision can be made again.
//!
//! Read [`json`] and [`request`] for what comes in, [`ruleset`] for what the policy is made of, [`case`] and [`evidence`]
//! for what is put side by side, and [`decide`] for the answer.
#![forbid(unsafe_code)]

pub mod approval;
pub mod audit;
pub mod cache;
pub mod canonical;
pub mod case;
pub mod classify;
pub mod consent;
pub mod decide;
pub mod decision;
pub mod display;
pub mod evidence;
pub mod exact;
pub mod finding;
pub mod glob;
pub mod grant;
pub mod json;
pub mod names;
pub mod number;
pub mod precedence;
pub mod predicate;
pub mod prelude;
pub mod reason;
pub mod request;
pub mod resource;
pub mod ruleset;
pub mod skill;
pub mod surroundings;
pub mod targets;
pub mod tier;
pub mod tiering;
pub mod time;
