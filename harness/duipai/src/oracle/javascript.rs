//! JavaScript, embedded: QuickJS, one engine for each thread.

use std::cell::RefCell;

use rquickjs::{Context, Ctx, Error, Runtime};

/// The engine cannot tell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTold {
    /// The text is nested deeper than the engine's stack is sure to carry.
    #[error("nested deeper than the embedded JavaScript engine takes")]
    TooDeep,
    /// It did not start, or ended otherwise than by refusing the text.
    #[error("the embedded JavaScript engine failed: {0}")]
    Engine(String),
}

/// Brackets that a text may have open at a time. The engine's own limit lies
/// far higher, but depends on its stack.
const MOST_OPEN: usize = 500;

/// `JSON.stringify(JSON.parse(text))`; `None` when `JSON.parse` refuses it.
///
/// # Errors
///
/// [`NotTold`] when the text is nested too deep to tell, or the engine fails.
pub fn canonical(text: &str) -> Result<Option<String>, NotTold> {
    if most_open(text) > MOST_OPEN {
        return Err(NotTold::TooDeep);
    }
    if text.contains('\0') {
        // The engine takes no such text, and JSON has none.
        return Ok(None);
    }
    let failed = |error: Error| NotTold::Engine(error.to_string());
    ENGINE.with_borrow_mut(|engine| {
        let context = match engine {
            Some(context) => context,
            None => engine.insert(start().map_err(failed)?),
        };
        context.with(|context| call(&context, text))
    })
}

thread_local! {
    static ENGINE: RefCell<Option<Context>> = const { RefCell::new(None) };
}

fn start() -> Result<Context, Error> {
    let runtime = Runtime::new()?;
    runtime.set_max_stack_size(1 << 20);
    Context::full(&runtime)
}

fn call(context: &Ctx<'_>, text: &str) -> Result<Option<String>, NotTold> {
    let failed = |error: Error| NotTold::Engine(error.to_string());
    let parsed = match context.json_parse(text) {
        Ok(parsed) => parsed,
        Err(Error::Exception) => return refused(context),
        Err(error) => return Err(failed(error)),
    };
    let text = context.json_stringify(parsed).map_err(failed)?;
    text.map(|text| text.to_string()).transpose().map_err(failed)
}

/// A text is refused by a `SyntaxError` and by no other exception.
fn refused(context: &Ctx<'_>) -> Result<Option<String>, NotTold> {
    let thrown = context.catch();
    let name = thrown.as_object().and_then(|error| error.get::<_, String>("name").ok());
    match name.as_deref() {
        Some("SyntaxError") => Ok(None),
        name => Err(NotTold::Engine(format!("it threw {}", name.unwrap_or("no Error")))),
    }
}

/// An upper bound of the nesting: brackets in strings count, too.
fn most_open(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => {
                open += 1;
                most = most.max(open);
            }
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let seen = canonical(text);
        assert_eq!(seen.as_ref().map(Option::as_deref), Ok(expected), "{text}");
    }

    #[test]
    fn it_is_javascript() {
        check(r#"{"b":1.0,"1":-0,"b":"\u0061\ud800\/","__proto__":1e400}"#, {
            Some(r#"{"1":0,"b":"a\ud800/","__proto__":null}"#)
        });
        for text in ["", "[1,]", "\u{feff}1", "'a'", "\0", "undefined", "\"\0\"", "[1", "01"] {
            check(text, None);
        }
        // It goes on after a refusal.
        check("[1e21]", Some("[1e+21]"));
    }

    #[test]
    fn deep_texts_are_not_told() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        check(&nested(500), Some(&nested(500)));
        assert_eq!(canonical(&nested(501)), Err(NotTold::TooDeep));
    }
}
