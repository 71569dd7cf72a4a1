//! Targets over files: any bytes, which must end in something to use or in an
//! error that says why not.

use std::sync::LazyLock;

use crate::{
    case::{Place, Problem, SourceFile, decode},
    fuzz::{
        input::Input,
        run::{Finding, Rejection, Run},
    },
    ledger::Ledger,
    subject::Subject,
    suite::Suite,
};

/// Any bytes as a guest: an error in one line, or a guest that comes to an end
/// within its bounds.
pub(in crate::fuzz) fn guest(input: &Input, _: &dyn Subject) -> Run {
    let Input::Bytes(bytes) = input else { return Run::Rejected(Rejection::NotOfTheKind) };
    #[cfg(feature = "wasm")]
    {
        guest_bytes(bytes, input)
    }
    #[cfg(not(feature = "wasm"))]
    {
        // No driver starts this target without the feature.
        let _ = bytes;
        Run::Rejected(Rejection::NotExpressible)
    }
}

#[cfg(feature = "wasm")]
fn guest_bytes(bytes: &[u8], input: &Input) -> Run {
    use std::time::{Duration, Instant};

    use duipai_platform::Profile;

    use crate::{fuzz::input::ProducerCall, subjects::wasm::Wasm};

    /// Time for the one event.
    const BUDGET: Duration = Duration::from_millis(500);
    /// Time after which it is over at the latest: starting and ending included.
    const OVER: Duration = Duration::from_secs(5);

    let guest = match Wasm::from_bytes("guest", bytes) {
        Ok(guest) => guest,
        Err(error) => {
            let line = error.to_string();
            return if line.lines().count() == 1 {
                Run::Rejected(Rejection::NotAGuest)
            } else {
                found("the refusal of a guest is not one line", line, input)
            };
        }
    };
    let call = ProducerCall {
        batch: true,
        binding: "PAGE_QUEUE".to_owned(),
        delay: 0,
        text: "[{\"body\":{\"a\":1}}]".into(),
    };
    let start = Instant::now();
    // What it answers is its own affair; that it answers, or is stopped, is ours.
    let _ = guest.run(&call.scene(), Profile::default(), BUDGET);
    let took = start.elapsed();
    if took > OVER {
        return found("a guest ran over its time", format!("it took {took:?}"), input);
    }
    Run::Accepted
}

/// Any bytes as a case file: cases, or problems that stand in the file.
pub(in crate::fuzz) fn case(input: &Input, _: &dyn Subject) -> Run {
    let Input::Bytes(bytes) = input else { return Run::Rejected(Rejection::NotOfTheKind) };
    let file = match SourceFile::new("folder", "file.toml", bytes.clone()) {
        Ok(file) => file,
        Err(problem) => return refused(&[problem], bytes, input, Rejection::NotUtf8),
    };
    let (cases, problems) = decode::cases(&file, &LEDGER);
    if cases.is_empty() && problems.is_empty() {
        let detail = "there is neither a case nor a problem".to_owned();
        return found("a case file comes to nothing", detail, input);
    }
    match problems.is_empty() {
        true => Run::Accepted,
        false => refused(&problems, bytes, input, Rejection::NotACaseFile),
    }
}

/// Sentences for the cases to be evidence for.
static LEDGER: LazyLock<Ledger> = LazyLock::new(|| match Suite::builtin() {
    Ok(suite) => suite.ledger,
    Err(error) => panic!("the built-in suite does not load: {error}"),
});

/// Every problem is one line, and stands where the file has a character.
fn refused(problems: &[Problem], bytes: &[u8], input: &Input, reason: Rejection) -> Run {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.split('\n').collect();
    for problem in problems {
        let line = problem.to_string();
        if line.lines().count() != 1 {
            return found("a problem is not one line", line, input);
        }
        let Place::At(origin) = &problem.place else { continue };
        let there = origin.line.checked_sub(1).and_then(|at| lines.get(at));
        let columns = there.map(|line| line.chars().count() + 1);
        if !columns.is_some_and(|columns| (1..=columns).contains(&origin.column)) {
            return found("a problem does not stand in its file", line, input);
        }
    }
    Run::Rejected(reason)
}

fn found(fault: &str, detail: String, input: &Input) -> Run {
    Run::Found(Box::new(Finding {
        fault: fault.to_owned(),
        says: Vec::new(),
        detail,
        input: input.describe(),
    }))
}
