//! Folders: what is honoured of a deployment, and one clear line for everything
//! that is wrong.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use duipai::{observation::Outcome, plan::Action, subjects};
use duipai_spec::event::{End, EventKind};

use crate::workers::{BUDGET, event, folder, run, source, together, worker};

/// A Worker that answers with `value` as what its first step returned.
fn telling(value: &str) -> String {
    format!(
        r#"export default {{
          async fetch(request, env) {{
            const {{ steps }} = await request.json();
            const outcomes = await Promise.all(steps.map(async () => ({{
              outcome: "returned", value: JSON.stringify({value}) ?? null,
            }})));
            return Response.json({{ outcomes, end: {{ end: "fulfilled" }} }});
          }},
        }};"#
    )
}

/// What the Worker in `folder` tells.
fn told(folder: &Path) -> String {
    let subject = worker(folder);
    let seen = run(&*subject, event(EventKind::Fetch, vec![Action::ReadBatch]), BUDGET).unwrap();
    assert_eq!(seen.end, End::Fulfilled);
    match &seen.outcomes[..] {
        [Outcome::Returned { value: Some(value) }] => value.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_deployment_is_honoured() {
    let _together = together();
    let main = telling("[env.TEXT, env.LIST, navigator.userAgent, Object.keys(env).sort()]");
    let wrangler = r#"{
        // as the user's own tools read it
        "name": "w", "main": "./src/main.mjs", "compatibility_date": "2026-01-01",
        "vars": { "TEXT": "甲\"", "LIST": [1] },
    }"#;
    let folder = folder(&[("wrangler.jsonc", wrangler), ("src/main.mjs", &main)]);
    let keys = r#"["DUIPAI","LIST","PAGE_QUEUE","TEXT"]"#;
    assert_eq!(told(folder.path()), format!("[\"甲\\\"\",[1],\"Cloudflare-Workers\",{keys}]"));
    let identity = worker(folder.path()).identity();
    assert!(identity.engine.ends_with("compatibility date 2026-01-01"), "{}", identity.engine);
}

#[test]
fn old_dates_and_flags_are_honoured() {
    let _together = together();
    let main = telling("typeof navigator");
    let toml = |more: &str| format!("main = \"a.js\"\ncompatibility_date = \"2021-11-03\"\n{more}");
    let old = folder(&[("wrangler.toml", &toml("")), ("a.js", &main)]);
    assert_eq!(told(old.path()), "\"undefined\"");
    let flag = "compatibility_flags = [\"global_navigator\"]";
    let flagged = folder(&[("wrangler.toml", &toml(flag)), ("a.js", &main)]);
    assert_eq!(told(flagged.path()), "\"object\"");
}

#[test]
fn modules_import_each_other_and_wasm() {
    let _together = together();
    let main = format!(
        "import {{ two }} from './lib/two.mjs';\nimport wasm from './lib/m.wasm';\n\
         const made = new WebAssembly.Instance(wasm).exports.f();\n{}",
        telling("[two, made]")
    );
    let folder = folder(&[
        ("index.js", &main),
        ("lib/two.mjs", "import { one } from '../one.js';\nexport const two = one + 1;"),
        ("one.js", "export const one = 1;"),
        ("node_modules/x/index.js", "this is no JavaScript"),
    ]);
    let wasm = wat::parse_str(r#"(module (func (export "f") (result i32) i32.const 7))"#).unwrap();
    fs::write(folder.path().join("lib/m.wasm"), wasm).unwrap();
    assert_eq!(told(folder.path()), "[2,7]");
}

#[test]
fn typescript_and_packages_are_bundled() {
    let _together = together();
    let main = telling("[three as number, made]");
    let main = format!(
        "import {{ three }} from 'pkg';\nimport wasm from './m.wasm';\nconst made: number = new WebAssembly.Instance(wasm).exports.f();\n{main}"
    );
    let folder = folder(&[
        ("wrangler.toml", "main = \"src/index.ts\"\n"),
        ("src/index.ts", &main),
        ("node_modules/pkg/package.json", r#"{"name":"pkg","main":"main.js"}"#),
        ("node_modules/pkg/main.js", "exports.three = 3;"),
    ]);
    let wasm = wat::parse_str(r#"(module (func (export "f") (result i32) i32.const 7))"#).unwrap();
    fs::write(folder.path().join("src/m.wasm"), wasm).unwrap();
    assert_eq!(told(folder.path()), "[3,7]");
}

/// A class is as good as an object, and so is a main module that imports from
/// outside of the folder.
#[test]
fn classes_and_imports_from_outside_are_taken() {
    let _together = together();
    let main = "import { WorkerEntrypoint } from 'cloudflare:workers';\n\
                import { answer } from '../outside.js';\n\
                export default class extends WorkerEntrypoint {\n\
                  async fetch(request) { return answer(await request.json()); }\n}";
    let outside = "export const answer = ({ steps }) => Response.json({\n\
                     outcomes: steps.map(() => ({ outcome: 'returned', value: '1' })),\n\
                     end: { end: 'fulfilled' },\n});";
    let folder = folder(&[("in/index.js", main), ("outside.js", outside)]);
    assert_eq!(told(&folder.path().join("in")), "1");
}

/// The one line that says why there is no subject.
fn refused(spec: &str) -> String {
    let Err(error) = subjects::from_spec(spec) else { panic!("{spec} is a subject") };
    let text = error.to_string();
    assert!(!text.contains('\n') && text.len() < 700, "{text}");
    text
}

fn check(files: &[(&str, &str)], part: &str) {
    let folder = folder(files);
    let told = refused(&format!("worker:{}", folder.path().display()));
    assert!(told.contains(part), "no `{part}` in {told}");
}

#[test]
fn folders_without_a_worker_are_refused() {
    let _together = together();
    assert!(refused("worker:no/such/folder").contains("no/such/folder: no such folder"));
    let file = source("package.json");
    assert!(refused(&format!("worker:{}", file.display())).contains("no such folder"));
    check(&[], "no main module");
    check(&[("wrangler.toml", "name = \"w\"")], "no main module");
    check(&[("wrangler.toml", "main = \"a.js\"")], "the main module `a.js` is no file");
    check(&[("wrangler.toml", "main = \"../a.js\""), ("a.js", "")], "the main module `../a.js`");
    check(&[("wrangler.toml", "main = [")], "wrangler.toml: ");
    check(&[("wrangler.json", "{")], "wrangler.json: ");
    let reserved = "main = \"a.js\"\n[vars]\nDUIPAI_CONTROL = 1";
    check(&[("wrangler.toml", reserved), ("a.js", "")], "`DUIPAI_CONTROL`");
    let looped = folder(&[("index.js", "export default {}")]);
    symlink(looped.path(), looped.path().join("again")).unwrap();
    let told = refused(&format!("worker:{}", looped.path().display()));
    assert!(told.contains("again: the folder is a link back to one it is in"), "{told}");
}

#[test]
fn workers_that_do_not_start_are_refused() {
    let _together = together();
    check(&[("index.js", "export default { fetch( { }")], "SyntaxError");
    check(&[("index.js", "import { a } from './b.js'; export default {};")], "b.js");
    check(&[("index.js", "throw new Error('at once'); export default {};")], "at once");
    check(&[("index.js", "export const a = 1;")], "default");
    check(&[("index.ts", ""), ("wrangler.toml", "main = \"index.ts\"")], "default");
    check(&[("index.js", "import 'no-such-package'; export default {};")], "no-such-package");
    let toml = |line: &str| format!("main = \"a.js\"\n{line}");
    let worker = "export default { fetch() {} };";
    let dated = toml("compatibility_date = \"2999-01-01\"");
    check(&[("wrangler.toml", &dated), ("a.js", worker)], "2999-01-01");
    let flagged = toml("compatibility_flags = [\"no_such_flag\"]");
    check(&[("wrangler.toml", &flagged), ("a.js", worker)], "no_such_flag");
}

#[test]
fn workers_that_speak_no_protocol_are_refused() {
    let _together = together();
    let silent = "does not speak the protocol `duipai 1`";
    check(&[("index.js", "export default {};")], silent);
    check(&[("index.js", "export default { fetch: () => new Response('hi') };")], "200: hi");
    check(&[("index.js", &telling("1").replace("[]", "[1]").replace("fulfilled", "x"))], silent);
}

/// In an environment of its own: a variable of this process is for all tests.
#[test]
fn a_missing_or_wrong_workerd_is_named() {
    let _together = together();
    let run = |workerd: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_duipai"));
        command.args(["run", "--subject", "worker"]).env("DUIPAI_WORKERD", workerd);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(run("/no/such/workerd"), {
        "error: subject: /no/such/workerd cannot be used as workerd: \
         No such file or directory (os error 2)\n"
    });
    assert_eq!(run("/bin/true"), {
        "error: subject: /bin/true cannot be used as workerd: it is not workerd\n"
    });
}
