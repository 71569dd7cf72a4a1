//! Regular files from outside, read up to a bound.
//!
//! What a path leads to is asked before it is opened: opening a pipe would wait
//! for its writer, and a device may never end.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read},
    path::Path,
};

/// A regular file that is read as far as its bound; what lies beyond is an
/// error, not an end.
#[derive(Debug)]
pub(crate) struct RegularFile {
    file: File,
    most: u64,
    left: u64,
}

impl RegularFile {
    /// Opens the file at `path`, which may have up to `most` bytes.
    ///
    /// # Errors
    ///
    /// There is no such file, it is not a regular one, or it is bigger.
    pub(crate) fn open(path: &Path, most: u64) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        if metadata.is_dir() {
            return Err(io::Error::new(ErrorKind::IsADirectory, "a folder, not a file"));
        }
        if !metadata.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
        }
        if metadata.len() > most {
            return Err(too_big(most));
        }
        Ok(Self { file: File::open(path)?, most, left: most })
    }
}

impl Read for RegularFile {
    /// The file may have grown since it was opened, so the bytes are counted.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| too_big(self.most))?;
        Ok(read)
    }
}

/// The bytes of the file at `path`.
///
/// # Errors
///
/// As for [`RegularFile::open`]; it cannot be read.
pub(crate) fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    RegularFile::open(path, most)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of the file at `path`.
///
/// # Errors
///
/// As for [`bytes`]; it is not UTF-8.
pub(crate) fn text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(bytes(path, most)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("not UTF-8: byte 0x{:02x} at offset {at}", error.as_bytes()[at]);
        io::Error::new(ErrorKind::InvalidData, message)
    })
}

fn too_big(most: u64) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("the file is over {most} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &[u8], most: u64, expected: Result<&str, &str>) {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), content).expect("its content");
        let seen = text(file.path(), most).map_err(|error| error.to_string());
        assert_eq!(seen.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn texts_are_bounded() {
        check("é".as_bytes(), 2, Ok("é"));
        check("é".as_bytes(), 1, Err("the file is over 1 bytes"));
        check(b"a\xff", 2, Err("not UTF-8: byte 0xff at offset 1"));
    }

    #[test]
    fn a_file_that_grows_is_bounded_too() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let mut opened = RegularFile::open(file.path(), 3).expect("an empty file");
        fs::write(file.path(), b"abcd").expect("its content");
        let error = opened.read_to_end(&mut Vec::new()).expect_err("a byte too many");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }

    fn refused(path: &Path, expected: &str) {
        assert_eq!(bytes(path, 9).expect_err("no regular file").to_string(), expected);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_else_is_opened() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
        assert!(made.success());
        refused(&pipe, "not a regular file");
        refused(Path::new("/dev/zero"), "not a regular file");
        refused(folder.path(), "a folder, not a file");
    }
}
