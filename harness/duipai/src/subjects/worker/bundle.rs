//! Bundling with esbuild: Workers in TypeScript, and such that import packages.

use std::{env, ffi::OsString, path::Path, time::Duration};

use super::{
    WorkerError,
    config::{Module, ModuleKind},
    folder::{self, Deployment},
};
use crate::{
    judge::one_line,
    subjects::process::{command, tool},
};

/// Longest time that bundling may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Longest message of esbuild's that is told, in characters.
const REASON_CHARS: usize = 300;

/// Name of the bundle.
const BUNDLE: &str = "bundle.js";

/// What no bundle holds: the runtime's own modules.
const EXTERNAL: [&str; 3] = ["cloudflare:", "node:", "workerd:"];

/// Whether the module imports one that is neither in the folder nor the
/// runtime's own.
///
/// The text is searched without a parser: what looks like an import in a comment
/// costs a needless bundling and nothing else.
pub(super) fn needs_bundling(module: &Module) -> bool {
    if module.kind != ModuleKind::Es {
        return false;
    }
    let text = String::from_utf8_lossy(&module.content);
    specifiers(&text).any(|specifier| {
        if specifier.starts_with(['.', '/']) {
            return leaves(&module.name, specifier);
        }
        !EXTERNAL.iter().any(|scheme| specifier.starts_with(scheme))
    })
}

/// Whether a relative path leads from the module out of the folder.
fn leaves(module: &str, specifier: &str) -> bool {
    let mut depth = module.matches('/').count();
    for part in specifier.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

/// The texts in quotes that follow `from`, `import` or `import(`.
fn specifiers(text: &str) -> impl Iterator<Item = &str> {
    let after = |keyword: &'static str| {
        text.match_indices(keyword).filter_map(move |(at, _)| {
            let part_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
            if text[..at].ends_with(part_of_word) {
                return None;
            }
            let rest = text[at + keyword.len()..].trim_start();
            let rest = rest.strip_prefix('(').map_or(rest, str::trim_start);
            let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let (specifier, _) = rest[1..].split_once(quote)?;
            (!specifier.contains('\n')).then_some(specifier)
        })
    };
    after("from").chain(after("import"))
}

/// The Worker whose main module is `main` in `folder`, in one bundle.
///
/// # Errors
///
/// When esbuild is missing or cannot bundle it.
pub(super) fn bundle(folder: &Path, main: &Path) -> Result<Deployment, WorkerError> {
    let esbuild = tool(&packaged()).ok_or_else(|| WorkerError::NoBundler(folder.to_owned()))?;
    let failed = |reason: String| WorkerError::Bundling { folder: folder.to_owned(), reason };
    let out = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
    let options = [
        "--bundle",
        "--format=esm",
        "--target=es2024",
        "--conditions=workerd,worker,browser",
        "--loader:.wasm=copy",
        "--asset-names=[name]-[hash]",
        "--entry-names=bundle",
        "--log-level=error",
        "--color=false",
    ];
    let mut arguments = vec![Path::new(".").join(main).into_os_string()];
    arguments.extend(options.map(OsString::from));
    arguments.extend(EXTERNAL.map(|scheme| format!("--external:{scheme}*").into()));
    arguments.push(format!("--outdir={}", out.path().display()).into());
    let ran = command::run(&esbuild, arguments, Some(folder), LIMIT);
    let ran = ran.map_err(|error| failed(error.to_string()))?;
    if !ran.status.success() {
        let said = String::from_utf8_lossy(&ran.err);
        let said = said.lines().map(str::trim).filter(|line| !line.is_empty());
        let said = said.collect::<Vec<_>>().join(" ");
        return Err(failed(one_line(&said, REASON_CHARS)));
    }
    Ok(Deployment::new(BUNDLE, folder::modules(out.path())?))
}

/// Where npm puts the binary of this platform.
fn packaged() -> String {
    let system = match env::consts::OS {
        "macos" => "darwin",
        system => system,
    };
    let machine = match env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "x64",
    };
    format!("@esbuild/{system}-{machine}/bin/esbuild")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: bool) {
        assert_eq!(needs_bundling(&Module::es("c/a.js", text)), expected, "{text}");
    }

    #[test]
    fn only_packages_need_bundling() {
        check("import { a } from './b/../../a.js';\nimport \"../b.mjs\";", false);
        check("import { DurableObject } from 'cloudflare:workers'", false);
        check("import fs from\"node:fs\"; await import('./c.js')", false);
        check("import a from '../../a.js'", true);
        check("import a from './b/../../../a.js'", true);
        check("import a from 'a'", true);
        check("import 'a/b.js'", true);
        check("export * from \"@scope/a\"", true);
        check("const a = await import( \"a\" )", true);
        check("Array.from('abc'); const imports = 'x'; reimport('a')", false);
        check("const from = 1; import.meta.url", false);
    }
}
