//! `duipai list`.

use std::fmt::Write as _;

use crate::{
    cli::{CliError, Done, args::SelectArgs, output, select},
    judge::printable,
};

/// One line for each case: id, level, and title.
pub(super) fn list(args: &SelectArgs) -> Result<Done, CliError> {
    let selection = select::select(args)?;
    let mut text = String::new();
    for case in &selection.cases {
        // Writing to a string cannot fail.
        let (id, title) = (printable(&case.id), printable(&case.title));
        let _ = writeln!(text, "{id}  {}  {title}", case.level);
    }
    output::print(&text)?;
    Ok(Done::Conformant)
}
