// Starts workerd for the tests, with a configuration like the harness's own, and
// plays scenes through the driver. The process is killed and waited for.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Compatibility date on which Workers came to speak RPC. */
const RPC_DEFAULT = "2024-04-03";

/** Longest wait for the port, and for one scene, in milliseconds. */
const DEADLINE = 20_000;

const DRIVER = ["driver.js", "recording.js", "scene.js", "tagged.js"];
const SHIM = ["shim.js", "setup.js", "facades.js", "capture.js", "tagged.js"];

/**
 * Runs `use` with a runtime that serves the Worker at `main`, a path below
 * harness/worker.
 * @param {{main?: string, modules?: string[], source?: string, date?: string,
 *   broker?: {port: number, names: string[]}}} options
 *   `modules` are paths below harness/worker; `source` is the main module's text
 */
export async function withRuntime(options, use) {
  const folder = mkdtempSync(path.join(tmpdir(), "duipai-worker-"));
  const token = randomBytes(16).toString("hex");
  const file = path.join(folder, "config.capnp");
  writeFileSync(file, configuration(options, token, folder));
  const args = ["serve", "--experimental", "--control-fd=3", "--socket-addr=http=127.0.0.1:0"];
  // Embedded paths are absolute; the import path lets the parser find them.
  const child = spawn(binary(), [...args, "--import-path=/", file], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => output.length < 1000 && output.push(text));
  }
  try {
    const port = await listening(child, output);
    await use(new Runtime(port, token, output));
  } finally {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, "exit") : null;
    child.kill("SIGKILL");
    await gone;
    rmSync(folder, { recursive: true });
  }
}

class Runtime {
  #port;
  #token;

  constructor(port, token, output) {
    this.#port = port;
    this.#token = token;
    this.output = output;
  }

  request(page, init = {}) {
    return fetch(`http://127.0.0.1:${this.#port}${page}`, {
      ...init,
      headers: { "x-duipai-token": this.#token, ...init.headers },
      signal: AbortSignal.timeout(DEADLINE),
    });
  }

  /** What was seen of the events of one scene. */
  async scene(mode, ...events) {
    const body = JSON.stringify({ mode, events });
    const answer = await this.request("/scene", { method: "POST", body });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`);
    return JSON.parse(text).events;
  }
}

function binary() {
  const require = createRequire(import.meta.url);
  const name = `@cloudflare/workerd-${process.platform}-${process.arch === "x64" ? "64" : "arm64"}`;
  const found = process.env.DUIPAI_WORKERD ?? require.resolve(`${name}/bin/workerd`);
  if (!existsSync(found)) throw new Error(`there is no workerd at ${found}; run npm ci`);
  return found;
}

async function listening(child, output) {
  const control = child.stdio[3].setEncoding("utf8");
  const port = (async () => {
    let text = "";
    for await (const piece of control) {
      text += piece;
      for (const line of text.split("\n").slice(0, -1)) {
        const { event, port } = JSON.parse(line);
        if (event === "listen") return port;
      }
    }
    throw new Error(`workerd ended: ${output.join("")}`);
  })();
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error("workerd does not listen")), DEADLINE).unref();
  });
  return Promise.race([port, late]);
}

function configuration(options, token, folder) {
  const { main = "subject.js", modules = [], source, broker } = options;
  const { date = "2026-10-01" } = options;
  // The shim speaks to the driver by RPC, which was a flag before it was a default;
  // the runtime complains of a flag that is a default.
  const flags = date < RPC_DEFAULT ? ["nodejs_als", "rpc"] : ["nodejs_als"];
  if (source !== undefined) writeFileSync(path.join(folder, "subject.js"), source);
  const entry = path.join(folder, "entry.js");
  writeFileSync(entry, `export { default } from "./subject/${main}";\n`);
  const own = modules.map((name) => [`subject/${name}`, path.join(ROOT, name)]);
  if (source !== undefined) own.push(["subject/subject.js", path.join(folder, "subject.js")]);
  const shim = SHIM.map((name) => [name, path.join(ROOT, "src", name)]);
  const driver = DRIVER.map((name) => [name, path.join(ROOT, "src", name)]);
  const subject = [...shim, ...own, ["subject-main", entry]];
  const queues = broker?.names.map((name) => `(name = ${text(name)}, queue = "broker")`) ?? [];
  const service = (name, entrypoint) =>
    `(name = "${name}", service = (name = "driver", entrypoint = "${entrypoint}"))`;
  const external = broker
    ? `(name = "broker", external = (address = "127.0.0.1:${broker.port}", http = ()))`
    : "";
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "driver", worker = .driver),
    (name = "subject", worker = .subject),
    ${external}
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "driver")],
);
const driver :Workerd.Worker = (
  modules = [${driver.map(moduleText).join(", ")}],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["experimental", "service_binding_extra_handlers"],
  bindings = [(name = "SUBJECT", service = "subject"), (name = "TOKEN", text = "${token}")],
);
const subject :Workerd.Worker = (
  modules = [${subject.map(moduleText).join(", ")}],
  compatibilityDate = "${date}",
  compatibilityFlags = [${flags.map(text).join(", ")}],
  bindings = [
    ${[service("DUIPAI_CONTROL", "Control"), service("DUIPAI_DOUBLE", "QueueDouble"), ...queues].join(",\n    ")}
  ],
);
`;
}

function moduleText([name, file]) {
  const kind = name.endsWith(".wasm") ? "wasm" : "esModule";
  return `(name = ${text(name)}, ${kind} = embed ${text(file)})`;
}

function text(value) {
  return JSON.stringify(value);
}

/** The paths below harness/worker of the files in one folder that end as given. */
export function filesIn(folder, ...ends) {
  const names = readdirSync(path.join(ROOT, folder));
  return names
    .filter((name) => ends.some((end) => name.endsWith(end)))
    .map((n) => `${folder}/${n}`);
}
