//! SHA-256 as lower-case hexadecimal, the form in which digests are written
//! everywhere.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// The digest of `bytes`.
pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    finish(Sha256::new_with_prefix(bytes))
}

/// The digest of everything that went into `hasher`.
pub(crate) fn finish(hasher: Sha256) -> String {
    let mut hex = String::with_capacity(64);
    for byte in hasher.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digests() {
        let check = |text: &str, digest: &str| assert_eq!(hex(text), digest);
        check("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        check("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
