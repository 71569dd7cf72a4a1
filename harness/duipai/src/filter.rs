//! Which cases a run selects.

use globset::Glob;
use thiserror::Error;

/// Patterns of case ids.
///
/// A case is selected if any pattern selects it, or none is given, and no
/// pattern that begins with `!` does. A pattern that is an id selects that case
/// alone, whatever characters it holds, a `!` in front among them.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    patterns: Vec<String>,
}

/// Why a filter cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FilterError {
    /// A pattern is neither a glob nor an id.
    #[error("`{pattern}` is neither a case id nor a glob: {reason}")]
    NotAGlob {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No case is selected.
    #[error("no case is selected by {patterns}{nearest}")]
    Nothing {
        /// The patterns.
        patterns: String,
        /// The ids that are most like them, as the end of the sentence.
        nearest: String,
    },
}

impl Filter {
    /// The filter of these patterns.
    pub fn new(patterns: &[String]) -> Self {
        Self { patterns: patterns.to_vec() }
    }

    /// For each of `ids`, whether it is selected.
    ///
    /// # Errors
    ///
    /// [`FilterError`] if a pattern is neither a glob nor one of the ids, or if
    /// nothing is selected.
    pub fn select(&self, ids: &[&str]) -> Result<Vec<bool>, FilterError> {
        let (mut selects, mut excludes) = (Vec::new(), Vec::new());
        for text in &self.patterns {
            match text.strip_prefix('!') {
                Some(excluded) if !ids.contains(&text.as_str()) => excludes.push(excluded),
                _ => selects.push(text.as_str()),
            }
        }
        let mut selected = vec![selects.is_empty(); ids.len()];
        for (patterns, select) in [(&selects, true), (&excludes, false)] {
            for pattern in patterns {
                apply(pattern, ids, &mut selected, select)?;
            }
        }
        if selected.contains(&true) { Ok(selected) } else { Err(self.nothing(&selects, ids)) }
    }

    fn nothing(&self, selects: &[&str], ids: &[&str]) -> FilterError {
        let patterns: Vec<_> = self.patterns.iter().map(|text| format!("`{text}`")).collect();
        let mut nearest: Vec<&str> = Vec::new();
        for pattern in selects {
            nearest.extend(nearest_ids(pattern, ids));
        }
        nearest.sort_unstable();
        nearest.dedup();
        FilterError::Nothing {
            patterns: if patterns.is_empty() {
                String::from("an empty suite")
            } else {
                patterns.join(", ")
            },
            nearest: if nearest.is_empty() {
                String::new()
            } else {
                format!("; nearest ids: {}", nearest.join(", "))
            },
        }
    }
}

/// Sets `selected` to `select` for the ids that `pattern` matches.
fn apply(
    pattern: &str,
    ids: &[&str],
    selected: &mut [bool],
    select: bool,
) -> Result<(), FilterError> {
    if let Some(at) = ids.iter().position(|id| *id == pattern) {
        selected[at] = select;
        return Ok(());
    }
    let glob = Glob::new(pattern).map_err(|error| FilterError::NotAGlob {
        pattern: pattern.to_owned(),
        reason: error.kind().to_string(),
    })?;
    let glob = glob.compile_matcher();
    for (id, selected) in ids.iter().zip(selected) {
        if glob.is_match(id) {
            *selected = select;
        }
    }
    Ok(())
}

/// How many near ids are named for each pattern.
const NEAREST: usize = 3;

/// The ids that have the longest beginning in common with `pattern`, wildcards
/// left out; of these the shortest.
fn nearest_ids<'a>(pattern: &str, ids: &[&'a str]) -> Vec<&'a str> {
    let plain: String = pattern.chars().filter(|c| !"*?[]{}".contains(*c)).collect();
    let common = |id: &str| plain.bytes().zip(id.bytes()).take_while(|(a, b)| a == b).count();
    let mut near: Vec<_> = ids.iter().map(|id| (common(id), *id)).collect();
    near.retain(|(common, _)| *common > 0);
    near.sort_by_key(|(common, id)| (std::cmp::Reverse(*common), id.len(), *id));
    near.into_iter().take(NEAREST).map(|(_, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 5] =
        ["send.delay.most", "send.delay.over", "send.size#é", "batch/{\"a\":1}", "batch/[x"];

    fn select(patterns: &[&str]) -> Result<Vec<&'static str>, String> {
        let patterns: Vec<_> = patterns.iter().map(|text| (*text).to_owned()).collect();
        let selected = Filter::new(&patterns).select(&IDS).map_err(|error| error.to_string())?;
        Ok(IDS.into_iter().zip(selected).filter_map(|(id, yes)| yes.then_some(id)).collect())
    }

    #[test]
    fn any_pattern_selects_and_a_bang_excludes() {
        let check = |patterns: &[&str], expected: &[&str]| {
            assert_eq!(select(patterns).unwrap(), expected, "{patterns:?}");
        };
        check(&[], &IDS);
        check(&["send.delay.*"], &IDS[..2]);
        check(&["send.delay.most", "send.s*"], &["send.delay.most", "send.size#é"]);
        check(&["send.*", "!*.over"], &["send.delay.most", "send.size#é"]);
        check(&["!send*"], &IDS[3..]);
        check(&["!send.delay.most", "send.delay.*"], &["send.delay.over"]);
    }

    #[test]
    fn an_id_selects_itself_whatever_it_holds() {
        assert_eq!(select(&["batch/{\"a\":1}"]).unwrap(), ["batch/{\"a\":1}"]);
        assert_eq!(select(&["batch/[x"]).unwrap(), ["batch/[x"]);
    }

    #[test]
    fn an_id_comes_before_a_bang() {
        let check = |patterns: &[&str], expected: &[bool]| {
            let patterns: Vec<_> = patterns.iter().map(|text| (*text).to_owned()).collect();
            let selected = Filter::new(&patterns).select(&["!a", "a", "b"]).unwrap();
            assert_eq!(selected, expected, "{patterns:?}");
        };
        check(&["!a"], &[true, false, false]);
        check(&["!!a"], &[false, true, true]);
        check(&["!b"], &[true, true, false]);
    }

    #[test]
    fn selecting_nothing_names_patterns_and_nearest_ids() {
        assert_eq!(
            select(&["send.delay.mots", "!x"]).unwrap_err(),
            "no case is selected by `send.delay.mots`, `!x`; nearest ids: send.delay.most, \
             send.delay.over, send.size#é",
        );
        assert_eq!(select(&["zzz"]).unwrap_err(), "no case is selected by `zzz`");
        let empty = Filter::new(&[]).select(&[]).unwrap_err().to_string();
        assert_eq!(empty, "no case is selected by an empty suite");
    }

    #[test]
    fn a_broken_glob_is_named() {
        let error = select(&["send[a"]).unwrap_err();
        assert!(error.starts_with("`send[a` is neither a case id nor a glob: "), "{error}");
    }
}
