//! Values on the bridge (句柄桥): bridge form ⇄ value.
//!
//! Both ways, a value more than [`BRIDGE_DEPTH`] levels below the root does not
//! cross; the root is at level 0.

use duipai_spec::{bridge::Handle, limits::BRIDGE_DEPTH, markers};

use crate::{
    Abort,
    handles::HandleTable,
    json::{
        self,
        write::{Begun, Dialect, begin_plain, write},
    },
    number,
    value::Value,
};

/// Greatest memory of the values that the handles of one argument text stand
/// for, in bytes.
pub const MAX_COPIED_BYTES: usize = 64 * 1024 * 1024;

/// Why a value did not cross the bridge to the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// It is nested too deep.
    #[error("宿主结果嵌套过深")]
    TooDeep,
    /// The handle table is full.
    #[error(transparent)]
    Abort(#[from] Abort),
}

/// The bridge form of a value. Plain objects and arrays are copied; of anything
/// else the program gets a marker, with a new handle where there is no other.
///
/// # Errors
///
/// When the value is nested too deep or the table is full. No new handle is then
/// left in the table.
pub fn write_bridge(value: &Value, handles: &mut HandleTable) -> Result<String, Stuck> {
    let mut dialect = Outward { handles, made: Vec::new() };
    let written = write(value, &mut dialect);
    if written.is_err() {
        for handle in dialect.made {
            dialect.handles.release(handle)?;
        }
    }
    written
}

struct Outward<'t> {
    handles: &'t mut HandleTable,
    made: Vec<Handle>,
}

impl Dialect for Outward<'_> {
    type Error = Stuck;

    fn begin<'a>(
        &mut self,
        value: &'a Value,
        level: usize,
        out: &mut String,
    ) -> Result<Begun<'a>, Stuck> {
        if level > BRIDGE_DEPTH {
            return Err(Stuck::TooDeep);
        }
        if let Some(begun) = begin_plain(value, out) {
            return Ok(begun);
        }
        match value {
            Value::Undefined => out.push_str(&format!("{{\"{}\":true}}", markers::UNDEFINED)),
            Value::BigInt(digits) => marker_into(markers::BIGINT, digits, out),
            Value::Number(number) => {
                marker_into(markers::NUMBER, &number::to_string(*number), out);
            }
            _ => {
                let handle = self.handles.insert(value.clone())?;
                self.made.push(handle);
                marker_into(markers::HANDLE, &handle.to_string(), out);
            }
        }
        Ok(Begun::Written)
    }
}

/// `content` needs no escapes.
fn marker_into(key: &str, content: &str, out: &mut String) {
    out.push_str(&format!("{{\"{key}\":\"{content}\"}}"));
}

/// The arguments in the text of a JSON array in bridge form. Only an object with
/// exactly one own key that is a marker is turned into what it stands for.
///
/// # Errors
///
/// When the text is not a JSON array, is nested too deep, or holds a marker that
/// stands for nothing, such as an unknown handle, or when the values of the
/// handles in it would take more than [`MAX_COPIED_BYTES`].
pub fn parse_arguments(text: &str, handles: &HandleTable) -> Result<Vec<Value>, Abort> {
    let mut root = json::parse(text).map_err(|_| Abort::new("宿主参数不是有效的 JSON 文字"))?;
    let Value::Array(_) = root else {
        return Err(Abort::new("宿主参数须为 JSON 数组"));
    };
    let mut open = vec![(&mut root, 0)];
    let mut copied = 0_usize;
    while let Some((value, level)) = open.pop() {
        if level > BRIDGE_DEPTH {
            return Err(Abort::new("宿主参数嵌套过深"));
        }
        match meaning(value, handles)? {
            // A host value is what it is; there are no markers inside.
            Some(meant) => {
                // Each mention of a handle copies its value, and a short text
                // can hold many.
                copied = copied.saturating_add(meant.memory());
                if copied > MAX_COPIED_BYTES {
                    return Err(Abort::new(format!("宿主参数占用超过 {MAX_COPIED_BYTES} 字节")));
                }
                *value = meant;
            }
            None => value.visit_children_mut(|child| open.push((child, level + 1))),
        }
    }
    let Value::Array(arguments) = &mut root else { return Ok(Vec::new()) };
    Ok(std::mem::take(arguments))
}

/// What an object that is a marker stands for.
fn meaning(value: &Value, handles: &HandleTable) -> Result<Option<Value>, Abort> {
    let Value::Object(object) = value else { return Ok(None) };
    let mut members = object.iter();
    let (Some((key, content)), None) = (members.next(), members.next()) else {
        return Ok(None);
    };
    let Some(key) = key.as_str().filter(|key| markers::KEYS.contains(key)) else {
        return Ok(None);
    };
    if key == markers::UNDEFINED {
        return Ok(Some(Value::Undefined));
    }
    let text = match content {
        Value::String(text) => text.as_str(),
        _ => None,
    };
    let meant = match (key, text) {
        (markers::HANDLE, Some(digits)) => match parse_handle(digits) {
            Some(handle) => Some(handles.get(handle)?.clone()),
            None => None,
        },
        (markers::BIGINT, Some(digits)) => number::parse_bigint(digits).map(Value::BigInt),
        (markers::NUMBER, Some("NaN")) => Some(Value::Number(f64::NAN)),
        (markers::NUMBER, Some("Infinity")) => Some(Value::Number(f64::INFINITY)),
        (markers::NUMBER, Some("-Infinity")) => Some(Value::Number(f64::NEG_INFINITY)),
        _ => None,
    };
    match meant {
        Some(meant) => Ok(Some(meant)),
        None => Err(Abort::new(format!("宿主记号无效：{key}"))),
    }
}

/// The handle of a number as [`write_bridge`] writes it, not otherwise spelt.
fn parse_handle(digits: &str) -> Option<Handle> {
    let handle = Handle::from_number(digits.parse().ok()?);
    (handle.to_string() == digits).then_some(handle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tagged::{parse_tagged, write_tagged};

    fn check_out(tagged: &str, expected: &str) {
        let value = parse_tagged(tagged).expect(tagged);
        let mut handles = HandleTable::default();
        let seen = write_bridge(&value, &mut handles).expect(tagged);
        // Every handle is random; in the expectation they are all called N.
        let handle_digits = |text: &str| {
            let mut pieces = text.split("{\"$句柄\":\"");
            let mut masked = pieces.next().unwrap_or_default().to_owned();
            for piece in pieces {
                masked.push_str("{\"$句柄\":\"N");
                masked.push_str(piece.trim_start_matches(|c: char| c.is_ascii_digit()));
            }
            masked
        };
        assert_eq!(handle_digits(&seen), expected);
        assert_eq!(handles.len(), expected.matches("\"N\"").count());
    }

    #[test]
    fn many_mentions_of_a_large_value_are_refused() {
        let mut handles = HandleTable::default();
        let handle = handles.insert(Value::Bytes(vec![0; 1024 * 1024])).expect("there is room");
        let mention = format!("{{\"$句柄\":\"{handle}\"}}");
        let list = |count| format!("[{}]", vec![mention.as_str(); count].join(","));
        assert_eq!(parse_arguments(&list(2), &handles).map(|it| it.len()), Ok(2));
        let refused = parse_arguments(&list(64), &handles).map(|it| it.len());
        assert_eq!(refused, Err(Abort::new("宿主参数占用超过 67108864 字节")));
    }

    #[test]
    fn only_plain_data_is_copied_out() {
        check_out(r#"{"b":[1,null,"é"],"1":true}"#, r#"{"1":true,"b":[1,null,"é"]}"#);
        check_out(r##"{"#undefined":true}"##, r#"{"$未定义":true}"#);
        check_out(r##"[{"#bigint":"-7"}]"##, r#"[{"$大整数":"-7"}]"#);
        check_out(
            r##"[{"#nan":true},{"#infinity":-1}]"##,
            r#"[{"$数字":"NaN"},{"$数字":"-Infinity"}]"#,
        );
        check_out(r##"{"x":{"#minus-zero":true}}"##, r#"{"x":0}"#);
        check_out(
            r##"[{"#date":0},{"#class":{"a":1}},{"#symbol":"s"},{"#map":[]}]"##,
            r#"[{"$句柄":"N"},{"$句柄":"N"},{"$句柄":"N"},{"$句柄":"N"}]"#,
        );
        check_out(r##"{"x":{"#bytes":"00"}}"##, r#"{"x":{"$句柄":"N"}}"#);
        // Data in the form of a marker cannot be told from one.
        check_out(r#"{"$数字":"1"}"#, r#"{"$数字":"1"}"#);
    }

    fn check_in(text: &str, expected: Result<&str, &str>) {
        let seen = parse_arguments(text, &HandleTable::default());
        let seen = seen.map(|arguments| write_tagged(&Value::Array(arguments)));
        let seen = seen.as_ref().map(String::as_str).map_err(Abort::text);
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn only_markers_alone_in_their_object_are_read() {
        check_in(r#"[{"$未定义":true}]"#, Ok(r##"[{"#undefined":true}]"##));
        check_in(r#"[[{"\u0024大整数":"07"}]]"#, Ok(r##"[[{"#bigint":"7"}]]"##));
        check_in(r#"[{"a":{"$数字":"Infinity"}}]"#, Ok(r##"[{"a":{"#infinity":1}}]"##));
        check_in(r#"[{"$未定义":true,"x":1}]"#, Ok(r#"[{"$未定义":true,"x":1}]"#));
        check_in(
            r#"[{"$未知":"1"},"{\"$句柄\":\"1\"}"]"#,
            Ok(r#"[{"$未知":"1"},"{\"$句柄\":\"1\"}"]"#),
        );
    }

    #[test]
    fn markers_that_stand_for_nothing_end_the_event() {
        check_in(r#"[{"$句柄":"1"}]"#, Err("宿主句柄不存在或已释放：1"));
        check_in(r#"[{"$句柄":1}]"#, Err("宿主记号无效：$句柄"));
        for spelling in ["x", "+1", "01", " 1", "", "18446744073709551616"] {
            let text = format!("[{{\"$句柄\":\"{spelling}\"}}]");
            check_in(&text, Err("宿主记号无效：$句柄"));
        }
        check_in(r#"[{"$大整数":"1.5"}]"#, Err("宿主记号无效：$大整数"));
        check_in(r#"[{"$数字":"1"}]"#, Err("宿主记号无效：$数字"));
        check_in("{}", Err("宿主参数须为 JSON 数组"));
        check_in("[", Err("宿主参数不是有效的 JSON 文字"));
    }

    #[test]
    fn a_handle_is_read_back_as_its_value() {
        let mut handles = HandleTable::default();
        let date = write_bridge(&Value::Date(5.0), &mut handles).expect("there is room");
        let arguments = parse_arguments(&format!("[{date},{date}]"), &handles);
        let arguments = Value::Array(arguments.expect("the handle is alive"));
        assert_eq!(write_tagged(&arguments), r##"[{"#date":5},{"#date":5}]"##);
    }

    fn nested(levels: usize, inner: &str) -> String {
        format!("{}{inner}{}", "[".repeat(levels), "]".repeat(levels))
    }

    fn check_depth(text: &str, crosses: bool) {
        let mut handles = HandleTable::default();
        let value = parse_tagged(text).expect(text);
        let out = write_bridge(&value, &mut handles);
        assert_eq!(out.is_ok(), crosses, "out: {text}");
        assert_eq!(matches!(out, Err(Stuck::TooDeep)), !crosses, "out: {text}");
        if !crosses {
            assert!(handles.is_empty(), "a handle is left of {text}");
        }
        let arguments = parse_arguments(text, &handles);
        let too_deep = arguments.err().is_some_and(|abort| abort.text() == "宿主参数嵌套过深");
        assert_eq!(too_deep, !crosses, "in: {text}");
    }

    #[test]
    fn a_value_more_than_32_levels_below_the_root_does_not_cross() {
        check_depth(&nested(33, ""), true);
        check_depth(&nested(34, ""), false);
        check_depth(&nested(32, "1"), true);
        check_depth(&nested(33, "1"), false);
        check_depth(&nested(32, "{}"), true);
        check_depth(&nested(32, r#"{"a":1}"#), false);
        check_depth(&format!("[{{\"#date\":0}},{}]", nested(33, "1")), false);
        check_depth(&nested(500_000, ""), false);
    }

    #[test]
    fn a_full_table_leaves_no_handle_behind() {
        let dates = vec!["{\"#date\":0}"; 4097].join(",");
        let value = parse_tagged(&format!("[{dates}]")).expect("tagged text");
        let mut handles = HandleTable::default();
        assert!(matches!(write_bridge(&value, &mut handles), Err(Stuck::Abort(_))));
        assert!(handles.is_empty());
    }
}
