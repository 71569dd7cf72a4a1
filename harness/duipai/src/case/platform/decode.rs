//! The fields that only platform cases have.

use std::collections::BTreeMap;

use duipai_platform::Profile;

use super::{PlatformCase, expect, scenario};
use crate::case::{error::Problem, fields::Fields};

/// The fields of a platform case beside those that every case has.
pub(in crate::case) const FIELDS: [&str; 7] =
    ["date", "queues", "inputs", "handlers", "until", "expect", "not_shown"];

/// The platform's part of a case.
pub(in crate::case) fn decode(fields: Fields<'_>) -> Result<PlatformCase, Problem> {
    let scenario = scenario::decode(fields)?;
    let list = fields.required("expect")?;
    let mut expected: Vec<super::PlatformExpectation> = Vec::new();
    for value in list.list()? {
        for one in expect::decode(value.table()?, &scenario)? {
            if expected.iter().any(|other| other.profile == one.profile) {
                let name = one.profile.name();
                return Err(value.problem(format!("the profile {name} is spoken of twice")));
            }
            expected.push(one);
        }
    }
    if expected.is_empty() {
        return Err(list.problem("\"expect\" asks for nothing"));
    }
    let not_shown = not_shown(fields)?;
    for profile in Profile::ALL {
        let is_expected = expected.iter().any(|one| one.profile == profile);
        let name = profile.name();
        match (is_expected, not_shown.get(&profile)) {
            (true, Some(_)) => {
                let message = format!("{name} stands in \"expect\" and in \"not_shown\"");
                return Err(list.problem(message));
            }
            (false, None) => {
                let message = format!(
                    "nothing is said of {name}: give it a table, or a reason in \"not_shown\""
                );
                return Err(list.problem(message));
            }
            _ => {}
        }
    }
    Ok(PlatformCase { scenario, expected, not_shown })
}

fn not_shown(fields: Fields<'_>) -> Result<BTreeMap<Profile, String>, Problem> {
    let Some(value) = fields.optional("not_shown") else {
        return Ok(BTreeMap::new());
    };
    let names = Profile::ALL.map(Profile::name);
    let table = value.table()?.only(&names)?;
    let mut reasons = BTreeMap::new();
    for profile in Profile::ALL {
        if let Some(reason) = table.optional(profile.name()) {
            reasons.insert(profile, reason.words()?.to_string());
        }
    }
    Ok(reasons)
}
