//! The sentence ledger (规范条目): every sentence that the cases are evidence
//! for, in the order of the documents.
//!
//! ```toml
//! format = 1
//! name = "消息队列接口"
//! version = "0.1.0"
//!
//! [[sentence]]
//! id = "send.delay.range"
//! document = "interface"          # interface, adapter or platform
//! place = "生产者 ¶1"              # where it stands
//! level = "must"                  # must, should, may or observe
//! says = "A delay lies in 0 to 43200 seconds."
//! ```
//!
//! A sentence that no run can check has `excluded = "reason"` in place of
//! `level`. A row of the conformance table has its number as `row`. Where the
//! document can be read in several ways, `ambiguous` says what is unclear and
//! `permitted` lists the readings, each as `"behaviour: meaning"` or as the
//! exact message that shows it.
//!
//! Where the sentence is a claim about a platform, `finding` says what came of
//! it: `confirmed` or `refuted`, with the version in `seen_on`, or `documented`
//! where nothing but the documentation shows it.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use duipai_spec::{
    SPEC_NAME,
    ledger::{Level, SentenceId},
};

use crate::case::{
    Origin, decode,
    error::{LoadError, Problem, quoted},
    fields::{Fields, Value},
    node::Document,
    source::SourceFile,
};

/// Number of rows in the conformance table (一致性样例).
pub const TABLE_ROWS: u8 = 13;

const FIELDS: [&str; 11] = [
    "id",
    "document",
    "place",
    "level",
    "says",
    "excluded",
    "row",
    "ambiguous",
    "permitted",
    "finding",
    "seen_on",
];

/// The sentences of a specification.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// Name of the specification.
    pub name: String,
    /// Its version.
    pub version: String,
    sentences: Vec<Sentence>,
    by_id: BTreeMap<SentenceId, usize>,
    by_row: BTreeMap<u8, usize>,
}

impl Ledger {
    /// Decodes a ledger file.
    ///
    /// # Errors
    ///
    /// Everything in the file that is not as this module describes it: one
    /// problem for each sentence.
    pub fn decode(file: &SourceFile) -> Result<Self, LoadError> {
        let document = Document::new(file);
        let root = document.parse()?;
        let root = Value::new(&document, "file", &root);
        let fields = decode::format(root, &["format", "name", "version", "sentence"])?;
        let mut problems = Vec::new();
        let mut ledger = Self {
            name: fields.required("name")?.words()?.to_string(),
            version: fields.required("version")?.words()?.to_string(),
            sentences: Vec::new(),
            by_id: BTreeMap::new(),
            by_row: BTreeMap::new(),
        };
        for value in fields.required("sentence")?.list()? {
            if let Err(problem) = ledger.add(value) {
                problems.push(problem);
            }
        }
        problems.extend(ledger.missing_rows(&fields));
        LoadError::unless_empty(ledger, problems)
    }

    /// The sentences in the order of the file.
    pub fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    /// The sentence with this id.
    pub fn find(&self, id: &str) -> Option<&Sentence> {
        let index = self.by_id.get(&SentenceId::parse(id)?)?;
        self.sentences.get(*index)
    }

    /// What the ledger says of a sentence that is checked.
    pub fn said(&self, id: &SentenceId) -> Option<Said> {
        let sentence = self.find(id.as_str())?;
        Some(Said { level: sentence.level()?, text: sentence.says.clone() })
    }

    fn add(&mut self, value: Value<'_>) -> Result<(), Problem> {
        let fields = value.table()?.only(&FIELDS)?;
        let sentence = sentence(fields)?;
        if let Some(first) = self.find(sentence.id.as_str()) {
            let message = format!("duplicate sentence {}, first at {}", first.id, first.origin);
            return Err(fields.required("id")?.problem(message));
        }
        if let Some(row) = sentence.row
            && let Some(first) = self.by_row.get(&row).and_then(|it| self.sentences.get(*it))
        {
            let message = format!("duplicate row {row}, first at {}", first.origin);
            return Err(fields.required("row")?.problem(message));
        }
        if let Some(row) = sentence.row {
            self.by_row.insert(row, self.sentences.len());
        }
        self.by_id.insert(sentence.id.clone(), self.sentences.len());
        self.sentences.push(sentence);
        Ok(())
    }

    /// The interface document's table is covered row by row; ledgers of other
    /// documents have what rows they like.
    fn missing_rows(&self, fields: &Fields<'_>) -> Option<Problem> {
        let missing: Vec<String> = (1..=TABLE_ROWS)
            .filter(|row| !self.by_row.contains_key(row))
            .map(|row| row.to_string())
            .collect();
        let complete = self.name != SPEC_NAME || missing.is_empty();
        let rows = missing.join(", ");
        (!complete).then(|| fields.problem(format!("no sentence for the table's rows {rows}")))
    }
}

/// One sentence of the ledger.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// Its id.
    pub id: SentenceId,
    /// The document that it stands in.
    pub document: Source,
    /// Where it stands in the document.
    pub place: String,
    /// What it asks for, in our own words.
    pub says: String,
    /// How binding it is, or why it is not checked.
    pub status: Status,
    /// Its row of the conformance table, from 1.
    pub row: Option<u8>,
    /// What is unclear about it.
    pub ambiguity: Option<Ambiguity>,
    /// What came of it, if it is a claim about a platform.
    pub finding: Option<Finding>,
    /// Where the ledger has it.
    pub origin: Origin,
}

/// What came of a claim about a platform (实测结论).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A run has shown it; holds the version that it was seen on.
    Confirmed(String),
    /// A run has shown something else, at least in part; holds the version.
    Refuted(String),
    /// Only the documentation says so.
    Documented,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Confirmed(version) => write!(f, "confirmed on {version}"),
            Self::Refuted(version) => write!(f, "refuted on {version}"),
            Self::Documented => f.write_str("documented only"),
        }
    }
}

impl Sentence {
    /// How binding it is; `None` if it is excluded.
    pub const fn level(&self) -> Option<Level> {
        match self.status {
            Status::Checked(level) => Some(level),
            Status::Excluded(_) => None,
        }
    }

    /// Ids of the permitted behaviours; none if it is clear.
    pub fn behaviours(&self) -> impl Iterator<Item = &str> {
        let permitted = self.ambiguity.iter().flat_map(|it| &it.permitted);
        permitted.map(|reading| &*reading.behaviour)
    }
}

/// What the ledger says of a sentence that is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// How binding it is.
    pub level: Level,
    /// Our paraphrase of it.
    pub text: String,
}

/// Whether a sentence is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is, at this level.
    Checked(Level),
    /// It is not, for this reason.
    Excluded(String),
}

/// A document that sentences stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The interface document (接口规范).
    Interface,
    /// The notes on the adapter (适配).
    Adapter,
    /// What is documented or measured of the platform.
    Platform,
}

impl Source {
    /// All documents.
    pub const ALL: [Self; 3] = [Self::Interface, Self::Adapter, Self::Platform];

    /// The name used in the ledger.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interface => "interface",
            Self::Adapter => "adapter",
            Self::Platform => "platform",
        }
    }

    /// The document with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a sentence can be read in several ways, and the ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguity {
    /// What is unclear.
    pub unclear: String,
    /// The permitted readings; at least two.
    pub permitted: Vec<Reading>,
}

/// One permitted reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The behaviour's id, or the exact message that shows it.
    pub behaviour: String,
    /// What it means; a message speaks for itself.
    pub meaning: Option<String>,
}

fn sentence(fields: Fields<'_>) -> Result<Sentence, Problem> {
    let id = fields.required("id")?;
    let text = id.text()?;
    let Some(parsed) = SentenceId::parse(text) else {
        let form = "words of a-z, 0-9 and - joined by dots";
        return Err(id.problem(format!("{} is not {form}", quoted(text))));
    };
    let document = fields.required("document")?;
    Ok(Sentence {
        id: parsed,
        document: document.choice(&Source::ALL.map(Source::name), Source::from_name)?,
        place: fields.required("place")?.words()?.to_string(),
        says: fields.required("says")?.words()?.to_string(),
        status: status(fields)?,
        row: fields.optional("row").map(row).transpose()?,
        ambiguity: ambiguity(fields)?,
        finding: finding(fields)?,
        origin: fields.origin(),
    })
}

fn status(fields: Fields<'_>) -> Result<Status, Problem> {
    match fields.one_of(&["level", "excluded"])? {
        ("excluded", reason) => Ok(Status::Excluded(reason.words()?.to_string())),
        (_, level) => {
            let names = Level::ALL.map(Level::name);
            level.choice(&names, Level::from_name).map(Status::Checked)
        }
    }
}

fn finding(fields: Fields<'_>) -> Result<Option<Finding>, Problem> {
    let seen_on = fields.optional("seen_on");
    let Some(finding) = fields.optional("finding") else {
        fields.without(&["seen_on"], "without \"finding\"")?;
        return Ok(None);
    };
    let names = ["confirmed", "refuted", "documented"];
    let make = finding.choice(&names, |name| match name {
        "confirmed" => Some(Some(Finding::Confirmed as fn(String) -> Finding)),
        "refuted" => Some(Some(Finding::Refuted)),
        "documented" => Some(None),
        _ => None,
    })?;
    match (make, seen_on) {
        (Some(make), Some(version)) => {
            // What no case shows has not been seen.
            fields.without(&["excluded"], "beside what was seen")?;
            Ok(Some(make(version.words()?.to_string())))
        }
        (Some(_), None) => Err(finding.problem("\"seen_on\" must say the version")),
        (None, Some(version)) => Err(version.problem("what is only documented was not seen")),
        (None, None) => Ok(Some(Finding::Documented)),
    }
}

fn row(value: Value<'_>) -> Result<u8, Problem> {
    match value.number()? {
        row @ 1..=TABLE_ROWS => Ok(row),
        row => Err(value.problem(format!("row {row} is not one of 1 to {TABLE_ROWS}"))),
    }
}

fn ambiguity(fields: Fields<'_>) -> Result<Option<Ambiguity>, Problem> {
    let Some(unclear) = fields.optional("ambiguous") else {
        fields.without(&["permitted"], "without \"ambiguous\"")?;
        return Ok(None);
    };
    let list = fields.required("permitted")?;
    let mut permitted = Vec::new();
    let mut behaviours = HashSet::new();
    for value in list.list()? {
        let reading = reading(value.words()?);
        if !behaviours.insert(reading.behaviour.clone()) {
            let name = quoted(&reading.behaviour);
            return Err(value.problem(format!("the behaviour {name} is listed twice")));
        }
        permitted.push(reading);
    }
    if permitted.len() < 2 {
        return Err(list.problem("\"permitted\" lists two behaviours at the least"));
    }
    Ok(Some(Ambiguity { unclear: unclear.words()?.to_string(), permitted }))
}

fn reading(text: &str) -> Reading {
    match text.split_once(": ") {
        Some((id, meaning)) if SentenceId::parse(id).is_some() => {
            Reading { behaviour: id.to_owned(), meaning: Some(meaning.to_owned()) }
        }
        _ => Reading { behaviour: text.to_owned(), meaning: None },
    }
}
