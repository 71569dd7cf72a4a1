//! The conversation with the driver Worker: scenes go in, what happened comes
//! out, as JSON over HTTP.

use std::{borrow::Cow, collections::BTreeMap, io, time::Duration};

use duipai_spec::event::{Call, EventKind};
use serde::{Deserialize, Serialize};
use ureq::Agent;

use crate::{
    judge::one_line,
    plan::{Batch, Binding, Step},
};

/// The header that shows the driver that a request is the harness's.
const TOKEN_HEADER: &str = "x-duipai-token";

/// Greatest size of an answer, in bytes.
pub(super) const MAX_ANSWER_BYTES: u64 = 64 * 1024 * 1024;

/// Longest text of the driver's that is told, in characters.
const TOLD_CHARS: usize = 240;

/// How the platform stands in for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mode {
    /// Queues are doubles over RPC, which see the arguments themselves.
    Double,
    /// Queues are the runtime's, which speak HTTP to the harness.
    Wire,
}

/// Events that are started together.
#[derive(Debug, Serialize)]
pub(super) struct SceneRequest<'a> {
    pub(super) mode: Mode,
    pub(super) events: &'a [EventRequest<'a>],
}

/// One event that the driver is to cause.
#[derive(Debug, Serialize)]
pub(super) struct EventRequest<'a> {
    pub(super) kind: EventKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) request: Option<Request>,
    pub(super) plan: Program<'a>,
    pub(super) bindings: Cow<'a, BTreeMap<String, Binding>>,
    pub(super) batch: Option<&'a Batch>,
}

/// The request of a `fetch` event.
#[derive(Debug, Serialize)]
pub(super) struct Request {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) body: String,
}

/// What the Worker under test learns of the plan.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Program<'a> {
    pub(super) grants: &'a [String],
    pub(super) steps: &'a [Step],
}

/// What the driver saw of a scene.
#[derive(Debug, Deserialize)]
struct Answer {
    events: Vec<RawEvent>,
}

/// What the driver saw of one event.
#[derive(Debug, Default, Deserialize)]
pub(super) struct RawEvent {
    /// What the `fetch` handler answered.
    #[serde(default)]
    pub(super) response: Option<RawResponse>,
    /// What the Worker says it did.
    #[serde(default)]
    pub(super) report: Option<serde_json::Value>,
    /// What its handler threw.
    #[serde(default)]
    pub(super) thrown: Option<Thrown>,
    /// What the runtime says about the event.
    #[serde(default)]
    pub(super) result: Option<RunResult>,
    /// The platform calls, in order.
    #[serde(default)]
    pub(super) calls: Vec<RawCall>,
    /// What it printed.
    #[serde(default)]
    pub(super) console: String,
    /// Why there is nothing to judge.
    #[serde(default)]
    pub(super) failed: Option<String>,
}

/// The answer of a `fetch` handler.
#[derive(Debug, Deserialize)]
pub(super) struct RawResponse {
    pub(super) status: u16,
    pub(super) body: String,
}

/// An exception that left the handler.
#[derive(Debug, Deserialize)]
pub(super) struct Thrown {
    pub(super) name: String,
    pub(super) message: String,
}

/// A platform call and whether it threw.
#[derive(Debug, Deserialize)]
pub(super) struct RawCall {
    #[serde(flatten)]
    pub(super) call: Call,
    #[serde(default)]
    pub(super) threw: bool,
}

/// The runtime's result of a queue event. A scheduled one has the outcome only.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunResult {
    pub(super) outcome: String,
    #[serde(default)]
    pub(super) ack_all: bool,
    #[serde(default)]
    pub(super) retry_batch: RetryBatch,
    #[serde(default)]
    pub(super) explicit_acks: Vec<String>,
    #[serde(default)]
    pub(super) retry_messages: Vec<RetryMessage>,
}

/// What `retryAll` left.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RetryBatch {
    pub(super) retry: bool,
    #[serde(default)]
    pub(super) delay_seconds: Option<i64>,
}

/// What `retry` of one message left.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RetryMessage {
    pub(super) msg_id: String,
    #[serde(default)]
    pub(super) delay_seconds: Option<i64>,
}

/// Why a scene brought no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The time is over.
    TimedOut,
    /// Nobody listens: nothing of the scene has happened.
    Unreachable,
    /// The driver cannot carry the scene out; it is well otherwise.
    Refused(String),
    /// The connection broke, or what came over it is no answer.
    Broken(String),
}

/// The driver of one running workerd.
#[derive(Debug)]
pub(super) struct Driver {
    agent: Agent,
    scenes: String,
    token: String,
}

impl Driver {
    /// The driver that listens on `port` and knows `token`.
    pub(super) fn new(port: u16, token: &str) -> Self {
        let config = Agent::config_builder()
            // The token is for this machine alone.
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            // A connection that waits for its next request may meanwhile be
            // closed from the other side, and that would be told too late.
            .max_idle_connections(0)
            .build();
        Self {
            agent: config.into(),
            scenes: format!("http://127.0.0.1:{port}/scene"),
            token: token.to_owned(),
        }
    }

    /// Has the events of `scene` happen; what was seen of each, in order.
    ///
    /// # Errors
    ///
    /// [`Trouble`]. Unless it is a refusal, workerd is in an unknown state then.
    pub(super) fn play(
        &self,
        scene: &SceneRequest<'_>,
        budget: Duration,
    ) -> Result<Vec<RawEvent>, Trouble> {
        let body =
            serde_json::to_vec(scene).map_err(|error| Trouble::Refused(error.to_string()))?;
        let (status, answer) = self.post(&body, budget).map_err(|error| match error {
            ureq::Error::Timeout(_) => Trouble::TimedOut,
            ureq::Error::ConnectionFailed => Trouble::Unreachable,
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                Trouble::Unreachable
            }
            ureq::Error::BodyExceedsLimit(most) => {
                Trouble::Broken(format!("the answer is bigger than {most} bytes"))
            }
            error => Trouble::Broken(format!("the connection to the driver broke: {error}")),
        })?;
        match status {
            200 => {}
            422 => return Err(Trouble::Refused(told(&answer))),
            _ => {
                return Err(Trouble::Broken(format!(
                    "the driver answered {status}: {}",
                    told(&answer)
                )));
            }
        }
        let answer: Answer = serde_json::from_slice(&answer)
            .map_err(|error| Trouble::Broken(format!("the answer is not the driver's: {error}")))?;
        let (expected, got) = (scene.events.len(), answer.events.len());
        if expected != got {
            let reason = format!("the driver tells of {got} events instead of {expected}");
            return Err(Trouble::Broken(reason));
        }
        Ok(answer.events)
    }

    fn post(&self, body: &[u8], budget: Duration) -> Result<(u16, Vec<u8>), ureq::Error> {
        let request = self.agent.post(&self.scenes).header(TOKEN_HEADER, &self.token);
        let request = request.content_type("application/json");
        let mut response = request.config().timeout_global(Some(budget)).build().send(body)?;
        let answer = response.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec()?;
        Ok((response.status().as_u16(), answer))
    }
}

fn told(answer: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Refusal {
        error: String,
    }
    match serde_json::from_slice(answer) {
        Ok(Refusal { error }) => one_line(&error, TOLD_CHARS),
        Err(_) => one_line(&String::from_utf8_lossy(answer), TOLD_CHARS),
    }
}
