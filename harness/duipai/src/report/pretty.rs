//! The report for people.

use anstyle::{AnsiColor, Style};
use duipai_spec::ledger::{Level, SentenceId};

use super::{Report, scenario::scenario};
use crate::{
    case::Case,
    judge::{Difference, Words, one_line, printable},
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
const PLAIN: Style = Style::new();

impl Look<'_> {
    /// `text` in this style, and with nothing in it that a terminal would act
    /// on: much of what is shown comes from files and from subjects.
    fn paint(&self, style: Style, text: &str) -> String {
        let text = printable(text);
        if self.colour { format!("{style}{text}{style:#}") } else { text }
    }
}

/// How a bad result is called. One that does not count is a finding, with its
/// level.
pub fn label(result: &CaseResult, enforced: Level) -> String {
    let status = result.status();
    match status {
        _ if result.level <= enforced => status.name().to_uppercase(),
        Status::Failed => format!("FINDING ({})", result.level),
        _ => format!("FINDING ({}, {status})", result.level),
    }
}

/// Everything that helps to understand one bad result. `case` is the case of
/// `result`; conformance asks for the cases of level `enforced` and above.
pub fn failure(result: &CaseResult, case: &Case, enforced: Level, look: &Look<'_>) -> String {
    let mut block = Block { text: String::new(), look };
    let origin = &result.origin;
    let style = if result.level <= enforced { BAD } else { WARNING };
    let place = format!(" {}  {}:{}", result.id, origin.file, origin.line);
    block.spans(0, &[(style, &label(result, enforced)), (PLAIN, &place)]);
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
        Some(differences) => differences.iter().for_each(|one| difference(&mut block, one)),
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
    block.text
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
    } else if report.saw_enforced() {
        look.paint(BAD, "not conformant")
    } else {
        look.paint(BAD, "not conformant, since nothing was seen of what counts")
    };
    format!(
        "{} declared: {}\n{findings}{} {}, profile {}: {verdict} at level {}\n",
        summary.declared,
        counts.join(", "),
        printable(&setting.identity.name),
        printable(&setting.identity.version),
        setting.profile.name(),
        setting.enforced,
    )
}

/// Lines with an indent.
struct Block<'a> {
    text: String,
    look: &'a Look<'a>,
}

impl Block<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        self.spans(indent, &[(PLAIN, text)]);
    }

    /// One line, whatever the texts hold.
    fn spans(&mut self, indent: usize, spans: &[(Style, &str)]) {
        self.text.extend(std::iter::repeat_n("  ", indent));
        for (style, text) in spans {
            self.text.push_str(&self.look.paint(*style, text));
        }
        self.text.push('\n');
    }
}

fn steps(block: &mut Block<'_>, case: &Case) {
    if let Some(platform) = &case.platform {
        let lines = scenario(&platform.scenario);
        lines.iter().take(STEPS).for_each(|line| block.line(2, line));
        let more = lines.len().saturating_sub(STEPS);
        if more > 0 {
            block.line(2, &format!("and {more} more"));
        }
    }
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

fn difference(block: &mut Block<'_>, difference: &Difference) {
    let Words { place, expected, got, note } = difference.words();
    block.line(1, &place);
    block.spans(2, &[(PLAIN, "expected "), (GOOD, &expected)]);
    block.spans(2, &[(PLAIN, "     got "), (BAD, &got)]);
    if let Some(note) = note {
        block.line(2, &format!("  differ {note}"));
    }
}

fn console(block: &mut Block<'_>, console: &[String]) {
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
