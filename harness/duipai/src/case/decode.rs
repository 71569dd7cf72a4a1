//! From a case file to its cases.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use duipai_spec::ledger::{Level, SentenceId};

use super::{
    Case, Edit, EventCase, Pair,
    error::{Problem, quoted},
    event::{self, Events},
    fields::{Fields, Value},
    needs,
    node::Document,
    pair, platform, rows,
    source::SourceFile,
};
use crate::{
    ledger::{Ledger, Sentence},
    subject::Answers,
};

/// The fields that cases of every kind have.
const FIELDS: [&str; 7] = ["id", "was", "says", "level", "title", "why", "each"];

/// Those that cases of the package have beside them and the events'.
const PACKAGE_FIELDS: [&str; 3] = ["pair", "together", "events"];

/// The cases of `file`, and what is wrong with the others: each case tells its
/// first problem.
pub(crate) fn cases(file: &SourceFile, ledger: &Ledger) -> (Vec<Case>, Vec<Problem>) {
    let document = Document::new(file);
    let mut problems = Vec::new();
    let mut cases = Vec::new();
    if let Err(problem) = decode(&document, ledger, &mut cases, &mut problems) {
        problems.push(problem);
    }
    (cases, problems)
}

fn decode(
    document: &Document<'_>,
    ledger: &Ledger,
    cases: &mut Vec<Case>,
    problems: &mut Vec<Problem>,
) -> Result<(), Problem> {
    let root = document.parse()?;
    let fields = format(Value::new(document, "file", &root), &["format", "kind", "case"])?;
    let kind = fields
        .optional("kind")
        .map(|kind| kind.choice(&Answers::ALL.map(Answers::name), Answers::from_name));
    let kind = kind.transpose()?.unwrap_or(Answers::Package);
    let list = fields.required("case")?;
    let values = list.list()?;
    if values.len() == 0 {
        return Err(list.problem("the file has no case"));
    }
    for value in values {
        if let Err(problem) = expand(document, value, kind, ledger, cases, problems) {
            problems.push(problem);
        }
    }
    Ok(())
}

/// The fields of a whole file, once its `format` is known to be ours.
pub(crate) fn format<'a>(file: Value<'a>, known: &[&str]) -> Result<Fields<'a>, Problem> {
    let fields = file.table()?;
    let format = fields.required("format")?;
    match format.integer()? {
        1 => fields.only(known),
        other => {
            let message = format!("format {other} is unknown; this version reads format 1");
            Err(format.problem(message))
        }
    }
}

/// Adds the case in `value`, or its rows.
fn expand(
    document: &Document<'_>,
    value: Value<'_>,
    kind: Answers,
    ledger: &Ledger,
    cases: &mut Vec<Case>,
    problems: &mut Vec<Problem>,
) -> Result<(), Problem> {
    let Some(each) = value.table()?.optional("each") else {
        document.next_case();
        let filled = rows::case(document, value.node(), &[])?;
        let fields = Value::new(document, "case", &filled).table()?;
        cases.push(case(fields, None, kind, ledger)?);
        return Ok(());
    };
    let rows = each.list()?;
    if rows.len() == 0 {
        return Err(each.problem("\"each\" has no row"));
    }
    for row in rows {
        document.next_case();
        match expand_row(document, value, row.table()?, kind, ledger) {
            Ok(case) => cases.push(case),
            Err(problem) => problems.push(problem),
        }
    }
    Ok(())
}

fn expand_row(
    document: &Document<'_>,
    value: Value<'_>,
    row: Fields<'_>,
    kind: Answers,
    ledger: &Ledger,
) -> Result<Case, Problem> {
    row.required("key")?.text()?;
    let filled = rows::case(document, value.node(), row.entries())?;
    let fields = Value::new(document, "case", &filled).table()?;
    case(fields, Some(row), kind, ledger)
}

/// A case, or one row of it, with its placeholders filled in.
fn case(
    fields: Fields<'_>,
    row: Option<Fields<'_>>,
    kind: Answers,
    ledger: &Ledger,
) -> Result<Case, Problem> {
    let own: &[&str] = match kind {
        Answers::Package => &PACKAGE_FIELDS,
        Answers::Platform => &platform::FIELDS,
    };
    let of_events: &[&str] = if kind == Answers::Package { &event::FIELDS } else { &[] };
    let known: Vec<&str> = FIELDS.iter().chain(own).chain(of_events).copied().collect();
    let fields = fields.only(&known)?;
    let id = id(fields.required("id")?)?;
    let (id, origin) = match row {
        None => (id.as_str().into(), fields.origin()),
        Some(row) => {
            let key = self::id(row.required("key")?)?;
            (format!("{id}#{key}").into(), row.origin())
        }
    };
    let (says, first) = says(fields.required("says")?, ledger)?;
    let level = level(fields.required("level")?, first)?;
    let (events, platform) = match kind {
        Answers::Package => (events(fields, first)?, None),
        Answers::Platform => (Vec::new(), Some(Arc::new(platform::decode(fields)?))),
    };
    let mut case = Case {
        id,
        was: match fields.optional("was") {
            Some(value) => value.list()?.map(case_id).collect::<Result<_, _>>()?,
            None => Vec::new(),
        },
        says,
        level,
        title: fields.required("title")?.words()?.to_string(),
        why: match fields.optional("why") {
            Some(value) => Some(value.words()?.to_string()),
            None => None,
        },
        pair: fields.optional("pair").map(pair).transpose()?,
        origin,
        together: together(fields.optional("together"), &events)?,
        events,
        platform,
        needs: BTreeSet::new(),
    };
    case.needs = needs::of(&case);
    Ok(case)
}

/// An id as the `id` of a case and the `key` of a row give it.
fn id(value: Value<'_>) -> Result<SentenceId, Problem> {
    let text = value.text()?;
    SentenceId::parse(text).ok_or_else(|| {
        let form = "words of a-z, 0-9 and - joined by dots";
        value.problem(format!("{} is not {form}", quoted(text)))
    })
}

/// The id of a case or of a row of one.
fn case_id(value: Value<'_>) -> Result<String, Problem> {
    let text = value.text()?;
    let (id, key) = text.split_once('#').unwrap_or((text, "-"));
    if SentenceId::parse(id).is_some() && SentenceId::parse(key).is_some() {
        return Ok(text.to_string());
    }
    Err(value.problem(format!("{} is not the id of a case", quoted(text))))
}

/// The sentences that `value` lists, and the first of them.
fn says<'l>(
    value: Value<'_>,
    ledger: &'l Ledger,
) -> Result<(Vec<SentenceId>, &'l Sentence), Problem> {
    let mut ids = Vec::new();
    let mut seen = HashSet::new();
    let mut first = None;
    for value in value.list()? {
        let text = value.text()?;
        let Some(sentence) = ledger.find(text) else {
            let name = quoted(text);
            return Err(value.problem(format!("the ledger has no sentence {name}")));
        };
        if sentence.level().is_none() {
            let message = format!("the ledger excludes the sentence {}", sentence.id);
            return Err(value.problem(message));
        }
        if !seen.insert(&sentence.id) {
            let message = format!("the sentence {} is listed twice", sentence.id);
            return Err(value.problem(message));
        }
        ids.push(sentence.id.clone());
        first.get_or_insert(sentence);
    }
    match first {
        Some(first) => Ok((ids, first)),
        None => Err(value.problem("a case is evidence for one sentence at the least")),
    }
}

fn level(value: Value<'_>, sentence: &Sentence) -> Result<Level, Problem> {
    let level = value.choice(&Level::ALL.map(Level::name), Level::from_name)?;
    match sentence.level() {
        Some(other) if other != level => {
            let id = &sentence.id;
            let message = format!("the level is {level}, but that of the sentence {id} is {other}");
            Err(value.problem(message))
        }
        _ => Ok(level),
    }
}

fn events(fields: Fields<'_>, sentence: &Sentence) -> Result<Vec<EventCase>, Problem> {
    let mut decoder = Events::new(sentence);
    let Some(list) = fields.optional("events") else {
        return Ok(vec![decoder.decode(fields)?]);
    };
    fields.without(&event::FIELDS, "beside \"events\"")?;
    let events: Vec<EventCase> = list
        .list()?
        .map(|value| decoder.decode(value.table()?.only(&event::FIELDS)?))
        .collect::<Result<_, _>>()?;
    if events.is_empty() {
        return Err(list.problem("a case has one event at the least"));
    }
    Ok(events)
}

fn together(value: Option<Value<'_>>, events: &[EventCase]) -> Result<bool, Problem> {
    let Some(value) = value else {
        return Ok(false);
    };
    let together = value.boolean()?;
    if together && events.len() < 2 {
        return Err(value.problem("\"together\" needs two events at the least"));
    }
    if together && events.iter().any(|event| event.redelivered) {
        let message = "a redelivered batch comes after its event, not together with it";
        return Err(value.problem(message));
    }
    Ok(together)
}

fn pair(value: Value<'_>) -> Result<Pair, Problem> {
    let fields = value.table()?;
    let edit = fields.required("edit")?;
    let kind: &str = edit.text()?;
    let edit = if kind == "text" {
        let fields = fields.only(&["with", "edit", "from", "to"])?;
        let part = |name: &str| {
            let value = fields.required(name)?;
            let text = value.text()?;
            if text.len() > pair::MAX_REPLACED_BYTES {
                let most = pair::MAX_REPLACED_BYTES;
                return Err(value.problem(format!("\"{name}\" has more than {most} bytes")));
            }
            Ok(text.to_string())
        };
        Edit::Text { from: part("from")?, to: part("to")? }
    } else {
        let make =
            edit.choice(
                &["bytes", "depth", "items", "delay", "index", "text"],
                |name| match name {
                    "bytes" => Some(Edit::Bytes as fn(i64) -> Edit),
                    "depth" => Some(Edit::Depth),
                    "items" => Some(Edit::Items),
                    "delay" => Some(Edit::Delay),
                    "index" => Some(Edit::Index),
                    _ => None,
                },
            )?;
        let fields = fields.only(&["with", "edit", "by"])?;
        let by = fields.required("by")?;
        match by.integer()? {
            0 => return Err(by.problem("\"by\" is 0, which is no edit")),
            by => make(by),
        }
    };
    let with = case_id(fields.required("with")?)?;
    Ok(Pair { with, edit })
}
