//! `duipai promote`.

use std::fmt::Write as _;

use crate::{
    cli::{CliError, Done, args::PromoteArgs, output},
    fuzz::promote::{self, Promoted},
    judge::printable,
    suite::Suite,
};

/// Makes a candidate case of an input that fails.
pub(super) fn promote(args: &PromoteArgs) -> Result<Done, CliError> {
    let promoted = promote::promote(&args.target, &args.input, args.out.as_deref())?;
    let input = args.input.display();
    // Writing to a string cannot fail.
    let mut text = String::new();
    let done = match promoted {
        Promoted::Holds(rejection) => {
            let why = rejection.map_or_else(
                || "it agrees".to_owned(),
                |rejection| format!("it is rejected ({})", rejection.name()),
            );
            let _ = writeln!(text, "{input} does not fail in target {}: {why}", args.target);
            Done::NotConformant
        }
        Promoted::Known { finding, case } => {
            tell(&mut text, &finding)?;
            let _ = writeln!(text, "nothing is written: there is {} already", printable(&case));
            Done::NotConformant
        }
        Promoted::Written { finding, path, case, bytes: [before, after] } => {
            tell(&mut text, &finding)?;
            let path = path.display();
            let _ = writeln!(text, "shrunk from {before} to {after} bytes");
            let _ = match case {
                Some(id) => writeln!(text, "wrote {path}: {id}, a candidate for you to rule on"),
                None => writeln!(text, "wrote {path}: no case can tell it, so it is kept as it is"),
            };
            Done::Conformant
        }
    };
    output::print(&text)?;
    Ok(done)
}

/// The finding, with what the broken sentences say.
fn tell(text: &mut String, finding: &crate::fuzz::Finding) -> Result<(), CliError> {
    let ledger = Suite::builtin()?.ledger;
    let _ = writeln!(text, "{}", printable(&finding.fault));
    for id in &finding.says {
        let said = ledger.find(id).map_or("", |sentence| &*sentence.says);
        let _ = writeln!(text, "  {id}: {said}");
    }
    for line in finding.detail.lines() {
        let _ = writeln!(text, "  {}", printable(line));
    }
    Ok(())
}
