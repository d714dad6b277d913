//! By which way a person is asked.

use knotrust_core::ruleset::Channel;

/// What a surface and its client can do to reach a person.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Reach {
    /// How a question can be put to whoever sits before the client.
    pub questions: Questions,
    /// Whether the client shows forms.
    pub forms: Answerable,
    /// Whether the client opens addresses.
    pub pages: Answerable,
    /// Whether a call can be held while somebody at this machine answers.
    pub holds: Answerable,
}

/// How a question can be put to a client.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Questions {
    /// Not at all.
    #[default]
    None,
    /// As a request to the client, while its call waits.
    Asked,
    /// As the answer to its call, which comes again with the answer.
    Returned,
}

/// Whether a way leads to a person.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Answerable {
    /// It does.
    Yes,
    /// It does not.
    #[default]
    No,
}

/// How a question is shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Shown {
    /// As a form of the client. Whoever speaks for the client can fill it in, so it proves nothing.
    Form,
    /// On our own page, whose address the client opens.
    Page,
    /// At this machine, without the client.
    Here,
}

impl Reach {
    /// A call can be held, and that is all.
    pub const HOLDING: Self = Self {
        questions: Questions::None,
        forms: Answerable::No,
        pages: Answerable::No,
        holds: Answerable::Yes,
    };

    /// What is left of it for a question that no form may answer, or that there is no page for.
    #[must_use]
    pub const fn within(self, forms: Answerable, pages: Answerable) -> Self {
        Self {
            forms: both(self.forms, forms),
            pages: both(self.pages, pages),
            ..self
        }
    }

    /// The first channel, in the order of the ruleset, that leads to a person; `None` where the call can only be
    /// deferred.
    #[must_use]
    pub fn first(self, order: &[Channel]) -> Option<(Channel, Shown)> {
        let leads = |channel: &Channel| Some((*channel, self.by(*channel)?));
        order.iter().find_map(leads)
    }

    fn by(self, channel: Channel) -> Option<Shown> {
        let form = (self.forms == Answerable::Yes).then_some(Shown::Form);
        let page = (self.pages == Answerable::Yes).then_some(Shown::Page);
        match channel {
            Channel::InputRequired => form
                .or(page)
                .filter(|_| self.questions == Questions::Returned),
            Channel::ElicitationUrl => page.filter(|_| self.questions == Questions::Asked),
            Channel::ElicitationForm => form.filter(|_| self.questions == Questions::Asked),
            Channel::BlockAndWait => (self.holds == Answerable::Yes).then_some(Shown::Here),
        }
    }
}

const fn both(one: Answerable, other: Answerable) -> Answerable {
    match (one, other) {
        (Answerable::Yes, Answerable::Yes) => Answerable::Yes,
        (Answerable::No, _) | (_, Answerable::No) => Answerable::No,
    }
}

#[cfg(test)]
mod tests {
    use super::Answerable::{No, Yes};
    use super::*;

    const fn reach(questions: Questions, forms: Answerable, pages: Answerable) -> Reach {
        Reach {
            questions,
            forms,
            pages,
            holds: Yes,
        }
    }

    #[track_caller]
    fn check(reach: Reach, order: &[Channel], expected: Option<(Channel, Shown)>) {
        assert_eq!(reach.first(order), expected);
    }

    #[test]
    fn the_first_way_that_leads_to_a_person_is_taken() {
        let all = &Channel::ALL;
        check(
            reach(Questions::Returned, Yes, Yes),
            all,
            Some((Channel::InputRequired, Shown::Form)),
        );
        check(
            reach(Questions::Returned, No, Yes),
            all,
            Some((Channel::InputRequired, Shown::Page)),
        );
        check(
            reach(Questions::Asked, Yes, Yes),
            all,
            Some((Channel::ElicitationUrl, Shown::Page)),
        );
        check(
            reach(Questions::Asked, Yes, No),
            all,
            Some((Channel::ElicitationForm, Shown::Form)),
        );
        check(
            Reach::HOLDING,
            all,
            Some((Channel::BlockAndWait, Shown::Here)),
        );
        check(Reach::default(), all, None);
        let forms = &[Channel::ElicitationForm][..];
        check(reach(Questions::Asked, No, Yes), forms, None);
        check(reach(Questions::Returned, Yes, Yes), forms, None);
        let wait_first = &[Channel::BlockAndWait, Channel::ElicitationUrl][..];
        check(
            reach(Questions::Asked, Yes, Yes),
            wait_first,
            Some((Channel::BlockAndWait, Shown::Here)),
        );
    }

    #[test]
    fn a_way_that_the_question_does_not_bear_is_passed_over() {
        let reach = reach(Questions::Asked, Yes, Yes);
        check(
            reach.within(Yes, No),
            &Channel::ALL,
            Some((Channel::ElicitationForm, Shown::Form)),
        );
        check(
            reach.within(No, No),
            &Channel::ALL,
            Some((Channel::BlockAndWait, Shown::Here)),
        );
    }
}
