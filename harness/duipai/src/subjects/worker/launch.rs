//! What workerd is started with: the driver, the shim and the Worker under test.

use include_dir::{Dir, include_dir};

use super::{
    WorkerError,
    config::{self, COMPATIBILITY_DATE, Config, Module, ModuleKind, Service, Target},
    driver::Driver,
    folder::Deployment,
    process::Workerd,
    runtime::Runtime,
    server::Running,
};

/// The harness's own Workers.
static SOURCES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../worker/src");

/// Lets the shim tell what concurrent events print apart.
const STORAGE_FLAG: &str = "nodejs_als";

/// Lets the shim talk to the driver.
const RPC_FLAG: &str = "rpc";

/// The compatibility date from which [`RPC_FLAG`] goes without saying.
const RPC_DEFAULT: &str = "2024-04-03";

/// What a process is started with.
pub(super) struct Launch {
    pub(super) runtime: Runtime,
    pub(super) deployment: Deployment,
}

impl Launch {
    /// Starts workerd and returns when it listens.
    ///
    /// # Errors
    ///
    /// When it does not; the Worker may be at fault.
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
        // Dates are written so that they sort as texts.
        let rpc = (*deployment.compatibility_date < *RPC_DEFAULT).then_some(RPC_FLAG);
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
