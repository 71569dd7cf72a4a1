//! `duipai run`.

use std::{
    io::IsTerminal as _,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

use duipai_platform::Profile;
use duipai_spec::ledger::Level;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    case::MAX_FILE_BYTES,
    cli::{
        CliError, Done,
        args::{Format, RunArgs},
        output,
        select::{self, Selection},
    },
    judge::printable,
    known::{Applicable, Known},
    regular,
    report::{self, Report, Setting, pretty::Look},
    runner::{self, CaseResult, Options, Progress, Rerun, RunLine},
    subject::Subject,
    subjects::{self, worker::Reach},
};

/// Judges the subject and reports.
pub(super) fn run(args: &RunArgs) -> Result<Done, CliError> {
    // Before the work, so that no result is lost for want of a place to put it.
    args.out.iter().chain(&args.timings).try_for_each(|path| writable(path))?;
    let selection = select::select(&args.select)?;
    let reach = if args.allow_remote { Reach::Remote } else { Reach::Loopback };
    let subject = subjects::from_spec_within(&args.subject, reach)?;
    let selection = selection.answered(subject.answers())?;
    let profile = profile(args, &*subject)?;
    let enforced = args.select.level.unwrap_or(subject.answers().enforced());
    let default = Options::of(&*subject);
    let jobs = args.jobs.and_then(|jobs| NonZeroUsize::new(jobs.into()));
    let options = Options {
        profile,
        timeout: args.timeout.map_or(default.timeout, Duration::from_secs_f64),
        fail_fast: args.fail_fast.then_some(enforced),
        known: known(args, &selection, profile, &*subject)?,
        rerun: rerun(args),
        jobs: jobs.unwrap_or(default.jobs),
    };
    let bar = Bar::new(selection.cases.len(), enforced, args);
    let declared = selection.cases.len();
    let results = runner::run(&selection.cases, &subject, &options, &bar);
    bar.bar.finish_and_clear();
    let setting =
        Setting { suite: selection.suite.clone(), identity: subject.identity(), profile, enforced };
    let report = Report::new(setting, declared, results)?;
    let text = render(&report, &selection, args)?;
    match &args.out {
        Some(path) => write(path, &text)?,
        None => output::print(&text)?,
    }
    if let Some(path) = &args.timings {
        let timings =
            report::timings::render(&report).map_err(|e| CliError::Report(e.to_string()))?;
        write(path, &timings)?;
    }
    Ok(Done::conformant_if(report.conformant()))
}

/// The profile of the run: that of the subject if it has one.
fn profile(args: &RunArgs, subject: &dyn Subject) -> Result<Profile, CliError> {
    match (subject.profile(), args.profile) {
        (Some(own), Some(asked)) if own != asked => Err(CliError::OtherProfile(own)),
        (own, asked) => Ok(own.or(asked).unwrap_or_default()),
    }
}

/// The file can be put where it is to go.
fn writable(path: &Path) -> Result<(), CliError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let kind = if path.is_dir() {
        std::io::ErrorKind::IsADirectory
    } else if folder.is_some_and(|folder| !folder.is_dir()) {
        std::io::ErrorKind::NotFound
    } else {
        return Ok(());
    };
    Err(CliError::Unwritable { path: path.to_owned(), source: kind.into() })
}

fn known(
    args: &RunArgs,
    selection: &Selection,
    profile: Profile,
    subject: &dyn Subject,
) -> Result<Applicable, CliError> {
    let Some(path) = &args.known else { return Ok(Applicable::default()) };
    let text = regular::text(path, MAX_FILE_BYTES)
        .map_err(|source| CliError::Unreadable { path: path.clone(), source })?;
    let known = Known::parse(&path.display().to_string(), &text)
        .map_err(|error| CliError::Known(vec![error]))?;
    known
        .applicable(selection.declared.iter(), profile, &subject.identity())
        .map_err(CliError::Known)
}

fn rerun(args: &RunArgs) -> Rerun {
    let default = RunLine::new(&*args.subject);
    let texts = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    Rerun::Run(RunLine {
        subject: args.subject.clone(),
        allow_remote: args.allow_remote,
        cases: texts(&args.select.cases),
        vectors: texts(&args.select.vectors),
        profile: args.profile.unwrap_or_default(),
        level: args.select.level,
        known: args.known.as_ref().map(|path| path.display().to_string()),
        timeout: args.timeout.map_or(default.timeout, Duration::from_secs_f64),
    })
}

fn render(report: &Report, selection: &Selection, args: &RunArgs) -> Result<String, CliError> {
    let failed = |error: &dyn std::fmt::Display| CliError::Report(error.to_string());
    match args.format {
        Format::Json => report::json::render(report).map_err(|error| failed(&error)),
        Format::Junit => {
            let durations = report::junit::Durations::Omit;
            report::junit::render(report, durations).map_err(|error| failed(&error))
        }
        Format::Md => Ok(report::md::render(report)),
        Format::Pretty => {
            // The stream takes colours away again where they do not belong.
            let colour = args.out.is_none();
            let look = Look { sentence: &|id| selection.ledger.said(id), colour };
            Ok(pretty(report, selection, &look))
        }
    }
}

/// Every bad result in full, then the counts.
fn pretty(report: &Report, selection: &Selection, look: &Look<'_>) -> String {
    let bad = report.results().iter().filter(|result| result.status().is_bad());
    let case = |result: &CaseResult| {
        let found = selection.cases.binary_search_by(|case| case.id.cmp(&result.id));
        found.ok().and_then(|index| selection.cases.get(index))
    };
    let enforced = report.setting().enforced;
    let blocks = bad.filter_map(|result| {
        case(result).map(|case| report::pretty::failure(result, case, enforced, look) + "\n")
    });
    blocks.collect::<String>() + &report::pretty::summary(report, look)
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    report::file::write(path, text)
        .map_err(|source| CliError::Unwritable { path: path.to_owned(), source })
}

/// The progress bar, on a terminal only, and only where a person reads.
struct Bar {
    bar: ProgressBar,
    enforced: Level,
}

impl Bar {
    fn new(cases: usize, enforced: Level, args: &RunArgs) -> Self {
        let watched = args.format == Format::Pretty && std::io::stderr().is_terminal();
        let bar = if watched { ProgressBar::new(cases as u64) } else { ProgressBar::hidden() };
        let bar = match ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
            Ok(style) => bar.with_style(style),
            // The template is fixed; should the library refuse it, its own
            // style serves.
            Err(_) => bar,
        };
        Self { bar, enforced }
    }
}

impl Progress for Bar {
    fn finished(&self, result: &CaseResult) {
        if result.status().is_bad() {
            let label = report::pretty::label(result, self.enforced);
            self.bar.println(format!("{label} {}", printable(&result.id)));
        }
        self.bar.inc(1);
    }
}
