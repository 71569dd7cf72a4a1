//! What a message must be even where the document leaves its words open: a
//! fixed Chinese explanation (固定的中文说明) of a rule that the input breaks.

use duipai_spec::messages::{
    BATCH_FAILED_PREFIX, BATCH_TOO_MANY, BODY_NOT_JSON, BODY_TOO_LARGE, DELAY_RANGE, INDEX_RANGE,
    NOT_QUEUE_EVENT, SEND_FAILED_PREFIX,
};

use crate::{oracle::rules, plan::Action};

/// The messages that the document quotes in full.
const QUOTED: [&str; 6] =
    [BODY_TOO_LARGE, BODY_NOT_JSON, DELAY_RANGE, BATCH_TOO_MANY, NOT_QUEUE_EVENT, INDEX_RANGE];

/// Why `message` cannot be what `action` throws when it breaks a rule whose
/// message is not quoted; `None` if it can.
pub(super) fn fault(action: &Action, message: &str) -> Option<&'static str> {
    if message.is_empty() {
        return Some("an empty message");
    }
    if !message.chars().any(is_chinese) {
        return Some("a message that is not Chinese");
    }
    if [SEND_FAILED_PREFIX, BATCH_FAILED_PREFIX].iter().any(|prefix| message.starts_with(prefix)) {
        return Some("the message of a refusal by the platform");
    }
    (QUOTED.contains(&message) && !breaks(action, message))
        .then_some("the message of a rule that the input keeps")
}

fn is_chinese(char: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&char)
}

/// Whether the input breaks the rule with this message, as far as the rules
/// know the step.
fn breaks(action: &Action, message: &str) -> bool {
    match action {
        Action::Send { binding, body, delay } => {
            rules::broken_by_send(binding, body, *delay).contains(message)
        }
        Action::SendBatch { binding, items } => {
            rules::broken_by_batch(binding, items).contains(message)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, message: &str, expected: Option<&str>) {
        let action = Action::Send { binding: "Q".to_owned(), body: body.into(), delay: 0 };
        assert_eq!(fault(&action, message), expected, "{message}");
    }

    #[test]
    fn open_words_are_still_an_explanation_of_the_fault() {
        let marker = r#"{"$句柄":"1"}"#;
        check(marker, "不许伪造宿主记号", None);
        check(marker, "", Some("an empty message"));
        check(marker, "marker not allowed", Some("a message that is not Chinese"));
        check(marker, "队列发送失败：句柄", Some("the message of a refusal by the platform"));
        let other = Some("the message of a rule that the input keeps");
        check(marker, "消息体不是有效的 JSON 文字", other);
        check("[", "消息体不是有效的 JSON 文字", None);
    }
}
