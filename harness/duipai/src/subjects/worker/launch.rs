//! Starting workerd with the driver, the shim and the Worker under test, and
//! starting it again.

use include_dir::{Dir, include_dir};

use super::{
    WorkerError,
    config::{self, COMPATIBILITY_DATE, Config, Module, ModuleKind, Service, Target},
    driver::Driver,
    folder::Deployment,
    process::Workerd,
    runtime::Runtime,
};

/// The harness's own Workers.
static SOURCES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../worker/src");

/// Starts in a row that may fail before no other is tried.
const MAX_FAILED_STARTS: u32 = 3;

/// Lets the shim tell what concurrent events print apart.
const STORAGE_FLAG: &str = "nodejs_als";

/// What a process is started with.
pub(super) struct Launch {
    pub(super) runtime: Runtime,
    pub(super) deployment: Deployment,
}

/// The process, between two scenes.
#[derive(Default)]
pub(super) struct State {
    pub(super) running: Option<Running>,
    failed_starts: u32,
    /// Why the last start failed.
    pub(super) failure: String,
}

pub(super) struct Running {
    pub(super) driver: Driver,
    pub(super) workerd: Workerd,
}

impl From<Running> for State {
    fn from(running: Running) -> Self {
        Self { running: Some(running), ..Self::default() }
    }
}

impl Launch {
    /// The process that runs, started if there is none; `None` if none can be.
    pub(super) fn ready<'a>(&self, state: &'a mut State) -> Option<&'a mut Running> {
        let dead = state.running.as_mut().is_none_or(|running| running.workerd.has_ended());
        if dead {
            state.running = None;
            if state.failed_starts < MAX_FAILED_STARTS {
                match self.start() {
                    Ok(running) => {
                        state.running = Some(running);
                        state.failed_starts = 0;
                    }
                    Err(error) => {
                        state.failure = error.to_string();
                        state.failed_starts += 1;
                    }
                }
            }
        }
        state.running.as_mut()
    }

    pub(super) fn start(&self) -> Result<Running, WorkerError> {
        let token = token()?;
        let folder = tempfile::Builder::new().prefix("duipai-").tempdir();
        let folder = folder.map_err(WorkerError::Prepare)?;
        config::write(&self.config(&token), folder.path()).map_err(WorkerError::Prepare)?;
        let config = folder.path().join(config::CONFIG_FILE);
        let workerd = Workerd::start(&self.runtime.binary, &config)?;
        Ok(Running { driver: Driver::new(workerd.port, &token), workerd })
    }

    fn config(&self, token: &str) -> Config {
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
        Config { services: vec![driver, self.subject()], entrance: "driver", broker: None }
    }

    fn subject(&self) -> Service {
        let deployment = &self.deployment;
        let mut modules = first("shim.js", embedded(&SOURCES, ""));
        let main = serde_json::Value::from(format!("./subject/{}", deployment.main));
        modules.push(Module::es("subject-main", format!("export {{ default }} from {main};\n")));
        modules.extend(deployment.modules.iter().map(|module| {
            let name = format!("subject/{}", module.name);
            Module { name, ..module.clone() }
        }));
        let mut flags = deployment.compatibility_flags.clone();
        if !flags.iter().any(|flag| flag == STORAGE_FLAG) {
            flags.push(STORAGE_FLAG.to_owned());
        }
        let mut bindings = vec![
            ("DUIPAI_CONTROL".to_owned(), Target::Entrypoint("driver", "Control")),
            ("DUIPAI_DOUBLE".to_owned(), Target::Entrypoint("driver", "QueueDouble")),
        ];
        bindings.extend(deployment.vars.iter().cloned());
        Service {
            name: "subject",
            modules,
            compatibility_date: deployment.compatibility_date.clone(),
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
fn token() -> Result<String, WorkerError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(WorkerError::Token)?;
    Ok(bytes.map(|byte| format!("{byte:02x}")).concat())
}
