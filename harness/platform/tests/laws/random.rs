//! Random histories.

use std::collections::{BTreeMap, BTreeSet};

use duipai_platform::{
    Profile, Rules, Scenario,
    check::{Law, Tolerance, Violation, check},
    engine::Chance,
    mutants::MUTANTS,
    parts::Parts,
    play, play_with,
};
use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{Config, TestRunner},
};

use crate::strategy::scenario;

const EXACT: Tolerance = Tolerance { early: 0, late: 0, chance: false };

fn told(violations: &[Violation]) -> String {
    violations.iter().map(|violation| format!("{violation}\n")).collect()
}

proptest! {
    #![proptest_config(Config { cases: 5_000, failure_persistence: None, ..Config::default() })]

    /// Two histories a case: one for each profile.
    #[test]
    fn the_model_keeps_every_law(scenario in scenario()) {
        for profile in Profile::ALL {
            let rules = Rules::of(profile);
            let history = play(&scenario, &rules);
            let violations = check(&scenario, &history, &rules, EXACT);
            prop_assert!(violations.is_empty(), "{profile:?}\n{}", told(&violations));
        }
    }
}

proptest! {
    #![proptest_config(Config { cases: 2_000, failure_persistence: None, ..Config::default() })]

    #[test]
    fn what_at_least_once_permits_breaks_no_law(scenario in scenario(), seed in any::<u64>()) {
        let rules = Rules::of(Profile::Cloudflare);
        let chance = Chance::new(&rules, seed, 100, 300, 100);
        let history = play_with(&scenario, &rules, &Parts::RIGHT, Some(chance));
        let tolerance = Tolerance { chance: true, ..EXACT };
        let violations = check(&scenario, &history, &rules, tolerance);
        prop_assert!(violations.is_empty(), "{}", told(&violations));
    }
}

/// The same scenarios in every run.
fn scenarios(count: usize) -> impl Iterator<Item = Scenario> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(move |_| scenario().new_tree(&mut runner).unwrap().current())
}

/// Every wrong platform breaks a law, and every law finds at least two.
#[test]
fn every_wrong_platform_is_caught() {
    let scenarios: Vec<_> = scenarios(SCENARIOS).collect();
    let mut caught: BTreeMap<Law, BTreeSet<&str>> = BTreeMap::new();
    for mutant in MUTANTS {
        let rules = Rules::of(mutant.profile);
        let broken = scenarios.iter().enumerate().filter_map(|(index, scenario)| {
            let violations = check(scenario, &mutant.play(scenario), &rules, EXACT);
            (!violations.is_empty()).then_some((index, violations))
        });
        let mut found = false;
        for (index, violations) in broken {
            found = true;
            for violation in violations {
                caught.entry(violation.law).or_default().insert(mutant.name);
            }
            if index > ENOUGH {
                break;
            }
        }
        assert!(found, "{} does {}, and no law sees it", mutant.name, mutant.does);
    }
    for law in Law::ALL {
        let mutants = caught.remove(&law).unwrap_or_default();
        assert!(mutants.len() >= 2 || BENT_ONLY.contains(&law), "{}: {mutants:?}", law.name());
    }
}

const SCENARIOS: usize = 1_500;

/// So many scenarios are played to see which laws a wrong platform breaks.
const ENOUGH: usize = 60;

/// Laws that no wrong platform here breaks; bent histories do.
const BENT_ONLY: &[Law] = &[Law::Outcome];
