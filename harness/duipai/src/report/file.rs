//! Writing a report to a file.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use tempfile::Builder;

/// Writes `text` to `path`, whole or not at all: readers see the old file or
/// the new one. Where `path` is a link, that is the file it points to. What is
/// no regular file (a pipe, a device) is written into.
///
/// # Errors
///
/// Those of the file system. A regular file is then as it was.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    if is_stream(path) {
        return OpenOptions::new().append(true).open(path)?.write_all(text.as_bytes());
    }
    replace(&pointed_to(path)?, text)
}

/// Whether there is something else than a regular file or a folder. The
/// process's own streams may be regular files, but are never replaced.
fn is_stream(path: &Path) -> bool {
    let own = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"];
    let other = |metadata: fs::Metadata| !metadata.is_file() && !metadata.is_dir();
    own.iter().any(|own| path.starts_with(own)) || fs::metadata(path).is_ok_and(other)
}

/// The file behind the links, which need not exist.
fn pointed_to(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A chain without an end has been refused before.
            let mut path = path.to_owned();
            while let Ok(next) = fs::read_link(&path) {
                path = path.parent().unwrap_or(Path::new("")).join(next);
            }
            Ok(path)
        }
        found => found,
    }
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
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

    #[cfg(unix)]
    #[test]
    fn links_stay_links() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        let other = folder.path().join("other");
        std::os::unix::fs::symlink("other", &link).unwrap();
        std::os::unix::fs::symlink("link", folder.path().join("chain")).unwrap();
        // The first time there is nothing behind the links.
        for (from, text) in [("chain", "first"), ("chain", "second"), ("link", "third")] {
            write(&folder.path().join(from), text).unwrap();
            assert_eq!(fs::read_to_string(&other).unwrap(), text);
            assert_eq!(fs::read_link(&link).unwrap(), Path::new("other"));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);

        let round = folder.path().join("round");
        std::os::unix::fs::symlink("round", &round).unwrap();
        assert!(write(&round, "x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_into() {
        use std::os::unix::fs::FileTypeExt as _;

        let null = Path::new("/dev/null");
        write(null, "x").unwrap();
        assert!(fs::metadata(null).unwrap().file_type().is_char_device());
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(null, &link).unwrap();
        write(&link, "x").unwrap();
        assert_eq!(fs::read_link(&link).unwrap(), null);
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
