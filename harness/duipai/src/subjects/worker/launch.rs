//! What workerd is started with: the driver, the shim and the Worker under test.

use std::{collections::BTreeSet, ffi::OsStr};

use include_dir::{Dir, include_dir};

use super::{
    WorkerError,
    config::{self, COMPATIBILITY_DATE, Config, Module, ModuleKind, Service, Target},
    driver::Driver,
    folder::Deployment,
    runtime::Runtime,
    server::Running,
    wire::Broker,
};
use crate::subjects::process::{self, Listener};

/// The harness's own Workers.
static SOURCES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../worker/src");

/// Lets the shim tell what concurrent events print apart.
const STORAGE_FLAG: &str = "nodejs_als";

/// Lets the shim talk to the driver.
const RPC_FLAG: &str = "rpc";

/// The compatibility date from which [`RPC_FLAG`] goes without saying.
const RPC_DEFAULT: &str = "2024-04-03";

/// What every process is started with.
pub(super) struct Launch {
    pub(super) runtime: Runtime,
    pub(super) deployment: Deployment,
    /// Where the runtime's own queues lead, in wire mode.
    pub(super) broker: Option<Broker>,
}

/// What differs between processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Setting {
    /// The compatibility date, if not the deployment's.
    pub(super) compatibility_date: Option<String>,
    /// The runtime's own queues, by their bindings' names.
    pub(super) queues: BTreeSet<String>,
}

impl Setting {
    /// Whether a process with this setting can play what needs `other`, where
    /// `date` is the deployment's compatibility date.
    pub(super) fn serves(&self, other: &Self, date: &String) -> bool {
        let dates = [self, other].map(|one| one.compatibility_date.as_ref().unwrap_or(date));
        dates[0] == dates[1] && self.queues.is_superset(&other.queues)
    }
}

impl Launch {
    /// Starts workerd and returns when it listens.
    ///
    /// # Errors
    ///
    /// When it does not; the Worker may be at fault.
    pub(super) fn start(&self, setting: &Setting) -> Result<Running, WorkerError> {
        let token = token()?;
        let folder = tempfile::Builder::new().prefix("duipai-").tempdir();
        let folder = folder.map_err(WorkerError::Prepare)?;
        config::write(&self.config(&token, setting), folder.path())
            .map_err(WorkerError::Prepare)?;
        let config = folder.path().join(config::CONFIG_FILE);
        let arguments = ["serve", "--experimental", "--control-fd", "3"].map(OsStr::new);
        let arguments: Vec<_> = arguments.into_iter().chain([config.as_os_str()]).collect();
        // Once it listens, it needs the file no more.
        let workerd = Listener::start("workerd", &self.runtime.binary, &arguments)?;
        let setting = setting.clone();
        Ok(Running { setting, driver: Driver::new(workerd.port, &token), workerd })
    }

    fn config(&self, token: &str, setting: &Setting) -> Config {
        let driver = Service {
            name: "driver",
            modules: first("driver.js", embedded(&SOURCES, "")),
            compatibility_date: COMPATIBILITY_DATE.to_owned(),
            compatibility_flags: ["experimental", "service_binding_extra_handlers"]
                .map(str::to_owned)
                .into(),
            bindings: vec![
                ("TOKEN".to_owned(), Target::Text(token.to_owned())),
                ("SUBJECT".to_owned(), Target::Service("subject")),
            ],
        };
        let names: Vec<_> = setting.queues.iter().cloned().collect();
        let externals = self.broker.as_ref().map(|broker| broker.services(&names));
        let externals = externals.unwrap_or_default();
        let queues = names.into_iter().zip(&externals);
        let queues = queues.map(|(name, to)| (name, Target::Queue(to.name.clone()))).collect();
        let services = vec![driver, self.subject(setting, queues)];
        Config { services, entrance: "driver", externals }
    }

    fn subject(&self, setting: &Setting, queues: Vec<(String, Target)>) -> Service {
        let deployment = &self.deployment;
        let date = setting.compatibility_date.as_ref().unwrap_or(&deployment.compatibility_date);
        let mut modules = first("shim.js", embedded(&SOURCES, ""));
        let main = serde_json::Value::from(format!("./subject/{}", deployment.main));
        modules.push(Module::es("subject-main", format!("export {{ default }} from {main};\n")));
        modules.extend(deployment.modules.iter().map(|module| {
            let name = format!("subject/{}", module.name);
            Module { name, ..module.clone() }
        }));
        let mut flags = deployment.compatibility_flags.clone();
        // Dates are written so that they sort as texts.
        let rpc = (**date < *RPC_DEFAULT).then_some(RPC_FLAG);
        for flag in rpc.into_iter().chain([STORAGE_FLAG]) {
            if !flags.iter().any(|one| one == flag) {
                flags.push(flag.to_owned());
            }
        }
        let mut bindings = vec![
            ("DUIPAI_CONTROL".to_owned(), Target::Entrypoint("driver", "Control")),
            ("DUIPAI_DOUBLE".to_owned(), Target::Entrypoint("driver", "QueueDouble")),
        ];
        bindings.extend(deployment.vars.iter().cloned());
        bindings.extend(queues);
        Service {
            name: "subject",
            modules,
            compatibility_date: date.clone(),
            compatibility_flags: flags,
            bindings,
        }
    }
}

/// The JavaScript and Wasm files of an embedded folder, as modules whose names
/// begin with `prefix`.
pub(super) fn embedded(folder: &Dir<'_>, prefix: &str) -> Vec<Module> {
    let mut modules = Vec::new();
    for file in folder.files() {
        let path = file.path().to_string_lossy();
        let kind = match path.rsplit_once('.') {
            Some((_, "js")) => ModuleKind::Es,
            Some((_, "wasm")) => ModuleKind::Wasm,
            _ => continue,
        };
        let content = file.contents().to_vec();
        modules.push(Module { name: format!("{prefix}{path}"), kind, content });
    }
    modules.extend(folder.dirs().flat_map(|folder| embedded(folder, prefix)));
    modules
}

/// The modules with the one of this name before the others.
fn first(name: &str, mut modules: Vec<Module>) -> Vec<Module> {
    modules.sort_by_key(|module| module.name != name);
    modules
}

/// What only this process and its workerd know.
pub(super) fn token() -> Result<String, WorkerError> {
    process::token().map_err(WorkerError::Token)
}
