//! The policy language: from the text of a ruleset to a checked ruleset, or to problems.
