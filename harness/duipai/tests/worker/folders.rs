//! Folders: what is honoured of a deployment.

use std::{fs, path::Path};

use duipai::{observation::Outcome, plan::Action};
use duipai_spec::event::{End, EventKind};

use crate::workers::{BUDGET, event, folder, run, worker};

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
