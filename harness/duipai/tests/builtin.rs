//! The built-in suite is well formed.

use duipai::suite::Suite;

#[test]
fn the_built_in_suite_loads() {
    match Suite::builtin() {
        Ok(suite) => assert!(!suite.cases.is_empty(), "no case"),
        Err(error) => panic!("\n{error}\n"),
    }
}
