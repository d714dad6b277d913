//! By which way a person is asked.

use knotrust_core::ruleset::Channel;

/// What a surface and its client can do to reach a person.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Reach {
    /// Whether a call can be answered with a question and come again with the answer.
    pub comes_again: Answerable,
    /// Whether the client opens addresses for its person.
    pub opens_pages: Answerable,
    /// Whether the client shows forms to its person.
    pub shows_forms: Answerable,
    /// Whether a call can be held while somebody at this machine answers.
    pub holds: Answerable,
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

impl Reach {
    /// The first channel, in the order of the ruleset, that leads to a person; `None` where the call can only be
    /// deferred.
    #[must_use]
    pub fn first(self, order: &[Channel]) -> Option<Channel> {
        let leads = |channel: &Channel| self.by(*channel) == Answerable::Yes;
        order.iter().copied().find(leads)
    }

    const fn by(self, channel: Channel) -> Answerable {
        match channel {
            Channel::InputRequired => self.comes_again,
            Channel::ElicitationUrl => self.opens_pages,
            Channel::ElicitationForm => self.shows_forms,
            Channel::BlockAndWait => self.holds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_way_that_leads_to_a_person_is_taken() {
        use Answerable::{No, Yes};
        let reach = |comes_again, opens_pages, shows_forms, holds| Reach {
            comes_again,
            opens_pages,
            shows_forms,
            holds,
        };
        let all = &Channel::ALL;
        let first = |reach: Reach, order| reach.first(order);
        assert_eq!(
            first(reach(Yes, Yes, Yes, Yes), all),
            Some(Channel::InputRequired)
        );
        assert_eq!(
            first(reach(No, No, Yes, Yes), all),
            Some(Channel::ElicitationForm)
        );
        assert_eq!(
            first(reach(No, No, No, Yes), all),
            Some(Channel::BlockAndWait)
        );
        assert_eq!(first(reach(No, No, No, No), all), None);
        let forms = &[Channel::ElicitationForm][..];
        assert_eq!(first(reach(Yes, Yes, No, Yes), forms), None);
        let page_first = &[Channel::BlockAndWait, Channel::ElicitationUrl][..];
        assert_eq!(
            first(reach(No, Yes, No, Yes), page_first),
            Some(Channel::BlockAndWait)
        );
    }
}
