//! Messages as a producer has them before it sends them (消息).

/// A message to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Message {
    /// The scenario's name for the message, which no other message has. The
    /// platform never sees it: a real one's messages are told apart by bodies.
    pub label: String,
    /// What is sent; `None` is the label, as a string.
    #[cfg_attr(feature = "serde", serde(default))]
    pub body: Option<Body>,
    /// The option `contentType`; `None` leaves it out.
    #[cfg_attr(feature = "serde", serde(default))]
    pub content_type: Option<ContentType>,
    /// The option `delaySeconds`; `None` leaves it out. What the platform takes
    /// is the platform's matter, so any number is allowed here.
    #[cfg_attr(feature = "serde", serde(default))]
    pub delay: Option<i32>,
}

impl Message {
    /// A message that is its own label, with no options.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), body: None, content_type: None, delay: None }
    }
}

/// A body as a JavaScript value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Body {
    /// What `JSON.parse` makes of this text.
    Json(String),
    /// A string of so many letters `x`, which as JSON text is two bytes longer.
    Letters(u32),
    /// A `Uint8Array`.
    Bytes(Vec<u8>),
    /// A value that JSON cannot hold.
    Special(Special),
}

/// Values that JSON cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Special {
    /// `undefined`.
    Undefined,
    /// `()=>1`.
    Function,
    /// `Symbol()`.
    Symbol,
    /// `1n`.
    BigInt,
    /// An object whose only property `self` is the object itself.
    Circular,
}

/// The option `contentType`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "String", into = "String"))]
pub enum ContentType {
    /// `json`.
    Json,
    /// `text`.
    Text,
    /// `bytes`.
    Bytes,
    /// `v8`.
    V8,
    /// Anything else, which the runtime refuses.
    Other(String),
}

impl ContentType {
    /// The option's value.
    pub fn name(&self) -> &str {
        match self {
            Self::Json => "json",
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::V8 => "v8",
            Self::Other(name) => name,
        }
    }
}

impl From<String> for ContentType {
    fn from(name: String) -> Self {
        match name.as_str() {
            "json" => Self::Json,
            "text" => Self::Text,
            "bytes" => Self::Bytes,
            "v8" => Self::V8,
            _ => Self::Other(name),
        }
    }
}

impl From<ContentType> for String {
    fn from(content_type: ContentType) -> Self {
        content_type.name().into()
    }
}
