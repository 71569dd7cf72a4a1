//! What a call of the producer may come to.

use duipai_platform::Producing;
use duipai_spec::{event::Call, messages};

use super::{Step, steps::Walk};
use crate::{
    observation::Outcome,
    oracle::{
        known::KnownDifference,
        producer::{Item, Sent, Verdict, wording},
    },
    plan::Binding,
};

impl Walk<'_> {
    /// A call with this verdict came to `outcome`.
    pub(super) fn produce(
        &mut self,
        binding: &str,
        verdict: &Verdict,
        outcome: &Outcome,
    ) -> Step<Option<KnownDifference>> {
        if let Some(difference) = verdict.differences.discarding() {
            return Ok(Some(difference));
        }
        let answer = self.plan().bindings.get(binding);
        let granted = self.plan().grants.iter().any(|name| name == binding);
        let usable = answer.filter(|_| granted);
        let sent = match outcome {
            Outcome::Threw { message } if verdict.messages().any(|it| it == message) => None,
            Outcome::Aborted { .. } if usable.is_none() && !binding.is_empty() => None,
            _ => verdict.sent.as_ref().filter(|_| usable.is_some()),
        };
        if matches!(outcome, Outcome::Threw { .. } | Outcome::Aborted { .. }) && sent.is_none() {
            self.refused = true;
        }
        match (sent, usable) {
            (Some(sent), Some(answer)) => {
                self.call(binding, sent, verdict)?;
                self.answered(answer, sent, outcome)?;
            }
            _ => self.not_sent(verdict, usable.is_some(), granted, outcome)?,
        }
        Ok(None)
    }

    /// The outcome is one of a call that reaches no platform.
    fn not_sent(&self, verdict: &Verdict, usable: bool, granted: bool, outcome: &Outcome) -> Step {
        match outcome {
            Outcome::Threw { message } if verdict.messages().any(|it| it == message) => Ok(()),
            // Whether binding or input is looked at first is open.
            Outcome::Aborted { .. } if !usable && !verdict.names_nothing() => Ok(()),
            _ => {
                let broken: Vec<&str> = verdict.messages().collect();
                let mut sentences: Vec<&str> =
                    verdict.broken.iter().map(|broken| broken.sentence).collect();
                if matches!(outcome, Outcome::Threw { .. }) {
                    // It was refused, only in other words.
                    sentences.splice(0..0, broken.iter().map(|message| wording(message)));
                }
                if broken.is_empty() {
                    let unusable =
                        if granted { "grant.unconfigured" } else { "grant.unauthorised" };
                    sentences.insert(0, unusable);
                    return self.fail(&sentences, "an abort".to_owned(), format!("{outcome:?}"));
                }
                let expected = format!("an exception: {}", broken.join(", or "));
                self.fail(&sentences, expected, format!("{outcome:?}"))
            }
        }
    }

    /// The next platform call sends this.
    fn call(&mut self, binding: &str, sent: &Sent, verdict: &Verdict) -> Step {
        let call = self.take_call();
        let fits = match (sent, call) {
            (Sent::Message(item), Some(Call::Send { binding: seen, arguments })) => {
                seen == binding && *arguments == message_arguments(item)
            }
            (Sent::Batch(items), Some(Call::SendBatch { binding: seen, arguments })) => {
                seen == binding && batch_arguments_fit(items, arguments)
            }
            _ => false,
        };
        if fits {
            return Ok(());
        }
        let (expected, mut sentences) = match sent {
            Sent::Message(item) => (
                format!("{binding}.send({})", message_arguments(item)),
                vec!["send.one-message", "send.canonical.structure", "send.content-type"],
            ),
            Sent::Batch(items) => {
                let items: Vec<String> = items.iter().map(batch_item).collect();
                (
                    format!("{binding}.sendBatch([[{}]])", items.join(",")),
                    vec!["batch.one-call", "batch.item.body-exact", "batch.content-type"],
                )
            }
        };
        sentences.extend(verdict.open.iter().map(|open| open.sentence));
        let got = match call {
            Some(Call::Send { binding, arguments }) => format!("{binding}.send({arguments})"),
            Some(Call::SendBatch { binding, arguments }) => {
                format!("{binding}.sendBatch({arguments})")
            }
            Some(other) => format!("{other:?}"),
            None => "no platform call".to_owned(),
        };
        self.fail(&sentences, expected, got)
    }

    /// The outcome is what the platform's answer makes it.
    fn answered(&mut self, answer: &Binding, sent: &Sent, outcome: &Outcome) -> Step {
        let (prefix, producing, sentences) = match sent {
            Sent::Message(_) => (
                messages::SEND_FAILED_PREFIX,
                Producing::Send,
                ["send.rejected.verbatim", "send.rejected.prefix"],
            ),
            Sent::Batch(_) => (
                messages::BATCH_FAILED_PREFIX,
                Producing::SendBatch,
                ["batch.rejected.verbatim", "batch.rejected.prefix"],
            ),
        };
        let text = match answer {
            Binding::Accepts => return self.returned(None, outcome, sentences[1]),
            Binding::RejectsError(text) => text.clone(),
            Binding::Refuses(refusal) => refusal.text(producing),
            // Of a value that is no Error, only the prefix is certain.
            Binding::RejectsValue(_) => match outcome {
                Outcome::Threw { message } if message.starts_with(prefix) => return Ok(()),
                _ => String::new(),
            },
        };
        self.threw(&[&format!("{prefix}{text}")], outcome, &sentences)
    }
}

impl Verdict {
    /// Whether the binding has no name, so that nothing can be looked up.
    fn names_nothing(&self) -> bool {
        self.broken.iter().any(|broken| broken.message == messages::BINDING_EMPTY)
    }
}

fn message_arguments(item: &Item) -> String {
    let delay = delay_member(item.delay);
    format!("[{},{{\"contentType\":\"json\"{delay}}}]", item.body)
}

fn delay_member(delay: u32) -> String {
    if delay == 0 { String::new() } else { format!(",\"delaySeconds\":{delay}") }
}

fn batch_item(item: &Item) -> String {
    format!("{{\"body\":{},\"contentType\":\"json\"{}}}", item.body, delay_member(item.delay))
}

/// Whether these are the arguments that send the items; a delay of 0 may be
/// said or left out.
fn batch_arguments_fit(items: &[Item], arguments: &str) -> bool {
    let mut rest = arguments;
    let mut eat = |text: &str| {
        let after = rest.strip_prefix(text);
        rest = after.unwrap_or(rest);
        after.is_some()
    };
    for (index, item) in items.iter().enumerate() {
        let begun = eat(if index == 0 { "[[{\"body\":" } else { ",{\"body\":" });
        if !(begun && eat(&item.body) && eat(",\"contentType\":\"json\"")) {
            return false;
        }
        let zero = item.delay == 0 && eat(",\"delaySeconds\":0");
        let delayed = zero || eat(&delay_member(item.delay));
        if !(delayed && eat("}")) {
            return false;
        }
    }
    eat("]]") && rest.is_empty()
}
