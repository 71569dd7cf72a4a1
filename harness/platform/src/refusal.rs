//! What a Worker's runtime makes of a broker's refusal (平台拒绝).

/// How a broker answers a queue binding's request, other than by accepting it.
/// The runtime hands the program a text made of it, which depends on the
/// compatibility date of the Worker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Refusal {
    /// HTTP status, which is not 200.
    pub status: u16,
    /// Text of the HTTP status line.
    pub reason: String,
    /// Header `CF-Queues-Error-Code`; empty is none.
    pub code: String,
    /// Header `CF-Queues-Error-Cause`; empty is none.
    pub cause: String,
    /// Compatibility date of the Worker, `YYYY-MM-DD`.
    pub compatibility_date: String,
}

/// The call that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Producing {
    /// `send`.
    Send,
    /// `sendBatch`.
    SendBatch,
}

impl Refusal {
    /// The compatibility date from which on the broker's own words are passed on
    /// (flag `queue_expose_error_codes`).
    pub const CODED_SINCE: &str = "2026-03-12";

    /// The `message` of the Error that the call is rejected with.
    ///
    /// Measured with workerd 2026-11-17.
    pub fn text(&self, call: Producing) -> String {
        if self.compatibility_date.as_str() < Self::CODED_SINCE {
            let call = match call {
                Producing::Send => "send",
                Producing::SendBatch => "sendBatch",
            };
            return format!("Queue {call} failed: {}", self.reason);
        }
        let or = |text: &str, other: &str| String::from(if text.is_empty() { other } else { text });
        format!("{} ({})", or(&self.cause, "Unknown Internal Error"), or(&self.code, "15000"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(code: &str, cause: &str, date: &str) -> Refusal {
        Refusal {
            status: 429,
            reason: "Too Many Requests".into(),
            code: code.into(),
            cause: cause.into(),
            compatibility_date: date.into(),
        }
    }

    #[test]
    fn a_new_worker_is_told_cause_and_code() {
        let text = |code, cause| refusal(code, cause, "2026-03-12").text(Producing::Send);
        assert_eq!(text("10250", "Queue is full"), "Queue is full (10250)");
        assert_eq!(text("", "Queue is full"), "Queue is full (15000)");
        assert_eq!(text("7", ""), "Unknown Internal Error (7)");
        assert_eq!(text("", ""), "Unknown Internal Error (15000)");
    }

    #[test]
    fn an_old_worker_is_told_the_status_text() {
        let old = refusal("10250", "Queue is full", "2026-03-11");
        assert_eq!(old.text(Producing::Send), "Queue send failed: Too Many Requests");
        assert_eq!(old.text(Producing::SendBatch), "Queue sendBatch failed: Too Many Requests");
    }
}
