//! The conversation with the server: scenarios go in, what was seen comes out,
//! as JSON over HTTP.

use std::{collections::BTreeMap, io, time::Duration};

use duipai_platform::{
    history::{DeadLetter, Dropped, History},
    scenario::Scenario,
};
use serde::{Deserialize, de::DeserializeOwned};
use ureq::Agent;

use crate::judge::one_line;

/// The header that shows the server that a request is the harness's.
const TOKEN_HEADER: &str = "x-duipai-token";

/// Greatest size of an answer, in bytes.
const MAX_ANSWER_BYTES: u64 = 64 << 20;

/// Longest text of the server's that is told, in characters.
const TOLD_CHARS: usize = 240;

/// What the server runs.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Versions {
    pub(super) node: String,
    pub(super) miniflare: String,
    pub(super) workerd: String,
}

/// What was seen of a scenario.
#[derive(Debug, Deserialize)]
pub(super) struct Played {
    pub(super) history: History,
    pub(super) dead: Vec<DeadLetter>,
    pub(super) dropped: Vec<Dropped>,
    pub(super) backlog: BTreeMap<String, u64>,
    /// How long an answer took at worst, in milliseconds.
    pub(super) lag: u64,
    /// For how long all answers together took longer than they should, in
    /// milliseconds.
    pub(super) lost: u64,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The time is over.
    TimedOut,
    /// Nobody listens: nothing has happened.
    Unreachable,
    /// The scenario was lost, as with a workerd that died; the server is well
    /// otherwise.
    Lost(String),
    /// The connection broke, or what came over it is no answer.
    Broken(String),
}

/// The server of one process.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
    address: String,
    token: String,
}

impl Client {
    /// The server that listens on `port` and knows `token`.
    pub(super) fn new(port: u16, token: String) -> Self {
        let config = Agent::config_builder()
            // The token is for this machine alone.
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .build();
        Self { agent: config.into(), address: format!("http://127.0.0.1:{port}"), token }
    }

    /// What the server runs.
    ///
    /// # Errors
    ///
    /// [`Trouble`].
    pub(super) fn versions(&self, budget: Duration) -> Result<Versions, Trouble> {
        let request = self.agent.get(format!("{}/versions", self.address));
        let request = request.header(TOKEN_HEADER, &self.token);
        answer(request.config().timeout_global(Some(budget)).build().call())
    }

    /// Has `scenario` played.
    ///
    /// # Errors
    ///
    /// [`Trouble`].
    pub(super) fn play(&self, scenario: &Scenario, budget: Duration) -> Result<Played, Trouble> {
        let body =
            serde_json::to_vec(scenario).map_err(|error| Trouble::Broken(error.to_string()))?;
        let request = self.agent.post(format!("{}/scenario", self.address));
        let request = request.header(TOKEN_HEADER, &self.token).content_type("application/json");
        answer(request.config().timeout_global(Some(budget)).build().send(body))
    }
}

type Response = ureq::http::Response<ureq::Body>;

fn answer<T: DeserializeOwned>(response: Result<Response, ureq::Error>) -> Result<T, Trouble> {
    let read = |mut response: Response| {
        let body = response.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec()?;
        Ok((response.status().as_u16(), body))
    };
    let (status, body) = response.and_then(read).map_err(|error| match error {
        ureq::Error::Timeout(_) => Trouble::TimedOut,
        ureq::Error::ConnectionFailed => Trouble::Unreachable,
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            Trouble::Unreachable
        }
        ureq::Error::BodyExceedsLimit(most) => {
            Trouble::Broken(format!("the answer is bigger than {most} bytes"))
        }
        error => Trouble::Broken(format!("the connection to the server broke: {error}")),
    })?;
    match status {
        200 => serde_json::from_slice(&body)
            .map_err(|error| Trouble::Broken(format!("the answer is not the server's: {error}"))),
        503 => Err(Trouble::Lost(told(&body))),
        _ => Err(Trouble::Broken(format!("the server answered {status}: {}", told(&body)))),
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
