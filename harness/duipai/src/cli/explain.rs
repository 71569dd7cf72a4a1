//! `duipai explain`.

use std::fmt::Write as _;

use duipai_spec::ledger::SentenceId;

use crate::{
    case::Case,
    cli::{CliError, Done, args::ExplainArgs, output, select},
    ledger::{Ledger, Status},
    nearest::nearest,
    report, suite,
};

/// A case in full, or a sentence with its cases.
pub(super) fn explain(args: &ExplainArgs) -> Result<Done, CliError> {
    let (_, ledger, cases) = select::load(&args.cases, &args.vectors)?;
    // `ID` names every row of `each`, `ID#KEY` one of them.
    let is_row = |case: &&Case| case.id.split_once('#').is_some_and(|(id, _)| id == args.id);
    let found: Vec<&Case> = match suite::find(&cases, &args.id) {
        Some(case) => vec![case],
        None => cases.iter().filter(is_row).collect(),
    };
    if !found.is_empty() {
        let said = |id: &SentenceId| ledger.said(id);
        let texts = found.into_iter().map(|case| report::explain::render(case, &said));
        output::print(&texts.collect::<String>())?;
        return Ok(Done::Conformant);
    }
    match sentence(&args.id, &ledger, &cases) {
        Some(text) => output::print(&text)?,
        None => {
            let ids = cases.iter().map(|case| &*case.id);
            let sentences = ledger.sentences().iter().map(|s| s.id.as_str());
            let hint = nearest(&args.id, ids.chain(sentences))
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
            return Err(CliError::UnknownId { id: args.id.clone(), hint });
        }
    }
    Ok(Done::Conformant)
}

fn sentence(id: &str, ledger: &Ledger, cases: &[Case]) -> Option<String> {
    let id = SentenceId::parse(id)?;
    let sentence = ledger.find(id.as_str())?;
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{id}  ({}, {})", sentence.document, sentence.place);
    let _ = writeln!(text, "  {}", sentence.says);
    match &sentence.status {
        Status::Checked(level) => {
            let _ = writeln!(text, "  level: {level}");
        }
        Status::Excluded(reason) => {
            let _ = writeln!(text, "  excluded: {reason}");
        }
    }
    if let Some(finding) = &sentence.finding {
        let _ = writeln!(text, "  {finding}");
    }
    if let Some(ambiguity) = &sentence.ambiguity {
        let _ = writeln!(text, "  ambiguous: {}", ambiguity.unclear);
        for reading in &ambiguity.permitted {
            let meaning = reading.meaning.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
            let _ = writeln!(text, "  permitted: {}{meaning}", reading.behaviour);
        }
    }
    for case in cases.iter().filter(|case| case.says.contains(&id)) {
        let _ = writeln!(text, "  case {}  {}", case.id, case.title);
    }
    Some(text)
}
