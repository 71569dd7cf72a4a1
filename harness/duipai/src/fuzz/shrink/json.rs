//! What a JSON text comes down to in one step.

use std::{collections::HashSet, ops::Range};

use crate::fuzz::tree::Tree;

/// Values that stand for any other.
const SIMPLE: [&str; 5] = ["0", "\"\"", "[]", "{}", "null"];

/// Most texts that one step offers, of a text with very many values.
const MOST: usize = 2_000;

/// Texts that are shorter by one element, or have a simpler value in place of
/// one, or one of its parts; those that lose most come first.
pub(super) fn shorter(text: &str) -> Vec<String> {
    let tree = Tree::of(text.as_bytes());
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    let mut offer = |span: &Range<usize>, new| {
        if str::len(new) < span.len() {
            edits.push((span.clone(), new));
        }
    };
    for element in &tree.elements {
        offer(&element.with_comma, "");
    }
    for (at, value) in tree.values.iter().enumerate() {
        SIMPLE.iter().for_each(|simple| offer(value, simple));
        children(&tree.values[..at], value).for_each(|child| offer(value, &text[child.clone()]));
    }
    // Spaces between tokens, all at once.
    let dense = dense(text, &tree);
    edits.sort_by_key(|(span, new)| std::cmp::Reverse(span.len() - new.len()));
    edits.truncate(MOST);
    let mut seen = HashSet::new();
    let made = edits
        .into_iter()
        .map(|(span, new)| format!("{}{new}{}", &text[..span.start], &text[span.end..]));
    made.chain((dense.len() < text.len()).then_some(dense))
        .filter(|made| seen.insert(made.clone()))
        .collect()
}

/// The values right inside `value`, of those that end before it. Deeper ones
/// have their turn later.
fn children<'a>(
    before: &'a [Range<usize>],
    value: &Range<usize>,
) -> impl Iterator<Item = &'a Range<usize>> {
    let start = value.start;
    let mut left = before;
    std::iter::from_fn(move || {
        let (child, rest) = left.split_last().filter(|(child, _)| child.start > start)?;
        // What ends before the child and begins after it is inside it.
        let inside = rest.iter().rev().take_while(|it| it.start > child.start).count();
        left = &rest[..rest.len() - inside];
        Some(child)
    })
}

/// `text` without the spaces outside strings.
fn dense(text: &str, tree: &Tree) -> String {
    let mut dense = String::with_capacity(text.len());
    let mut at = 0;
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    // Strings hold no values, so that they stand in the order of the text.
    for string in tree.values.iter().filter(|span| text[span.start..].starts_with('"')) {
        dense.extend(text[at..string.start].chars().filter(|&c| !is_space(c)));
        dense.push_str(&text[string.clone()]);
        at = string.end;
    }
    dense.extend(text[at..].chars().filter(|&c| !is_space(c)));
    dense
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_shorter() {
        for text in ["[1,{\"a\":\"x\"}, 2]", "{\"k\":[[]]}", "\"汉\"", "[", ""] {
            for made in shorter(text) {
                assert!(made.len() < text.len(), "{text} gives {made}");
            }
        }
        let made = shorter("[1, {\"a\":\"x\"}]");
        for expected in ["[1]", "[ {\"a\":\"x\"}]", "0", "[1, {}]", "[1,{\"a\":\"x\"}]"] {
            assert!(made.iter().any(|text| text == expected), "no {expected} in {made:?}");
        }
    }
}
