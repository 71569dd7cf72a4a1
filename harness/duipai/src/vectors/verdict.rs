//! Verdict vectors: one call of the producer, its outcome, and every platform
//! call.

use std::{collections::BTreeSet, sync::Arc};

use serde::Deserialize;

use crate::{
    case::{Case, ExactText, ExpectedCall, Origin},
    oracle::rules,
    plan::{Action, Binding},
    vectors::{
        Played, case as case_of,
        line::{Recipe, Source},
    },
};

/// The fields that a verdict line is judged by.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    name: String,
    op: Op,
    binding: String,
    text_b64: Option<String>,
    text_recipe: Option<Recipe>,
    text_sha256: Option<String>,
    text_bytes: usize,
    #[serde(default)]
    delay: i64,
    platform_error: Option<String>,
    verdict: Verdict,
    message: Option<String>,
    calls: Vec<Call>,
    #[serde(default)]
    precedence: bool,
    reference_adapter_message: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Op {
    Send,
    Batch,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    Error,
}

#[derive(Debug, Deserialize)]
struct Call {
    method: String,
    binding: String,
    args: Option<String>,
    args_sha256: Option<String>,
    args_bytes: Option<usize>,
}

/// The case of a verdict line.
pub(super) fn case(line: Line, origin: Origin) -> Result<Case, String> {
    let source = Source {
        base64: line.text_b64.as_deref(),
        recipe: line.text_recipe.as_ref(),
        sha256: line.text_sha256.as_deref(),
        bytes: line.text_bytes,
    };
    let text = source.text()?;
    let messages = permitted(&line, &text)?;
    let calls = line.calls.into_iter().map(Call::expected).collect::<Result<_, _>>()?;
    let title = match line.op {
        Op::Send => "发送队列消息的全部观察",
        Op::Batch => "批量发送队列消息的全部观察",
    };
    let played = Played {
        action: action(line.op, line.binding, text, line.delay),
        platform: line.platform_error.map_or(Binding::Accepts, Binding::RejectsError),
        messages,
        calls,
    };
    Ok(case_of(line.name, origin, title.to_owned(), played))
}

fn action(op: Op, binding: String, text: Arc<str>, delay: i64) -> Action {
    match op {
        Op::Send => Action::Send { binding, body: text, delay },
        Op::Batch => Action::SendBatch { binding, items: text },
    }
}

/// The messages that may be thrown; none when the call must return. An input
/// that breaks several rules permits the message of each of them.
fn permitted(line: &Line, text: &str) -> Result<Vec<String>, String> {
    let message = match (line.verdict, &line.message) {
        (Verdict::Ok, None) => return Ok(Vec::new()),
        (Verdict::Error, Some(message)) => message.clone(),
        (Verdict::Ok, Some(_)) => return Err("an `ok` verdict has no message".to_owned()),
        (Verdict::Error, None) => return Err("an `error` verdict needs its message".to_owned()),
    };
    let mut permitted = BTreeSet::from([message]);
    permitted.extend(line.reference_adapter_message.clone());
    if line.precedence {
        let broken = match line.op {
            Op::Send => rules::broken_by_send(&line.binding, text, line.delay),
            Op::Batch => rules::broken_by_batch(&line.binding, text),
        };
        permitted.extend(broken.into_iter().map(str::to_owned));
    }
    Ok(permitted.into_iter().collect())
}

impl Call {
    fn expected(self) -> Result<ExpectedCall, String> {
        let arguments = match (self.args, self.args_sha256, self.args_bytes) {
            (Some(text), ..) => ExactText::Text(text.into()),
            (None, Some(sha256), Some(bytes)) => ExactText::Digest { sha256, bytes },
            _ => return Err("a call needs `args`, or `args_sha256` and `args_bytes`".to_owned()),
        };
        Ok(ExpectedCall::Exact { method: self.method, binding: self.binding, arguments })
    }
}
