//! Wrong platforms (变异体): the model with one rule swapped, to see that cases
//! and [laws](crate::check) find it.

use crate::{
    History, Profile, Rules, Scenario,
    engine::Ticket,
    parts::{Clock, Parts},
    play_with,
    rng::mix,
    settle::{self, Fate, Mark, Note, Verdict},
};

/// A wrong platform.
#[derive(Clone, Copy)]
pub struct Mutant {
    /// Its name.
    pub name: &'static str,
    /// The profile that it is made of.
    pub profile: Profile,
    /// The rule that it breaks.
    pub breaks: &'static str,
    /// What it does.
    pub does: &'static str,
    bend: Bend,
}

#[derive(Clone, Copy)]
enum Bend {
    Rules(fn(&mut Rules)),
    Parts(fn(&mut Parts)),
}

impl Mutant {
    /// The mutant with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        MUTANTS.iter().find(|mutant| mutant.name == name)
    }

    /// What happens in a scenario on this platform.
    pub fn play(&self, scenario: &Scenario) -> History {
        let (mut rules, mut parts) = (Rules::of(self.profile), Parts::RIGHT);
        match self.bend {
            Bend::Rules(bend) => bend(&mut rules),
            Bend::Parts(bend) => bend(&mut parts),
        }
        play_with(scenario, &rules, &parts, None)
    }
}

const CLOUDFLARE: Profile = Profile::Cloudflare;
const MINIFLARE: Profile = Profile::Miniflare;

macro_rules! mutants {
    ($( $name:literal, $profile:ident, $breaks:literal, $does:literal, $bend:expr; )+) => {
        /// The mutants.
        pub const MUTANTS: &[Mutant] = &[$(
            Mutant { name: $name, profile: $profile, breaks: $breaks, does: $does, bend: $bend },
        )+];
    };
}

mutants! {
    "acked-redelivered", CLOUDFLARE,
    "an acknowledged message stays acknowledged when its event fails",
    "delivers the whole batch of a failed event again",
    Bend::Rules(|rules| rules.ack_survives_failure = false);

    "ack-all-redelivered", CLOUDFLARE,
    "ackAll holds when its event fails",
    "delivers the batch again after ackAll and a failure",
    Bend::Rules(|rules| rules.ack_all_survives_failure = false);

    "retry-all-beats-ack", CLOUDFLARE,
    "a call on a message comes before a call on the batch",
    "retries acknowledged messages after retryAll",
    Bend::Rules(|rules| rules.ack_survives_retry_all = false);

    "acked-spared", MINIFLARE,
    "the local queue delivers the whole batch of a failed event again",
    "keeps acknowledged messages acknowledged",
    Bend::Rules(|rules| rules.ack_survives_failure = true);

    "first-retry-wins", MINIFLARE,
    "the runtime takes the delay of the last retry of a message",
    "takes the delay of the first one",
    Bend::Rules(|rules| rules.later_retry_counts = false);

    "last-retry-wins", CLOUDFLARE,
    "the first call on a message counts",
    "takes the delay of the last retry",
    Bend::Rules(|rules| rules.later_retry_counts = true);

    "ack-after-retry-wins", CLOUDFLARE,
    "the first of ack and retry counts",
    "lets an ack after a retry count",
    Bend::Parts(|parts| parts.note = |rules, verdict, note| {
        if let Note::Ack(message) = note
            && let Some(mark) = verdict.marks.get_mut(message as usize)
        {
            *mark = Mark::Open;
        }
        settle::note(rules, verdict, note);
    });

    "retry-after-ack-wins", CLOUDFLARE,
    "the first of ack and retry counts",
    "lets a retry after an ack count",
    Bend::Parts(|parts| parts.note = |rules, verdict, note| {
        if let Note::Retry(message, _) = note
            && let Some(mark) = verdict.marks.get_mut(message as usize)
        {
            *mark = Mark::Open;
        }
        settle::note(rules, verdict, note);
    });

    "throw-acks", CLOUDFLARE,
    "a failed event is delivered again",
    "takes a failed event for a successful one",
    Bend::Parts(|parts| parts.decide = |rules, verdict, message, _| {
        settle::decide(rules, verdict, message, false)
    });

    "retry-acks", CLOUDFLARE,
    "a retried message is delivered again",
    "takes a retry for an acknowledgement",
    Bend::Parts(|parts| parts.note = |rules, verdict, note| {
        let note = match note {
            Note::Retry(message, _) => Note::Ack(message),
            other => other,
        };
        settle::note(rules, verdict, note);
    });

    "return-retries", CLOUDFLARE,
    "a batch whose handler returns is acknowledged",
    "retries what was not acknowledged",
    Bend::Parts(|parts| parts.decide = |rules, verdict, message, _| {
        settle::decide(rules, verdict, message, true)
    });

    "one-retries-all", CLOUDFLARE,
    "a retry is of one message",
    "retries the whole batch when one message is retried",
    Bend::Parts(|parts| parts.decide = retry_all_for_one);

    "attempts-from-0", CLOUDFLARE,
    "attempts begin at 1",
    "counts attempts from 0",
    Bend::Parts(|parts| parts.attempts = |deliveries| deliveries - 1);

    "attempts-stand-still", CLOUDFLARE,
    "attempts grow by 1",
    "says 1 at every delivery",
    Bend::Parts(|parts| parts.attempts = |_| 1);

    "one-retry-more", CLOUDFLARE,
    "a message is retried max_retries times",
    "retries it once more",
    Bend::Parts(|parts| parts.exhausted = |deliveries, allowed| deliveries > allowed);

    "one-retry-less", MINIFLARE,
    "a message is retried max_retries times",
    "counts the first delivery as a retry",
    Bend::Rules(|rules| rules.deliveries_beyond_retries = 0);

    "dead-letter-keeps-attempts", CLOUDFLARE,
    "attempts of a dead letter begin anew",
    "goes on counting in the dead-letter queue",
    Bend::Parts(|parts| parts.bury = |_, _| {});

    "dead-letter-new-id", MINIFLARE,
    "a dead letter keeps its id",
    "gives it another",
    Bend::Parts(|parts| parts.bury = |ticket, _| {
        ticket.deliveries = 0;
        ticket.serial = mix(ticket.serial);
    });

    "dead-letter-new-timestamp", MINIFLARE,
    "a dead letter keeps its timestamp",
    "stamps it when it moves",
    Bend::Parts(|parts| parts.bury = |ticket, now| {
        ticket.deliveries = 0;
        ticket.timestamp = now;
    });

    "dead-letters-dropped", CLOUDFLARE,
    "exhausted messages go to the dead-letter queue",
    "drops them",
    Bend::Parts(|parts| parts.buries = false);

    "timestamp-of-retry", CLOUDFLARE,
    "a retried message keeps its timestamp",
    "stamps it at every retry",
    Bend::Parts(|parts| parts.requeue = restamp);

    "id-of-retry", CLOUDFLARE,
    "a retried message keeps its id",
    "gives it another at every retry",
    Bend::Parts(|parts| parts.requeue = |ticket, _| ticket.serial = mix(ticket.serial));

    "delay-ignored", CLOUDFLARE,
    "a message with a delay waits for it",
    "delivers every message at once",
    Bend::Parts(|parts| parts.first_delay = |_, _, _| 0);

    "delay-in-milliseconds", CLOUDFLARE,
    "delays are in seconds",
    "takes them for milliseconds",
    Bend::Parts(|parts| parts.first_delay = |message, batch, queue| {
        crate::parts::first_delay(message, batch, queue) / 1_000
    });

    "batch-delay-wins", CLOUDFLARE,
    "a message's own delay comes before the batch's",
    "takes the batch's",
    Bend::Parts(|parts| parts.first_delay = |message, batch, queue| {
        crate::parts::first_delay(batch.or(message), None, queue)
    });

    "send-0-is-absent", CLOUDFLARE,
    "an explicit delay of 0 overrides delivery_delay",
    "takes 0 for no delay given",
    Bend::Parts(|parts| parts.first_delay = |message, batch, queue| {
        let given = |delay: Option<i32>| delay.filter(|&delay| delay != 0);
        crate::parts::first_delay(given(message), given(batch), queue)
    });

    "retry-0-is-absent", CLOUDFLARE,
    "an explicit retry delay of 0 overrides retry_delay",
    "takes 0 for no delay given",
    Bend::Parts(|parts| parts.retry_delay = |rules, asked, configured| {
        settle::retry_delay(rules, asked.filter(|&asked| asked != 0), configured)
    });

    "retry-delay-ignored", CLOUDFLARE,
    "a retry that asks for no delay waits for retry_delay",
    "retries it at once",
    Bend::Parts(|parts| parts.retry_delay = |rules, asked, _| {
        settle::retry_delay(rules, asked, None)
    });

    "asked-delay-ignored", CLOUDFLARE,
    "a retry waits for the delay that it asks for",
    "waits for retry_delay, whatever is asked for",
    Bend::Parts(|parts| parts.retry_delay = |rules, _, configured| {
        settle::retry_delay(rules, None, configured)
    });

    "batch-over-size", CLOUDFLARE,
    "a batch holds at most max_batch_size messages",
    "takes one more",
    Bend::Parts(|parts| parts.batch_size = |configured| configured + 1);

    "timeout-restarts", CLOUDFLARE,
    "a batch waits from its first message on",
    "waits from its last message on",
    Bend::Parts(|parts| parts.clock = Clock::Last);

    "timeout-ignored", CLOUDFLARE,
    "a batch that is not full waits for max_batch_timeout",
    "leaves at once",
    Bend::Parts(|parts| parts.batch_timeout = |_| 0);

    "concurrency-over-limit", CLOUDFLARE,
    "at most max_concurrency invocations run at a time",
    "runs one more",
    Bend::Parts(|parts| parts.concurrency = |configured| configured + 1);

    "max-concurrency-ignored", CLOUDFLARE,
    "at most max_concurrency invocations run at a time",
    "runs as many as the platform can",
    Bend::Rules(|rules| rules.honours_max_concurrency = false);

    "kept-too-short", CLOUDFLARE,
    "a message is kept for the retention period",
    "gives it up after half of it",
    Bend::Parts(|parts| parts.keeps = |seconds| u64::from(seconds) * 500);

    "kept-for-ever", CLOUDFLARE,
    "a message is given up after the retention period",
    "keeps it",
    Bend::Parts(|parts| parts.keeps = |_| u64::MAX / 2);

    "total-of-local", CLOUDFLARE,
    "a sendBatch holds at most 256000 bytes",
    "takes 288000",
    Bend::Rules(|rules| rules.max_batch_bytes = 288_000);

    "total-of-documents", MINIFLARE,
    "the local queue takes 288000 bytes in a sendBatch",
    "refuses more than 256000",
    Bend::Rules(|rules| rules.max_batch_bytes = 256_000);

    "body-128-kib", MINIFLARE,
    "a body holds at most 128000 bytes",
    "takes 131072",
    Bend::Rules(|rules| rules.max_body_bytes = 131_072);

    "batch-of-101", MINIFLARE,
    "a sendBatch holds at most 100 messages",
    "takes 101",
    Bend::Rules(|rules| rules.max_batch_messages = 101);

    "delay-of-12-hours", MINIFLARE,
    "a message may be delayed by 86400 seconds",
    "refuses more than 43200",
    Bend::Rules(|rules| rules.max_send_delay = 43_200);

    "refused-whole", MINIFLARE,
    "the items before one that cannot be read stay enqueued",
    "enqueues nothing of a refused batch",
    Bend::Rules(|rules| rules.keeps_part_of_refused_batch = false);

    "unread-queue-checks", MINIFLARE,
    "a local queue without a consumer accepts and drops everything",
    "checks and keeps what it is sent",
    Bend::Rules(|rules| rules.keeps_without_consumer = true);
}

fn retry_all_for_one(rules: &Rules, verdict: &Verdict, message: usize, failed: bool) -> Fate {
    let fate = settle::decide(rules, verdict, message, failed);
    let retried = verdict.marks.iter().any(|mark| matches!(mark, Mark::Retried(_)));
    if retried && fate == Fate::Acked { Fate::Again(None) } else { fate }
}

fn restamp(ticket: &mut Ticket, now: u64) {
    ticket.timestamp = now;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for mutant in MUTANTS {
            let named = Mutant::named(mutant.name).map(|found| found.does);
            assert_eq!(named, Some(mutant.does), "{} stands twice", mutant.name);
        }
    }
}
