//! The automaton of Aho and Corasick, over bytes.
//!
//! Runs of text are spelled into a tree. Where the tree has no way on, the *failure* of a state is the state that spells the
//! longest proper end of what the state spells, so a search never goes back in the name. The *next* of a state is the nearest
//! state along the failures that ends a run somewhere inside the name: what also ends where the state's own text ends.

use std::collections::{BTreeMap, VecDeque};

use super::super::index::{AT_START, LAST, STATE_BITS};
use super::super::rows::narrow;

/// The numbers that fit into the lower bits of a word.
const MOST: usize = 1 << STATE_BITS;

pub(super) struct Automaton {
    nodes: Vec<Node>,
    outputs: usize,
}

#[derive(Default)]
struct Node {
    edges: BTreeMap<u8, usize>,
    outputs: Vec<u32>,
    failure: usize,
    next: usize,
}

impl Node {
    /// Whether one of its runs may end inside a name, rather than only after its start.
    fn floats(&self) -> bool {
        self.outputs.iter().any(|output| output & AT_START == 0)
    }
}

pub(super) struct Tables {
    pub(super) root: Vec<u32>,
    pub(super) states: Vec<u32>,
    pub(super) edges: Vec<u32>,
    pub(super) outputs: Vec<u32>,
}

impl Automaton {
    pub(super) fn new() -> Self {
        Self {
            nodes: vec![Node::default()],
            outputs: 1,
        }
    }

    /// Adds a run and what it stands for, or says that there is no room.
    pub(super) fn add(&mut self, run: &[u8], output: u32) -> bool {
        if run.is_empty() || self.nodes.len() + run.len() >= MOST || self.outputs + 1 >= MOST {
            return false;
        }
        let mut at = 0;
        for &byte in run {
            let fresh = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else {
                return false;
            };
            at = *node.edges.entry(byte).or_insert(fresh);
            if at == fresh {
                self.nodes.push(Node::default());
            }
        }
        let Some(node) = self.nodes.get_mut(at) else {
            return false;
        };
        node.outputs.push(output);
        self.outputs += 1;
        true
    }

    pub(super) fn finish(mut self) -> Tables {
        let order = self.link();
        let mut numbers = vec![0; self.nodes.len()];
        for (number, node) in order.iter().enumerate() {
            if let Some(slot) = numbers.get_mut(*node) {
                *slot = number;
            }
        }
        let number = |node: usize| numbers.get(node).copied().unwrap_or(0);
        let mut tables = Tables {
            root: vec![0; 256],
            states: Vec::new(),
            edges: Vec::new(),
            outputs: vec![0],
        };
        for node in order.iter().filter_map(|node| self.nodes.get(*node)) {
            let outputs = if node.outputs.is_empty() {
                0
            } else {
                tables.outputs.len()
            };
            let edges = tables.edges.len() | (node.edges.len() << STATE_BITS);
            tables
                .states
                .extend([edges, outputs, number(node.failure), number(node.next)].map(narrow));
            tables
                .edges
                .extend(node.edges.iter().map(|(byte, to)| edge(*byte, number(*to))));
            tables.outputs.extend(&node.outputs);
            if let Some(last) = tables.outputs.last_mut().filter(|_| outputs != 0) {
                *last |= LAST;
            }
        }
        for (byte, to) in self.nodes.first().into_iter().flat_map(|root| &root.edges) {
            if let Some(slot) = tables.root.get_mut(usize::from(*byte)) {
                *slot = narrow(number(*to));
            }
        }
        tables
    }

    /// Sets failures and nexts, nearest to the root first, and returns the nodes in that order.
    fn link(&mut self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            order.push(at);
            let edges: Vec<_> = self
                .nodes
                .get(at)
                .into_iter()
                .flat_map(|node| &node.edges)
                .map(|(b, to)| (*b, *to))
                .collect();
            for (byte, to) in edges {
                let failure = if at == 0 {
                    0
                } else {
                    self.after_failure(at, byte)
                };
                let floats = self.nodes.get(failure).is_some_and(Node::floats);
                let next = if floats {
                    failure
                } else {
                    self.nodes.get(failure).map_or(0, |node| node.next)
                };
                if let Some(node) = self.nodes.get_mut(to) {
                    node.failure = failure;
                    node.next = next;
                }
                queue.push_back(to);
            }
        }
        order
    }

    /// Where `byte` leads from the failures of a node.
    fn after_failure(&self, at: usize, byte: u8) -> usize {
        let mut at = at;
        while at != 0 {
            at = self.nodes.get(at).map_or(0, |node| node.failure);
            if let Some(to) = self.nodes.get(at).and_then(|node| node.edges.get(&byte)) {
                return *to;
            }
        }
        0
    }
}

fn edge(byte: u8, to: usize) -> u32 {
    narrow(to) | (u32::from(byte) << STATE_BITS)
}
