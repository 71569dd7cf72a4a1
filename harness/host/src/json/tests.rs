//! `JSON.parse` and `JSON.stringify` where an example says it best, where an
//! invariant does, and where the input is hostile.

use proptest::prelude::*;

use super::*;
use crate::{
    string::JsString,
    tagged::{parse_tagged, write_tagged},
    value::Value,
};

fn check(text: &str, expected: &str) {
    assert_eq!(canonical(text).as_deref(), Ok(expected), "{text}");
}

fn check_refused(text: &str, offset: usize) {
    let error = canonical(text).expect_err(text);
    assert_eq!(error.offset(), offset, "{text:?}: {error}");
}

#[test]
fn canonical_texts() {
    check(" [ 1 , {\t\"a\" :\r\n-0} ] ", r#"[1,{"a":0}]"#);
    check(r#"{"b":1,"2":2,"1":3,"b":4}"#, r#"{"1":3,"2":2,"b":4}"#);
    check(r#"{"__proto__":{"x":1},"y":2}"#, r#"{"__proto__":{"x":1},"y":2}"#);
    check(r#""\/\u0041\ud83d\ude00\u2028""#, "\"/A😀\u{2028}\"");
    check(r#""\b\f\n\r\t\u0001\u001F\u007f""#, "\"\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}\"");
    check(r#""\uD800x\uDC00""#, r#""\ud800x\udc00""#);
    check(r#"{"\udbff":1,"\uDBFF":2}"#, r#"{"\udbff":2}"#);
    check("[1e999,-1e999,1e-999]", "[null,null,0]");
}

#[test]
fn texts_that_are_not_json() {
    for text in [
        "", " ", "[", "[1", "[1,", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "\"", "\"\\", "\"\\u00",
        "-", "1.", "1e", "1e+", "tru",
    ] {
        check_refused(text, text.len());
    }
    check_refused("\u{feff}1", 0);
    check_refused("\u{a0}1", 0);
    check_refused("01", 1);
    check_refused("+1", 0);
    check_refused(".5", 0);
    check_refused("[1,]", 3);
    check_refused("{\"a\":1,}", 7);
    check_refused("{a:1}", 1);
    check_refused("[1 2]", 3);
    check_refused("1 2", 2);
    check_refused("\"\t\"", 1);
    check_refused("\"\\x\"", 2);
    check_refused("\"\\u00g0\"", 5);
    check_refused("\"\\u+123\"", 3);
    check_refused("NaN", 0);
    check_refused("nulL", 3);
    check_refused("[1,嵌套过深", 3);
}

fn check_stringify(tagged: &str, expected: Result<&str, NotText>) {
    let value = parse_tagged(tagged).expect(tagged);
    assert_eq!(stringify(&value), expected.map(str::to_owned), "{tagged}");
}

#[test]
fn values_beyond_json() {
    check_stringify(
        r##"[{"#undefined":true},{"#symbol":"s"},{"#function":"f"}]"##,
        Ok("[null,null,null]"),
    );
    check_stringify(r##"{"a":{"#undefined":true},"b":{"#symbol":"s"},"c":1}"##, Ok(r#"{"c":1}"#));
    check_stringify(
        r##"[{"#nan":true},{"#infinity":1},{"#minus-zero":true}]"##,
        Ok("[null,null,0]"),
    );
    check_stringify(
        r##"[{"#date":0},{"#date":null}]"##,
        Ok(r#"["1970-01-01T00:00:00.000Z",null]"#),
    );
    check_stringify(r##"[{"#map":[[1,2]]},{"#set":[1]},{"#buffer":"00"}]"##, Ok("[{},{},{}]"));
    check_stringify(r##"{"#bytes":"01ff"}"##, Ok(r#"{"0":1,"1":255}"#));
    check_stringify(r##"{"#class":{"x":{"#undefined":true},"y":1}}"##, Ok(r#"{"y":1}"#));
    check_stringify(r##"{"#undefined":true}"##, Err(NotText::Undefined));
    check_stringify(r##"{"#function":"f"}"##, Err(NotText::Undefined));
    check_stringify(r##"[{"#bigint":"1"}]"##, Err(NotText::BigInt));
}

fn check_js(units: &[u16], expected: Option<&str>) {
    let text = JsString::from_units(units.to_vec());
    let seen = parse_js(&text).ok().map(|value| write_tagged(&value));
    assert_eq!(seen.as_deref(), expected, "{text:?}");
}

#[test]
fn surrogates_that_stand_in_the_text_itself() {
    const QUOTE: u16 = b'"' as u16;
    const BACKSLASH: u16 = b'\\' as u16;
    check_js(&[QUOTE, 0xd800, QUOTE], Some(r#""\ud800""#));
    check_js(&[QUOTE, BACKSLASH, BACKSLASH, 0xd800, QUOTE], Some(r#""\\\ud800""#));
    check_js(&[QUOTE, BACKSLASH, 0xd800, QUOTE], None);
    check_js(&[0xd800], None);
}

#[test]
fn hostile_nesting() {
    const HALF: usize = 524_288;
    let (open, close) = ("[".repeat(HALF), "]".repeat(HALF));
    let value = parse(&format!("{open}{close}")).expect("brackets in balance");
    assert_eq!(value.depth(), HALF);
    assert_eq!(stringify(&value.clone()), Ok(format!("{open}{close}")));
    assert_eq!(write_tagged(&value), format!("{open}{close}"));
    check_refused(&open, HALF);
    check_refused(&format!("{open}{close}]"), 2 * HALF);
    check_refused(&format!("{open}1{}}}", &close[1..]), 2 * HALF);

    let (open, close) = ("{\"a\":".repeat(HALF / 4), "}".repeat(HALF / 4));
    let value = parse(&format!("{open}0{close}")).expect("braces in balance");
    assert_eq!(value.depth(), HALF / 4);
    assert_eq!(stringify(&value), Ok(format!("{open}0{close}")));
    check_refused(&open, open.len());

    let (open, close) = ("{\"#set\":[".repeat(HALF / 8), "]}".repeat(HALF / 8));
    let value = parse_tagged(&format!("{open}{close}")).expect("tags in balance");
    assert_eq!(write_tagged(&value.clone()), format!("{open}{close}"));
}

/// With a walk over all keys for every key this would take minutes.
#[test]
fn objects_of_many_keys() {
    let members: Vec<String> = (0..100_000).map(|n| format!("\"k{n}\":{n}")).collect();
    let text = format!("{{{}}}", members.join(","));
    let value = parse(&text).expect("an object");
    assert_eq!(stringify(&value).as_deref(), Ok(text.as_str()));
    let Value::Object(object) = &value else { panic!("an object was written") };
    assert_eq!(object.len(), 100_000);
    assert!(matches!(object.get_str("k99999"), Some(Value::Number(99_999.0))));
}

/// JSON texts with free spelling: white space, escapes, repeated keys.
fn texts() -> impl Strategy<Value = String> {
    let space = prop::sample::select(vec!["", " ", "\n\t"]);
    let string = prop::collection::vec(
        prop_oneof![
            prop::sample::select(vec![
                "a", "é", "😀", "\\n", "\\u0041", "\\ud800", "\\udc00", "\\\\", "\\\"", "\u{7f}"
            ])
            .prop_map(str::to_owned),
            any::<u16>().prop_map(|unit| format!("\\u{unit:04X}")),
        ],
        0..4,
    )
    .prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let key = prop_oneof![
        string.clone(),
        (0_u64..12).prop_map(|n| format!("\"{n}\"")),
        (u64::from(u32::MAX) - 2..u64::from(u32::MAX) + 2).prop_map(|n| format!("\"{n}\"")),
    ];
    let leaf = prop_oneof![
        prop::sample::select(vec!["null", "true", "false", "-0", "1.0", "1E+2", "1e999"])
            .prop_map(str::to_owned),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
        string,
    ];
    let spaced = move |text: BoxedStrategy<String>| {
        (space.clone(), text, space.clone())
            .prop_map(|(before, text, after)| format!("{before}{text}{after}"))
    };
    leaf.boxed().prop_recursive(6, 64, 8, move |inner| {
        let inner = spaced(inner.boxed());
        let member = (key.clone(), inner.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..8).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..8)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

/// Texts of the characters that JSON is made of, few of them JSON.
const JUNK: &str = r#"[\[\]{},:"\\u10-9eE+.\t -]{0,12}"#;

proptest! {
    #[test]
    fn canonical_text_is_its_own_canonical_text(text in texts()) {
        let once = canonical(&text).expect("a JSON text");
        prop_assert_eq!(canonical(&once), Ok(once.clone()));
    }

    #[test]
    fn tagged_text_reads_back(text in texts()) {
        let value = parse(&text).expect("a JSON text");
        let written = write_tagged(&value);
        let again = parse_tagged(&written).expect("a tagged text");
        prop_assert_eq!(write_tagged(&again), written);
        prop_assert_eq!(stringify(&again), stringify(&value));
    }

    /// A text that ends where another stops being JSON is either whole, or
    /// wrong in the same place.
    #[test]
    fn the_place_of_an_error_is_where_the_text_goes_wrong(text in JUNK) {
        if let Err(error) = canonical(&text) {
            let start = &text[..error.offset()];
            let again = canonical(start).map_or_else(|error| error.offset(), |_| start.len());
            prop_assert_eq!(again, start.len());
        }
    }

    #[test]
    fn what_is_accepted_by_chance_has_a_canonical_text_too(text in JUNK) {
        if let Ok(once) = canonical(&text) {
            prop_assert_eq!(canonical(&once), Ok(once.clone()));
        }
    }
}
