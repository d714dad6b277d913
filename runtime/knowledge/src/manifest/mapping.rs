//! A mapping while it is read.

use std::collections::BTreeSet;

use super::node::Node;
use super::yaml::YamlError;

/// Members as they are met. Those written out win over those merged in, wherever they stand.
#[derive(Default)]
pub(super) struct Mapping {
    own: Vec<(String, Node)>,
    merged: Vec<(String, Node)>,
    /// The names, once there are many.
    names: BTreeSet<String>,
}

impl Mapping {
    pub(super) fn insert(
        &mut self,
        name: String,
        value: Node,
        line: usize,
    ) -> Result<(), YamlError> {
        if self.holds(&name) {
            return Err(YamlError::NamedTwice { line, name });
        }
        self.push(name, value);
        Ok(())
    }

    /// Merges a mapping, or those in a list, of which the first wins.
    pub(super) fn merge(&mut self, value: Node, line: usize) -> Result<(), YamlError> {
        let sources = match value {
            Node::List(elements) => elements,
            Node::Map(_) | Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) => {
                vec![value]
            }
        };
        for source in sources {
            let Node::Map(members) = source else {
                return Err(YamlError::Merge { line });
            };
            self.merged.extend(members);
        }
        Ok(())
    }

    pub(super) fn done(mut self) -> Vec<(String, Node)> {
        for (name, value) in std::mem::take(&mut self.merged) {
            if !self.holds(&name) {
                self.push(name, value);
            }
        }
        self.own
    }

    fn push(&mut self, name: String, value: Node) {
        if self.own.len() == FEW {
            self.names = self.own.iter().map(|(name, _)| name.clone()).collect();
        }
        if self.own.len() >= FEW {
            self.names.insert(name.clone());
        }
        self.own.push((name, value));
    }

    fn holds(&self, name: &str) -> bool {
        if self.own.len() > FEW {
            self.names.contains(name)
        } else {
            self.own.iter().any(|(known, _)| known == name)
        }
    }
}

/// Up to here comparing with every name is cheaper than keeping them in order.
const FEW: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_taken_twice_however_many_there_are() {
        for count in [1, FEW - 1, FEW, FEW + 1, 3 * FEW] {
            let mut mapping = Mapping::default();
            for number in 0..count {
                mapping.insert(number.to_string(), Node::Null, 1).unwrap();
            }
            for number in 0..count {
                assert!(
                    mapping.insert(number.to_string(), Node::Null, 1).is_err(),
                    "{number} of {count}"
                );
            }
            assert_eq!(mapping.done().len(), count);
        }
    }
}
