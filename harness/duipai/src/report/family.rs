//! Results by family.

use std::collections::BTreeMap;

use crate::runner::CaseResult;

/// The results of each family, families and results sorted.
pub(super) fn by_family(results: &[CaseResult]) -> BTreeMap<&str, Vec<&CaseResult>> {
    let mut families: BTreeMap<&str, Vec<&CaseResult>> = BTreeMap::new();
    for result in results {
        families.entry(family(&result.id)).or_default().push(result);
    }
    families
}

/// The family of a case: the first word of its id.
fn family(id: &str) -> &str {
    id.split(['.', '/', '#']).next().unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_is_the_first_word() {
        let check = |id, expected| assert_eq!(family(id), expected);
        check("send.delay.most#x", "send");
        check("batch/count/0", "batch");
        check("alone", "alone");
    }
}
