//! The report for people.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use duipai_spec::ledger::SentenceId;

use super::Report;
use crate::{
    case::Case,
    judge::{Difference, Words, one_line},
    ledger::Said,
    plan::{Action, EventPlan},
    runner::{CaseResult, Ending, Status},
};

/// Longest input that is shown, in characters.
const INPUT_CHARS: usize = 60;

/// Lines of console text that are shown for each event.
const CONSOLE_LINES: usize = 20;

/// Longest line of console text that is shown, in characters.
const CONSOLE_CHARS: usize = 200;

/// Steps that are shown for each event.
const STEPS: usize = 20;

/// How people want to read it.
pub struct Look<'a> {
    /// What the ledger says of a sentence.
    pub sentence: &'a dyn Fn(&SentenceId) -> Option<Said>,
    /// Whether to write terminal colours.
    pub colour: bool,
}

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default();
const DIM: Style = Style::new().dimmed();

impl Look<'_> {
    fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// Everything that helps to understand one bad result. `case` is the case of
/// `result`.
pub fn failure(result: &CaseResult, case: &Case, look: &Look<'_>) -> String {
    let mut block = Block(String::new());
    let origin = &result.origin;
    let status = look.paint(BAD, &result.status().name().to_uppercase());
    block.line(0, &format!("{status} {}  {}:{}", result.id, origin.file, origin.line));
    for sentence in &result.says {
        let said =
            (look.sentence)(sentence).map(|said| format!(" ({}): {}", said.level, said.text));
        block.line(1, &format!("{sentence}{}", said.unwrap_or_default()));
    }
    block.line(1, &result.title);
    if let Some(why) = &case.why {
        block.line(1, &format!("why: {why}"));
    }
    steps(&mut block, case);
    match result.ending.differences() {
        Some(differences) => differences.iter().for_each(|one| difference(&mut block, one, look)),
        None => block.line(1, &result.detail().unwrap_or_default()),
    }
    if let Ending::DeviationDiffers { declared, .. } = &result.ending {
        block.line(1, &format!("this is not the known deviation: {declared}"));
    }
    console(&mut block, &result.console);
    if let Some(pair) = &case.pair {
        block.line(1, &format!("twin with the opposite verdict: {}", pair.with));
    }
    block.line(1, &format!("rerun: {}", result.rerun));
    block.0
}

/// The last lines of a run: the counts that are not zero, and the verdict.
pub fn summary(report: &Report, look: &Look<'_>) -> String {
    let summary = report.summary();
    let setting = report.setting();
    let counts: Vec<_> = Status::ALL
        .into_iter()
        .filter(|status| summary.count(*status) > 0)
        .map(|status| {
            let style = match status {
                Status::Passed => GOOD,
                Status::Failed | Status::Crashed | Status::TimedOut => BAD,
                Status::Known | Status::NotRun => WARNING,
                Status::NotApplicable => DIM,
            };
            look.paint(style, &format!("{} {status}", summary.count(status)))
        })
        .collect();
    // Bad results that do not count, so that the numbers and the verdict do
    // not seem to disagree.
    let findings = report
        .results()
        .iter()
        .filter(|result| result.status().is_bad() && !report.is_enforced(result))
        .count();
    let findings = match findings {
        0 => String::new(),
        count => format!(
            "{count} of the bad results are findings below level {}; --level makes them count\n",
            setting.enforced,
        ),
    };
    let verdict = if report.conformant() {
        look.paint(GOOD, "conformant")
    } else {
        look.paint(BAD, "not conformant")
    };
    format!(
        "{} declared: {}\n{findings}{} {}, profile {}: {verdict} at level {}\n",
        summary.declared,
        counts.join(", "),
        setting.identity.name,
        setting.identity.version,
        setting.profile.name(),
        setting.enforced,
    )
}

/// Lines with an indent.
struct Block(String);

impl Block {
    fn line(&mut self, indent: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{:1$}{text}", "", indent * 2);
    }
}

fn steps(block: &mut Block, case: &Case) {
    for (event, number) in case.events.iter().zip(1..) {
        if case.events.len() > 1 {
            block.line(1, &format!("event {number}: {}", surroundings(&event.plan)));
        } else {
            block.line(1, &format!("event: {}", surroundings(&event.plan)));
        }
        for (step, number) in event.plan.steps.iter().zip(1..).take(STEPS) {
            let uncaught = if step.caught { "" } else { " (uncaught)" };
            block.line(2, &format!("{number}. {}{uncaught}", describe(&step.action)));
        }
        let more = event.plan.steps.len().saturating_sub(STEPS);
        if more > 0 {
            block.line(2, &format!("and {more} more"));
        }
    }
}

/// The event's kind and batch, in a few words.
pub(super) fn surroundings(plan: &EventPlan) -> String {
    match &plan.batch {
        None => plan.kind.to_string(),
        Some(batch) => format!(
            "{}, {} messages from `{}`",
            plan.kind,
            batch.messages.len(),
            one_line(&batch.queue, INPUT_CHARS),
        ),
    }
}

/// A step with its input, in one line.
pub(super) fn describe(action: &Action) -> String {
    let op = action.op();
    match action {
        Action::Send { binding, body, delay } => {
            format!("{op} {} to `{}` delay {delay} s", input(body), one_line(binding, INPUT_CHARS))
        }
        Action::SendBatch { binding, items } => {
            format!("{op} {} to `{}`", input(items), one_line(binding, INPUT_CHARS))
        }
        Action::ReadBatch => op.to_owned(),
        Action::Ack { index } => format!("{op} {index}"),
        Action::Retry { index, delay } => format!("{op} {index} delay {delay} s"),
        Action::Raise { message } => format!("{op} {}", input(message)),
        Action::Wait { seconds } => format!("{op} {seconds} s"),
    }
}

fn input(text: &str) -> String {
    format!("`{}` ({} bytes)", one_line(text, INPUT_CHARS), text.len())
}

fn difference(block: &mut Block, difference: &Difference, look: &Look<'_>) {
    let Words { place, expected, got, note } = difference.words();
    block.line(1, &place);
    block.line(2, &format!("expected {}", look.paint(GOOD, &expected)));
    block.line(2, &format!("     got {}", look.paint(BAD, &got)));
    if let Some(note) = note {
        block.line(2, &format!("  differ {note}"));
    }
}

fn console(block: &mut Block, console: &[String]) {
    for (text, number) in console.iter().zip(1..) {
        if text.is_empty() {
            continue;
        }
        block.line(1, &format!("console of event {number}:"));
        for line in text.lines().take(CONSOLE_LINES) {
            block.line(2, &one_line(line, CONSOLE_CHARS));
        }
        let more = text.lines().skip(CONSOLE_LINES).count();
        if more > 0 {
            block.line(2, &format!("and {more} more lines"));
        }
    }
}
