//! Writing a report to a file.

use std::{
    io::{self, Write as _},
    path::Path,
};

use tempfile::Builder;

/// Writes `text` to `path`, whole or not at all: readers see the old file or
/// the new one.
///
/// # Errors
///
/// Those of the file system. The file is then as it was.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = Builder::new();
    builder.prefix(".duipai-");
    // Temporary files are private; a report is an ordinary file. The system
    // takes away what the user's mask forbids.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        for text in ["first", "second 二"] {
            write(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failure_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write(&folder.path().join("no/such/folder"), "x").is_err());
        // A folder cannot be replaced by a file.
        let path = folder.path().join("taken");
        fs::create_dir(&path).unwrap();
        assert!(write(&path, "x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
