//! "Did you mean …": the word that a misspelt one is nearest to.

/// The candidate most like `word`, if any is like it at all.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_like_words_are_offered() {
        let words = ["body", "delay", "binding"];
        assert_eq!(nearest("bdy", words), Some("body"));
        assert_eq!(nearest("delai", words), Some("delay"));
        assert_eq!(nearest("xyz", words), None);
    }
}
