//! What must be seen of a scenario.

use std::collections::BTreeSet;

use duipai_platform::{
    Profile,
    history::{Reason, Refused},
    scenario::Scenario,
};

use super::{
    ExpectedDead, ExpectedDelivered, ExpectedDelivery, ExpectedDrop, ExpectedSend,
    PlatformExpectation,
    scenario::{by_name, labels, number, queue_name},
};
use crate::case::{
    Basis,
    error::{Problem, quoted},
    fields::{Fields, Value},
};

const FIELDS: [&str; 8] =
    ["documented", "measured", "sends", "deliveries", "dead", "dropped", "backlog", "late"];

/// How much later than asked for a real clock may show a delivery, in
/// milliseconds.
const LATE: u64 = 900;

/// Calls that one entry of `sends` stands for at most.
const MAX_ACCEPTED: usize = 10_000;

/// Greatest tolerance, in milliseconds.
const MAX_LATE: u64 = 5000;

/// The expectations of one table: the same for every profile that it names.
pub(super) fn decode(
    fields: Fields<'_>,
    scenario: &Scenario,
) -> Result<Vec<PlatformExpectation>, Problem> {
    let fields = fields.only(&FIELDS)?;
    let sources = [
        ("documented", Profile::Cloudflare, Basis::Documented),
        ("measured", Profile::Miniflare, Basis::Measured),
    ];
    let expected = Expected { scenario, labels: sent(scenario) };
    let one = PlatformExpectation {
        profile: Profile::default(),
        basis: Basis::Documented,
        source: String::new(),
        sends: expected.sends(fields)?,
        deliveries: flat(fields.required("deliveries")?, |value| expected.delivery(value))?,
        dead: match fields.optional("dead") {
            Some(value) => flat(value, |value| expected.dead(value))?,
            None => Vec::new(),
        },
        dropped: match fields.optional("dropped") {
            Some(value) => flat(value, |value| expected.dropped(value))?,
            None => Vec::new(),
        },
        backlog: match fields.optional("backlog") {
            Some(value) => by_name(value, |count| count.number())?,
            None => Default::default(),
        },
        late: match fields.optional("late") {
            None => LATE,
            Some(value) => match value.number()? {
                late if late <= MAX_LATE => late,
                _ => return Err(value.problem(format!("\"late\" is {MAX_LATE} at the most"))),
            },
        },
    };
    let mut all = Vec::new();
    for (field, profile, basis) in sources {
        if let Some(source) = fields.optional(field) {
            let source = source.words()?.to_string();
            all.push(PlatformExpectation { profile, basis, source, ..one.clone() });
        }
    }
    if all.is_empty() {
        let message =
            "an expectation says where it is \"documented\" or on what it was \"measured\"";
        return Err(fields.problem(message));
    }
    Ok(all)
}

fn flat<T>(
    value: Value<'_>,
    decode: impl Fn(Value<'_>) -> Result<Vec<T>, Problem>,
) -> Result<Vec<T>, Problem> {
    let all: Result<Vec<Vec<T>>, Problem> = value.list()?.map(decode).collect();
    Ok(all?.into_iter().flatten().collect())
}

fn sent(scenario: &Scenario) -> BTreeSet<&str> {
    let messages = scenario.inputs().iter().flat_map(|input| input.call.messages());
    messages.map(|message| &*message.label).collect()
}

/// What expectations may speak of.
struct Expected<'a> {
    scenario: &'a Scenario,
    labels: BTreeSet<&'a str>,
}

impl Expected<'_> {
    fn sends(&self, fields: Fields<'_>) -> Result<Vec<ExpectedSend>, Problem> {
        let inputs = self.scenario.inputs().len();
        let Some(value) = fields.optional("sends") else {
            return Ok(vec![ExpectedSend::Accepted; inputs]);
        };
        let list = flat(value, send)?;
        if list.len() != inputs {
            let (found, name) = (list.len(), "\"sends\"");
            return Err(value.problem(format!("{name} has {found} entries for {inputs} inputs")));
        }
        Ok(list)
    }

    fn delivery(&self, value: Value<'_>) -> Result<Vec<ExpectedDelivery>, Problem> {
        let fields = value.table()?.only(&["queue", "at", "attempts", "messages"])?;
        let at = fields.required("at")?;
        let time = at.number()?;
        if time > self.scenario.until() {
            return Err(at.problem("\"at\" is after the end of the scenario"));
        }
        let messages = self.messages(fields)?;
        let queue = queue_name(fields, "queue")?;
        if self.scenario.queues().get(&queue).is_none_or(|it| it.consumer.is_none()) {
            let queue = quoted(&queue);
            return Err(value.problem(format!("no queue {queue} has a consumer")));
        }
        Ok(vec![ExpectedDelivery { queue, at: time, messages }])
    }

    fn dead(&self, value: Value<'_>) -> Result<Vec<ExpectedDead>, Problem> {
        let fields = value.table()?.only(&["from", "to", "messages", "attempts"])?;
        let from = queue_name(fields, "from")?;
        let to = fields.required("to")?.text()?.to_string();
        let messages = self.messages(fields)?.into_iter();
        Ok(messages
            .map(|message| ExpectedDead {
                from: from.clone(),
                to: to.clone(),
                label: message.label,
                attempts: message.attempts,
            })
            .collect())
    }

    fn dropped(&self, value: Value<'_>) -> Result<Vec<ExpectedDrop>, Problem> {
        let fields = value.table()?.only(&["queue", "messages", "reason"])?;
        let queue = queue_name(fields, "queue")?;
        let all = ["exhausted", "dead_letter_lost", "expired", "no_consumer"];
        let reason = fields.required("reason")?.choice(&all, |name| match name {
            "exhausted" => Some(Reason::Exhausted),
            "dead_letter_lost" => Some(Reason::DeadLetterLost),
            "expired" => Some(Reason::Expired),
            "no_consumer" => Some(Reason::NoConsumer),
            _ => None,
        })?;
        let messages = self.messages(fields)?.into_iter();
        Ok(messages
            .map(|message| ExpectedDrop { queue: queue.clone(), label: message.label, reason })
            .collect())
    }

    /// The field `messages`, with the table's `attempts` where none are named.
    fn messages(&self, fields: Fields<'_>) -> Result<Vec<ExpectedDelivered>, Problem> {
        let attempts = number(fields, "attempts")?.unwrap_or(1);
        let value = fields.required("messages")?;
        let plain = |label: String| ExpectedDelivered { label, attempts, body: None };
        let found: Vec<ExpectedDelivered> = match value.table() {
            Ok(table) => {
                let table = table.only(&["count", "from", "label"])?;
                let first = number(table, "from")?.unwrap_or(0);
                let all = labels(table, table.required("label")?, first)?;
                all.into_iter().map(plain).collect()
            }
            Err(_) => {
                let one = |value: Value<'_>| match value.table() {
                    Ok(table) => delivered(table, attempts),
                    Err(_) => value.text().map(|label| plain(label.to_string())),
                };
                value.list()?.map(one).collect::<Result<_, _>>()?
            }
        };
        match found.iter().find(|message| !self.labels.contains(&*message.label)) {
            Some(message) => {
                let label = quoted(&message.label);
                Err(value.problem(format!("no message is called {label}")))
            }
            None => Ok(found),
        }
    }
}

fn delivered(table: Fields<'_>, attempts: u32) -> Result<ExpectedDelivered, Problem> {
    let table = table.only(&["label", "attempts", "body"])?;
    let body = table.optional("body").map(|value| match value.table() {
        Err(_) => value.text().map(ToString::to_string),
        Ok(fields) => {
            let letters = fields.only(&["letters"])?.required("letters")?;
            let count = letters.number::<u32>()? as usize;
            letters.spend(count)?;
            Ok(format!("\"{}\"", "x".repeat(count)))
        }
    });
    Ok(ExpectedDelivered {
        label: table.required("label")?.text()?.to_string(),
        attempts: number(table, "attempts")?.unwrap_or(attempts),
        body: body.transpose()?,
    })
}

/// One entry of `sends`, or so many that are all accepted.
fn send(value: Value<'_>) -> Result<Vec<ExpectedSend>, Problem> {
    let Ok(fields) = value.table() else {
        return value.choice(&["accepted"], |name| {
            (name == "accepted").then(|| vec![ExpectedSend::Accepted])
        });
    };
    match fields.one_of(&["accepted", "refused", "refused_code"])? {
        ("accepted", count) => {
            fields.only(&["accepted"])?;
            match count.number()? {
                count if count <= MAX_ACCEPTED => Ok(vec![ExpectedSend::Accepted; count]),
                _ => Err(count.problem(format!("\"accepted\" is {MAX_ACCEPTED} at the most"))),
            }
        }
        ("refused", text) => {
            fields.only(&["refused", "name"])?;
            let name = match fields.optional("name") {
                Some(name) => name.text()?.to_string(),
                None => String::from("Error"),
            };
            Ok(vec![ExpectedSend::Refused(Refused { name, message: text.text()?.to_string() })])
        }
        (_, code) => {
            fields.only(&["refused_code"])?;
            Ok(vec![ExpectedSend::RefusedCode(code.number()?)])
        }
    }
}
