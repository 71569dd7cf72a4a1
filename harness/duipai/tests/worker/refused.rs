//! Folders that hold no Worker, and Workers that do not start or speak: one
//! clear line, and exit status 2.

use std::{fs, os::unix::fs::symlink, path::Path};

use crate::{
    command::{Harness, empty},
    workers::{folder, source},
};

/// What the command says to the Worker in `folder`.
fn told(folder: &Path) -> String {
    let subject = format!("worker:{}", folder.display());
    let mut harness = Harness::command(&["run", "--subject", &subject]);
    let ended = harness.end();
    empty(harness.folder());
    ended.refusal().to_owned()
}

/// It says this after the folder's name.
fn check_all(files: &[(&str, &str)], expected: &str) {
    let folder = folder(files);
    let told = told(folder.path());
    assert_eq!(told.strip_prefix(folder.path().to_str().unwrap()), Some(expected), "{told}");
}

/// It says this among other things.
fn check(files: &[(&str, &str)], part: &str) {
    let told = told(folder(files).path());
    assert!(told.contains(part), "no `{part}` in {told}");
}

const MAIN: (&str, &str) = ("a.js", "export default { fetch() {} };");

#[test]
fn no_folder() {
    assert_eq!(told(Path::new("no/such/folder")), "no/such/folder: no such folder");
    let file = source("package.json");
    assert_eq!(told(&file), format!("{}: no such folder", file.display()));
    let looped = folder(&[("index.js", "export default {}")]);
    symlink(looped.path(), looped.path().join("again")).unwrap();
    let again = looped.path().join("again");
    let expected = format!("{}: the folder is a link back to one it is in", again.display());
    assert_eq!(told(looped.path()), expected);
}

#[test]
fn no_main_module() {
    const NONE: &str = ": no main module: give it a wrangler configuration with `main`, or an \
                        index.js, index.mjs or worker.js";
    check_all(&[], NONE);
    check_all(&[("wrangler.toml", "name = \"w\""), MAIN], NONE);
    let named = |main: &str, expected: &str| {
        check_all(&[("wrangler.toml", &format!("main = \"{main}\"")), MAIN], expected);
    };
    named("b.js", ": the main module `b.js` is no file in this folder");
    named("../a.js", ": the main module `../a.js` is no file in this folder");
    named("", ": the main module `` is no file in this folder");
}

#[test]
fn a_broken_configuration() {
    check_all(&[("wrangler.toml", "name = \"w\"\nmain = 3"), MAIN], {
        "/wrangler.toml:2: invalid type: integer `3`, expected a string"
    });
    check_all(&[("wrangler.toml", "main = \"a.js\"\n[vars\n"), MAIN], {
        "/wrangler.toml:2: unclosed table, expected `]`"
    });
    check_all(&[("wrangler.jsonc", "{\n  \"main\": \"a.js\",\n  \"vars\" {}\n}"), MAIN], {
        "/wrangler.jsonc:3: Expected colon after the string or word in object property"
    });
    check_all(&[("wrangler.json", ""), MAIN], "/wrangler.json:1: the file is empty");
    let folder = folder(&[MAIN]);
    fs::write(folder.path().join("wrangler.toml"), b"main = \"\xff\"").unwrap();
    let told = told(folder.path());
    assert!(told.contains("/wrangler.toml: ") && told.contains("UTF-8"), "{told}");
}

#[test]
fn a_configuration_that_cannot_be_followed() {
    let check = |line: &str, part: &str| {
        check(&[("wrangler.toml", &format!("main = \"a.js\"\n{line}")), MAIN], part);
    };
    check(
        "[vars]\nDUIPAI_CONTROL = 1",
        "the variable `DUIPAI_CONTROL` has a name of the harness's",
    );
    check("compatibility_date = \"2999-01-01\"", "2999-01-01");
    check("compatibility_date = \"soon\"", "soon");
    check("compatibility_flags = [\"no_such_flag\"]", "no_such_flag");
}

#[test]
fn a_worker_that_does_not_start() {
    let check = |text: &str, part: &str| check(&[("index.js", text)], part);
    check("export default { fetch( { }", "SyntaxError");
    check("import { a } from './b.js'; export default {};", "b.js");
    check("throw new Error('at once'); export default {};", "at once");
    check("export const a = 1;", "default");
    check("import 'no-such-package'; export default {};", "no-such-package");
}

#[test]
fn a_worker_that_cannot_be_bundled() {
    let toml = ("wrangler.toml", "main = \"index.ts\"");
    check(&[toml, ("index.ts", "export default {")], "the Worker cannot be bundled: ");
    check(&[toml, ("index.ts", "")], "default");
}

#[test]
fn a_worker_that_speaks_no_protocol() {
    const SILENT: &str = "the Worker does not speak the protocol `duipai 1`: ";
    let check = |text: &str, part: &str| {
        let told = told(folder(&[("index.js", text)]).path());
        let rest = told.strip_prefix(SILENT).unwrap_or_else(|| panic!("{told}"));
        assert!(rest.contains(part), "no `{part}` in {told}");
    };
    check("export default {};", "the Worker has no fetch handler");
    check("export default { fetch: () => new Response('hi') };", "it answered 200: hi");
    check("export default { fetch() { throw new Error('not\\ntoday'); } };", "not\\ntoday");
    let report = |outcomes: &str, end: &str| {
        format!(
            "const report = {{ outcomes: {outcomes}, end: {{ end: '{end}' }} }};
             export default {{ fetch: () => Response.json(report) }};"
        )
    };
    check(&report("[{ outcome: 'not-reached' }]", "fulfilled"), "it reports what nobody asked for");
    check(&report("[]", "happy"), "unknown variant `happy`");
}
