//! The configuration that workerd is started with: a folder of module files and
//! a text that names them.

use std::{fmt::Write as _, fs, io, path::Path};

/// The compatibility date of the driver, and of Workers that name none.
pub(super) const COMPATIBILITY_DATE: &str = "2026-10-01";

/// The file that [`write`] puts beside the modules.
pub(super) const CONFIG_FILE: &str = "config.capnp";

/// Greatest heap of all Workers together, in MiB; who needs more ends the process.
const MAX_HEAP_MIB: u32 = 512;

/// A module of a Worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Module {
    /// The name under which other modules import it.
    pub(super) name: String,
    /// What it is.
    pub(super) kind: ModuleKind,
    /// What stands in it.
    pub(super) content: Vec<u8>,
}

impl Module {
    /// An ECMAScript module.
    pub(super) fn es(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), kind: ModuleKind::Es, content: content.into() }
    }
}

/// The kinds of modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModuleKind {
    /// ECMAScript.
    Es,
    /// WebAssembly.
    Wasm,
}

impl ModuleKind {
    /// The name of the field that holds such a module.
    const fn field(self) -> &'static str {
        match self {
            Self::Es => "esModule",
            Self::Wasm => "wasm",
        }
    }
}

/// One service that is a Worker.
#[derive(Clone, Debug)]
pub(super) struct Service {
    pub(super) name: &'static str,
    /// The first is the main module.
    pub(super) modules: Vec<Module>,
    pub(super) compatibility_date: String,
    pub(super) compatibility_flags: Vec<String>,
    pub(super) bindings: Vec<(String, Target)>,
}

/// What a binding of a Worker leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A text.
    Text(String),
    /// The value of a JSON text.
    Json(String),
    /// The default handlers of a service.
    Service(&'static str),
    /// A class that a service exports.
    Entrypoint(&'static str, &'static str),
    /// A queue whose broker is this service.
    Queue(String),
}

/// Everything that workerd runs.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) services: Vec<Service>,
    /// The service that answers on the socket.
    pub(super) entrance: &'static str,
    pub(super) externals: Vec<External>,
}

/// A service that is an HTTP server on this machine.
#[derive(Clone, Debug)]
pub(super) struct External {
    pub(super) name: String,
    pub(super) port: u16,
    /// Headers that workerd adds to every request.
    pub(super) headers: Vec<(&'static str, String)>,
}

/// Writes the configuration and its modules into the empty folder `folder`.
///
/// # Errors
///
/// When a file cannot be written.
pub(super) fn write(config: &Config, folder: &Path) -> io::Result<()> {
    let modules = config.services.iter().flat_map(|service| &service.modules);
    for (module, number) in modules.zip(0..) {
        fs::write(folder.join(file(number)), &module.content)?;
    }
    fs::write(folder.join(CONFIG_FILE), text(config))
}

/// The name of the file of a module: module names are no file names.
fn file(number: usize) -> String {
    format!("module-{number}")
}

fn text(config: &Config) -> String {
    let mut text = String::from("using Workerd = import \"/workerd/workerd.capnp\";\n");
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(
        text,
        "const config :Workerd.Config = (\n  v8Flags = [\"--max-heap-size={MAX_HEAP_MIB}\"],\n  \
         services = ["
    );
    for service in &config.services {
        let _ =
            writeln!(text, "    (name = {0}, worker = .{1}),", quoted(service.name), service.name);
    }
    for External { name, port, headers } in &config.externals {
        let headers = headers
            .iter()
            .map(|(name, value)| format!("(name = {}, value = {})", quoted(name), quoted(value)));
        let _ = writeln!(
            text,
            "    (name = {}, external = (address = \"127.0.0.1:{port}\", \
             http = (injectRequestHeaders = [{}]))),",
            quoted(name),
            headers.collect::<Vec<_>>().join(", ")
        );
    }
    let _ = writeln!(
        text,
        "  ],\n  sockets = [(name = \"http\", address = \"127.0.0.1:0\", http = (), \
         service = {})]\n);",
        quoted(config.entrance)
    );
    let mut number = 0;
    for service in &config.services {
        let _ = writeln!(text, "const {} :Workerd.Worker = (\n  modules = [", service.name);
        for module in &service.modules {
            let (name, field) = (quoted(&module.name), module.kind.field());
            let _ = writeln!(text, "    (name = {name}, {field} = embed \"{}\"),", file(number));
            number += 1;
        }
        let flags: Vec<_> = service.compatibility_flags.iter().map(|flag| quoted(flag)).collect();
        let _ = writeln!(
            text,
            "  ],\n  compatibilityDate = {},\n  compatibilityFlags = [{}],\n  bindings = [",
            quoted(&service.compatibility_date),
            flags.join(", ")
        );
        for (name, target) in &service.bindings {
            let _ = writeln!(text, "    (name = {}, {}),", quoted(name), described(target));
        }
        text.push_str("  ]\n);\n");
    }
    text
}

fn described(target: &Target) -> String {
    match target {
        Target::Text(value) => format!("text = {}", quoted(value)),
        Target::Json(value) => format!("json = {}", quoted(value)),
        Target::Service(name) => format!("service = {}", quoted(name)),
        Target::Entrypoint(name, entrypoint) => {
            format!("service = (name = {}, entrypoint = {})", quoted(name), quoted(entrypoint))
        }
        Target::Queue(name) => format!("queue = {}", quoted(name)),
    }
}

/// A text literal. What is not plain stands as the bytes of its UTF-8 form.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\x{byte:02x}");
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_leave_their_literal() {
        assert_eq!(quoted("a\"b\\c\n中"), r#""a\"b\\c\x0a\xe4\xb8\xad""#);
    }

    #[test]
    fn modules_are_numbered_over_all_services() {
        let service = |name, module: &str| Service {
            name,
            modules: vec![Module::es(module, "export default {}")],
            compatibility_date: COMPATIBILITY_DATE.to_owned(),
            compatibility_flags: Vec::new(),
            bindings: vec![("Q".to_owned(), Target::Queue("queue-0".to_owned()))],
        };
        let config = Config {
            services: vec![service("driver", "a.js"), service("subject", "../\"b")],
            entrance: "driver",
            externals: vec![External {
                name: "queue-0".to_owned(),
                port: 7,
                headers: vec![("x-a", "b".to_owned())],
            }],
        };
        let folder = tempfile::tempdir().unwrap();
        write(&config, folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        let text = fs::read_to_string(folder.path().join(CONFIG_FILE)).unwrap();
        for part in [
            "(name = \"driver\", worker = .driver)",
            "(name = \"a.js\", esModule = embed \"module-0\")",
            "(name = \"../\\\"b\", esModule = embed \"module-1\")",
            "address = \"127.0.0.1:7\"",
            "[(name = \"x-a\", value = \"b\")]",
            "queue = \"queue-0\"",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
    }
}
