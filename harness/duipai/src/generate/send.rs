//! Inputs of 发送队列消息.

use super::{
    Input, Source, describe,
    features::{Feature, Swarm},
    json::JsonText,
};

/// The arguments of one call of 发送队列消息.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendInput {
    /// Name of the queue binding; see [`binding`].
    pub binding: String,
    /// The body's text.
    pub body: String,
    /// The delay in seconds.
    pub delay: i64,
    /// What the input may have.
    pub swarm: Swarm,
}

impl Input for SendInput {
    fn draw(source: &mut Source<'_>) -> Self {
        let binding = binding(source).to_owned();
        let delay = delay(source);
        let JsonText { text: body, swarm } = JsonText::draw(source);
        Self { binding, body, delay, swarm }
    }

    fn describe(&self) -> String {
        describe::case(&self.scene(), "candidate.send")
    }
}

/// Name of a binding: granted and accepting, except that with
/// [`Feature::Bindings`] it may refuse, be missing or not granted, or have no
/// name. [`surroundings`](super::scene::surroundings) says which is which.
pub(super) fn binding(source: &mut Source<'_>) -> &'static str {
    if source.has(Feature::Bindings, 4) {
        return source.pick(&[
            "REFUSED",
            "OTHER",
            "VALUE",
            "ABSENT",
            "UNGRANTED",
            "",
            "PAGE_QUEUE ",
        ]);
    }
    "PAGE_QUEUE"
}

/// A delay in seconds, mostly in range.
pub(super) fn delay(source: &mut Source<'_>) -> i64 {
    if source.has(Feature::BadDelays, 2) {
        return source.pick(&[-1, 43_201, -30, 86_400, 43_200_000, 1 << 32]);
    }
    if source.has(Feature::Extremes, 2) {
        return source.pick(&[i64::MIN, i64::MAX, (1 << 32) + 5, -(1 << 32), i64::from(u32::MAX)]);
    }
    source.pick(&[0, 0, 0, 1, 30, 43_199, 43_200])
}
