//! Cases as the runner and the judge see them.

use std::{
    collections::BTreeSet,
    fmt::{self, Display, Formatter},
    sync::Arc,
};

use duipai_platform::{Profile, Redelivery};
use duipai_spec::ledger::{Level, SentenceId};

use super::platform::PlatformCase;
use crate::{
    plan::EventPlan,
    subject::{Answers, Capability},
};

/// One case (样例): a plan, and what must be observed.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its stable id; for a row of `each`, `ID#KEY`.
    pub id: Arc<str>,
    /// Earlier ids of the same case.
    pub was: Vec<String>,
    /// The sentences that it is evidence for; at least one, the first is the
    /// one it is about.
    pub says: Vec<SentenceId>,
    /// How binding it is.
    pub level: Level,
    /// One line for people.
    pub title: String,
    /// Why the input is deceptive, or where it comes from.
    pub why: Option<String>,
    /// The twin that differs by one edit.
    pub pair: Option<Pair>,
    /// Where it is written.
    pub origin: Origin,
    /// What it runs, and what must be seen; at least one event, but none in a
    /// platform case.
    pub events: Vec<EventCase>,
    /// The events are open at the same time.
    pub together: bool,
    /// What a platform case plays, and what must be seen; `None` in a case of
    /// the package.
    pub platform: Option<Arc<PlatformCase>>,
    /// What a subject needs to be able to run it.
    pub needs: BTreeSet<Capability>,
}

impl Case {
    /// The kind of case, which says whom it can be put to.
    pub const fn kind(&self) -> Answers {
        match self.platform {
            None => Answers::Package,
            Some(_) => Answers::Platform,
        }
    }

    /// Whether the input of the case is accepted: no step throws or aborts and
    /// every event is fulfilled. `None` if that is what the document leaves
    /// open.
    pub fn accepts(&self) -> Option<bool> {
        if let Some(platform) = &self.platform {
            return platform.accepts();
        }
        let permitted = |event: &EventCase| {
            let accepted = event.permitted.iter().map(Expectation::accepts);
            (accepted.clone().any(|it| it), accepted.clone().any(|it| !it))
        };
        let events: Vec<(bool, bool)> = self.events.iter().map(permitted).collect();
        if events.iter().any(|&(accepted, _)| !accepted) {
            Some(false)
        } else if events.iter().any(|&(_, refused)| refused) {
            None
        } else {
            Some(true)
        }
    }
}

/// Where something is written: `path:line:column`, both counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The file, as given by the user or relative to the project.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One event of a case.
#[derive(Clone, Debug)]
pub struct EventCase {
    /// What the subject is asked to do.
    pub plan: EventPlan,
    /// The batch is what the platform redelivers from the event before; the
    /// plan's own batch is then empty until the runner fills it.
    pub redelivered: bool,
    /// The permitted behaviours; at least one.
    pub permitted: Vec<Expectation>,
}

/// One permitted behaviour of one event, whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Its id, where there is a choice.
    pub behaviour: Option<String>,
    /// One for each step.
    pub outcomes: Vec<ExpectedOutcome>,
    /// The complete ordered platform call log.
    pub calls: Vec<ExpectedCall>,
    /// How the event ends.
    pub end: ExpectedEnd,
    /// What the platform redelivers, for the profiles that are judged.
    pub after: Vec<After>,
}

impl Expectation {
    fn accepts(&self) -> bool {
        let throws_or_aborts = |outcome: &ExpectedOutcome| {
            matches!(outcome, ExpectedOutcome::Threw(_) | ExpectedOutcome::Aborted)
        };
        self.end == ExpectedEnd::Fulfilled && !self.outcomes.iter().any(throws_or_aborts)
    }
}

/// What a step must come to.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedOutcome {
    /// It returned, with whatever value.
    Returned,
    /// It returned a JSON text of this value, keys in any order.
    ReturnedJson(Arc<str>),
    /// It returned exactly this text.
    ReturnedText(Arc<str>),
    /// It returned the value that the event's batch calls for.
    ReturnedBatch,
    /// It threw a catchable exception.
    Threw(ExpectedMessage),
    /// The host ended the event.
    Aborted,
    /// The event had ended before.
    NotReached,
}

/// What the message of an exception must be.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedMessage {
    /// Exactly this.
    Exact(String),
    /// One of these; at least two.
    AnyOf(Vec<String>),
    /// Begins so.
    Prefix {
        /// The fixed beginning.
        prefix: String,
        /// Why the rest is free.
        reason: String,
    },
    /// Anything.
    Any {
        /// Why the document leaves it open.
        reason: String,
    },
}

/// A platform call that must be seen.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedCall {
    /// `send(body, options)`.
    Send {
        /// Name of the binding.
        binding: String,
        /// The body's canonical text.
        body: Arc<str>,
        /// The options object, as JSON text.
        options: String,
    },
    /// `sendBatch(items)`.
    SendBatch {
        /// Name of the binding.
        binding: String,
        /// The items, in order.
        items: Vec<ExpectedItem>,
    },
    /// `ack()`.
    Ack {
        /// Index of the message.
        message: u32,
    },
    /// `retry(options)`.
    Retry {
        /// Index of the message.
        message: u32,
        /// The options object as JSON text; `None` for no argument.
        options: Option<String>,
    },
    /// A call given as the exact text of its argument array (from a vector).
    Exact {
        /// The platform's name of the method.
        method: String,
        /// Name of the binding.
        binding: String,
        /// The argument array.
        arguments: ExactText,
    },
}

/// One item of a batch as the platform must see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedItem {
    /// The body's canonical text.
    pub body: Arc<str>,
    /// Its delay in seconds, where there must be one.
    pub delay: Option<u32>,
}

/// A text, or the digest of one that is too long to be written down.
#[derive(Clone, Debug, PartialEq)]
pub enum ExactText {
    /// The text itself.
    Text(Arc<str>),
    /// Its SHA-256 in lower-case hexadecimal, and its size in UTF-8 bytes.
    Digest {
        /// SHA-256.
        sha256: String,
        /// UTF-8 bytes.
        bytes: usize,
    },
}

/// How an event must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedEnd {
    /// Fulfilled.
    Fulfilled,
    /// Rejected by an uncaught exception.
    Rejected,
    /// Ended by the host.
    Aborted,
}

/// What the platform must redeliver under one profile.
#[derive(Clone, Debug, PartialEq)]
pub struct After {
    /// The profile.
    pub profile: Profile,
    /// Where the expectation comes from.
    pub basis: Basis,
    /// The redelivered messages, in batch order.
    pub redelivered: Vec<Redelivery>,
}

/// Where an expectation about the platform comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The platform's documentation.
    Documented,
    /// A measurement.
    Measured,
}

impl Basis {
    /// The name used in case files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Measured => "measured",
        }
    }
}

/// The twin of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The twin's id.
    pub with: String,
    /// How the twin's plan differs from this one's.
    pub edit: Edit,
}

/// The one difference between twins.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// A text of the twin is longer by so many UTF-8 bytes.
    Bytes(i64),
    /// A text of the twin is nested deeper by so many levels.
    Depth(i64),
    /// A text of the twin has so many more items.
    Items(i64),
    /// A delay of the twin is greater by so many seconds.
    Delay(i64),
    /// An index of the twin is greater by so much.
    Index(i64),
    /// One stretch of a text is replaced.
    Text {
        /// What stands here.
        from: String,
        /// What stands there.
        to: String,
    },
}
