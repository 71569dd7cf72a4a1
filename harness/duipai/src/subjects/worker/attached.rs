//! Subject `http:URL`: a Worker that is already running somewhere, for example
//! under the user's own `wrangler dev`.
//!
//! Only requests can be made to it, and only their answers are seen. Whether
//! anything reached a queue is not seen, and a case that asks for it is not
//! applicable: a pass that nobody looked at would be none.

use std::{
    net::IpAddr,
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use duipai_platform::Profile;
use duipai_spec::event::EventKind;
use ureq::{
    Agent,
    http::{Uri, uri::Scheme},
};

use super::{
    driver::{MAX_ANSWER_BYTES, RawEvent, RawResponse},
    observe::observe,
    request::{expressible, probe, program},
};
use crate::{
    judge::one_line,
    observation::Observation,
    plan::{Action, EventPlan, Scene},
    subject::{Capability, Fault, Identity, Kind, Subject},
};

/// Time for the question whether the Worker speaks the protocol.
const PROBE_LIMIT: Duration = Duration::from_secs(10);

/// Longest text of the Worker's in an error, in characters.
const TOLD_CHARS: usize = 160;

/// Why no Worker is attached to.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// It is no address of a Worker.
    #[error("`{0}` is no address like http://127.0.0.1:8787")]
    Address(String),
    /// The address is not of this machine.
    #[error("{0} is not this machine: say --allow-remote if you mean it")]
    Remote(String),
    /// It does not answer the probe.
    #[error("the Worker at {url} does not speak the protocol `duipai 1`: {reason}")]
    Silent {
        /// The address.
        url: String,
        /// What it did instead.
        reason: String,
    },
}

/// Where a Worker may be that is attached to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// On this machine.
    #[default]
    Loopback,
    /// Anywhere.
    Remote,
}

/// A Worker that is already running.
pub struct Attached {
    agent: Agent,
    url: String,
}

impl Attached {
    /// The Worker at `url`.
    ///
    /// # Errors
    ///
    /// When it is no such address, is out of `reach`, or does not answer as the
    /// protocol says.
    pub fn new(url: &str, reach: Reach) -> Result<Self, AttachError> {
        let shown = || one_line(url, TOLD_CHARS);
        let uri: Uri = url.parse().map_err(|_| AttachError::Address(shown()))?;
        let (Some(host), true) = (uri.host(), uri.scheme() == Some(&Scheme::HTTP)) else {
            return Err(AttachError::Address(shown()));
        };
        if uri.query().is_some() {
            return Err(AttachError::Address(shown()));
        }
        if reach == Reach::Loopback && !is_loopback(host) {
            return Err(AttachError::Remote(shown()));
        }
        let config = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .build();
        let url = format!("{}/duipai", url.trim_end_matches('/'));
        let attached = Self { agent: config.into(), url };
        let nothing = probe();
        let reason = match attached.cause(&nothing, Profile::default(), PROBE_LIMIT) {
            Ok(seen) if seen.outcomes.is_empty() => return Ok(attached),
            Ok(_) => String::from("it reports steps that nobody asked for"),
            Err(Fault::Crashed(reason)) => reason,
            Err(Fault::TimedOut) => String::from("it does not answer"),
        };
        Err(AttachError::Silent { url: shown(), reason })
    }

    fn cause(
        &self,
        plan: &EventPlan,
        profile: Profile,
        budget: Duration,
    ) -> Result<Observation, Fault> {
        if budget.is_zero() {
            return Err(Fault::TimedOut);
        }
        let response = self.post(&program(plan), budget).map_err(|error| match error {
            ureq::Error::Timeout(_) => Fault::TimedOut,
            ureq::Error::BodyExceedsLimit(most) => {
                Fault::Crashed(format!("the answer is bigger than {most} bytes"))
            }
            error => Fault::Crashed(format!("no answer: {error}")),
        })?;
        let report = serde_json::from_str(&response.body).ok();
        let report = report.filter(|report: &serde_json::Value| report.get("outcomes").is_some());
        observe(plan, RawEvent { response: Some(response), report, ..RawEvent::default() }, profile)
    }

    fn post(&self, program: &str, budget: Duration) -> Result<RawResponse, ureq::Error> {
        let request = self.agent.post(&self.url).content_type("application/json");
        let mut response = request.config().timeout_global(Some(budget)).build().send(program)?;
        let body = response.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec()?;
        let body = String::from_utf8_lossy(&body).into_owned();
        Ok(RawResponse { status: response.status().as_u16(), body })
    }
}

impl Subject for Attached {
    /// Where it runs and what it is made of is not known, and the address is no
    /// matter of a report.
    fn identity(&self) -> Identity {
        Identity {
            name: String::from("http"),
            kind: Kind::Http,
            version: String::from("unknown"),
            engine: String::from("unknown"),
        }
    }

    fn supports(&self, capability: Capability) -> Result<(), String> {
        Err(match capability {
            Capability::VirtualTime => "time is real there",
            Capability::RealRefusals | Capability::RejectsNonError => {
                "its queues are part of its deployment"
            }
            Capability::Concurrency => "requests are made one after the other",
            _ => "over HTTP only requests can be made",
        }
        .to_owned())
    }

    fn expresses(&self, scene: &Scene) -> Result<(), String> {
        scene.events.iter().try_for_each(|plan| {
            if plan.kind != EventKind::Fetch {
                return Err(format!("over HTTP no {} event can be caused", plan.kind));
            }
            let sends =
                |action: &Action| matches!(action, Action::Send { .. } | Action::SendBatch { .. });
            if plan.steps.iter().any(|step| sends(&step.action)) {
                return Err(String::from(
                    "what reaches the queues of a running Worker is not seen",
                ));
            }
            expressible(plan)
        })
    }

    /// What hangs in a Worker may hang for all.
    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    fn run(
        &self,
        scene: &Scene,
        profile: Profile,
        budget: Duration,
    ) -> Result<Vec<Observation>, Fault> {
        let start = Instant::now();
        let left = || budget.saturating_sub(start.elapsed());
        scene.events.iter().map(|plan| self.cause(plan, profile, left())).collect()
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpListener,
        thread,
    };

    use super::*;
    use crate::{observation::Outcome, plan::Step};

    /// A server that gives these answers to one connection each, and its address.
    fn server(answers: Vec<&'static str>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        url
    }

    const NOTHING: &str =
        "HTTP/1.0 200 OK\r\n\r\n{\"outcomes\":[],\"end\":{\"end\":\"fulfilled\"}}";

    fn refused(url: &str, reach: Reach) -> String {
        Attached::new(url, reach).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn only_addresses_of_this_machine_are_taken() {
        for url in ["", "8787", "https://127.0.0.1:1", "ftp://localhost", "http://localhost/?a"] {
            assert!(refused(url, Reach::Loopback).contains("is no address"), "{url}");
        }
        for url in ["http://192.0.2.1/", "http://example.org", "http://127.0.0.1.example.org"] {
            assert!(refused(url, Reach::Loopback).contains("--allow-remote"), "{url}");
        }
        assert!(is_loopback("[::1]") && is_loopback("127.9.9.9") && is_loopback("localhost"));
        assert!(refused("http://127.0.0.1:1", Reach::Loopback).contains("no answer"));
    }

    #[test]
    fn what_answers_otherwise_is_refused() {
        let check = |answer, part: &str| {
            let told = refused(&server(vec![answer]), Reach::Loopback);
            assert!(told.contains(part), "no `{part}` in {told}");
        };
        check("HTTP/1.0 200 OK\r\n\r\nhi", "it answered 200: hi");
        check("HTTP/1.0 302 Found\r\nLocation: http://192.0.2.1/\r\n\r\n", "it answered 302");
        check("nonsense\r\n\r\n", "no answer");
        check("", "no answer");
    }

    #[test]
    fn the_answer_is_what_is_seen() {
        let threw = "HTTP/1.0 200 OK\r\n\r\n{\"outcomes\":[{\"outcome\":\"threw\",\
                     \"message\":\"甲\"}],\"end\":{\"end\":\"fulfilled\"}}";
        let attached = Attached::new(&server(vec![NOTHING, threw]), Reach::Loopback).unwrap();
        let steps = vec![Step { action: Action::ReadBatch, caught: true }];
        let scene = Scene { events: vec![EventPlan { steps, ..probe() }] };
        attached.expresses(&scene).unwrap();
        let seen = attached.run(&scene, Profile::default(), PROBE_LIMIT).unwrap();
        assert_eq!(seen[0].outcomes, [Outcome::Threw { message: "甲".to_owned() }]);
        let queue = Scene { events: vec![EventPlan { kind: EventKind::Queue, ..probe() }] };
        assert!(attached.expresses(&queue).unwrap_err().contains("no queue event"));
    }
}
