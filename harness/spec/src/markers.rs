//! The four host markers (宿主记号): one-key objects by which the handle bridge
//! carries what JSON cannot.

/// Key of a host handle, `{"$句柄":"123"}`.
pub const HANDLE: &str = "$句柄";
/// Key of `undefined`, `{"$未定义":true}`.
pub const UNDEFINED: &str = "$未定义";
/// Key of a BigInt, `{"$大整数":"9007199254740993"}`.
pub const BIGINT: &str = "$大整数";
/// Key of a number that JSON cannot hold, `{"$数字":"NaN"}`.
pub const NUMBER: &str = "$数字";

/// All four keys.
pub const KEYS: [&str; 4] = [HANDLE, UNDEFINED, BIGINT, NUMBER];

/// How an object that begins with each marker begins in canonical text. Inside
/// a canonical string every quote carries a backslash, so these texts never
/// occur in string content: a substring search is exact.
pub const PREFIXES: [&str; 4] = ["{\"$句柄\":", "{\"$未定义\":", "{\"$大整数\":", "{\"$数字\":"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_made_of_keys() {
        for (key, prefix) in KEYS.iter().zip(PREFIXES) {
            assert_eq!(alloc::format!("{{\"{key}\":"), prefix);
        }
    }
}
