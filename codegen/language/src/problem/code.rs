//! The stable names of everything that can be wrong.

/// Whether a policy with this fault can be compiled.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    /// It cannot.
    Error,
    /// It can, and hardly says what its author meant.
    Warning,
}

impl Severity {
    /// `error` or `warning`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Declares the codes: one row a fault, with its severity, its name and a sentence for the catalogue that SARIF carries.
macro_rules! codes {
    ($($severity:ident $variant:ident $name:literal $about:literal,)*) => {
        /// The stable name of a fault. SARIF and scripts go by it, so a name is never changed or used again for something else.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        pub enum Code {
            $(#[doc = $about] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the catalogue.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name with its prefix, such as `knotrust::unknown-key`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!("knotrust::", $name),)*
                }
            }

            /// What the code stands for, in a sentence.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$variant => $about,)*
                }
            }

            /// Whether it is an error or a warning.
            pub fn severity(self) -> Severity {
                match self {
                    $(Self::$variant => Severity::$severity,)*
                }
            }
        }
    };
}

codes! {
    // The text.
    Error Unreadable "unreadable" "A file that the policy needs cannot be read.",
    Error TooLarge "too-large" "A file, a text or a list is larger than any policy needs.",
    Error NotUtf8 "not-utf8" "A file is not UTF-8.",
    Error ByteOrderMark "byte-order-mark" "A file begins with a byte order mark.",
    Error HiddenCharacter "hidden-character" "A character that cannot be seen, or that reorders its neighbours.",
    Error Tab "tab" "A tab is used for indentation.",
    Error Syntax "syntax" "The text is not YAML.",
    Error Nesting "nesting" "Lists and mappings are nested deeper than any policy needs.",
    Error EmptyFile "empty-file" "A file says nothing.",
    Error SeveralDocuments "several-documents" "A file holds more than one document.",
    Error Directive "directive" "A YAML directive other than `%YAML 1.2`.",
    Error Tag "tag" "A YAML tag.",
    Error Alias "alias" "A YAML anchor or alias.",
    Error MergeKey "merge-key" "A YAML merge key.",
    Error DuplicateKey "duplicate-key" "A key stands twice in one mapping.",
    Error ComplexKey "complex-key" "A key is a list or a mapping.",
    // The shape.
    Error UnknownKind "unknown-kind" "A file does not say what it is.",
    Error UnknownKey "unknown-key" "A key that the language does not know.",
    Error MissingKey "missing-key" "A key that must be there is not.",
    Error WrongType "wrong-type" "A value is of another kind than its key takes.",
    Error NeedsQuotes "needs-quotes" "A value that two YAML readers read in two ways.",
    Error UnknownValue "unknown-value" "A value is none of those its key takes.",
    Error EmptyList "empty-list" "A list is empty where that means nothing.",
    Error OutOfRange "out-of-range" "A number is too small or too large.",
    // The meaning.
    Error BadPattern "bad-pattern" "A pattern is malformed.",
    Error NeverMatches "never-matches" "A pattern that no action's name matches.",
    Error Entangled "entangled" "Two patterns cannot be compared within bounds.",
    Error BadCharacter "bad-character" "A character that nothing of this kind has.",
    Error BadName "bad-name" "A name is no name.",
    Error BadDuration "bad-duration" "A duration is no duration.",
    Error BadPointer "bad-pointer" "A JSON Pointer is no JSON Pointer.",
    Error BadUrl "bad-url" "A URL is not one that can be used.",
    Error BadKey "bad-key" "A key is no key.",
    Error BadManifest "bad-manifest" "A manifest that is compiled in cannot be used.",
    Error BadSignature "bad-signature" "A manifest that is compiled in is not signed by whom it must be.",
    Error BadCondition "bad-condition" "A condition on arguments cannot be evaluated.",
    Error NeverHolds "never-holds" "A condition that no arguments meet.",
    Error Conflict "conflict" "Two things that cannot both hold.",
    Error DuplicateName "duplicate-name" "Two things of one kind have one name.",
    Error Cycle "cycle" "Packs need each other in a circle.",
    Error DigestMismatch "digest-mismatch" "A pinned file is not the one that was pinned.",
    Error BeyondServer "beyond-server" "A pack for one server speaks of another.",
    Error NotAPack "not-a-pack" "A file that is named as a pack is none.",
    Error TestFailed "test-failed" "The policy does not decide as its own test says.",
    Error Misread "misread" "A file that its schema admits cannot be read, which is a fault of knotrust.",
    // What is hardly meant.
    Warning Shadowed "shadowed" "A rule that can never decide.",
    Warning Overlap "overlap" "Two rules match a name, and neither is the narrower.",
    Warning Broad "broad" "A pattern matches more than its author may think.",
    Warning Narrow "narrow" "A pattern matches less than its author may think.",
    Warning NoReviewer "no-reviewer" "A role that no reviewer has is asked for.",
    Warning UnlistedServer "unlisted-server" "A pattern is for a server that may not be called.",
    Warning LowersPack "lowers-pack" "A rule sets a lower tier than a pack does.",
    Warning Idle "idle" "A pattern matches no tool that its servers offer.",
    Warning FailsClosed "fails-closed" "What is meant to pass when something fails is not routine.",
    Warning DeniesNothing "denies-nothing" "A list of what is denied is empty.",
    Warning NobodyEnrolled "nobody-enrolled" "The policy asks for a proof that nobody can give.",
    // Where reading stopped.
    Error TooManyErrors "too-many-errors" "There are more errors than are shown.",
    Warning TooManyWarnings "too-many-warnings" "There are more warnings than are shown.",
}

impl Code {
    /// The code that stands for those that were left out.
    pub(super) fn too_many(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::TooManyErrors,
            Severity::Warning => Self::TooManyWarnings,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_say_what_they_mean() {
        let names: BTreeSet<_> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        assert!(Code::ALL.iter().all(|code| code.about().ends_with('.')));
    }
}
