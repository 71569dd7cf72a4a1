// Plays scenarios on real Miniflare queues, in real time.
//
//   node server.js MINIFLARE
//
// MINIFLARE is the path of Miniflare's main module; the file `token` beside this
// one holds what a request must know, out of others' sight. The process listens on
// a free port of this machine's own address and tells it on descriptor 3, as
// workerd does. `POST /scenario` takes a scenario and answers with what was
// seen; `GET /versions` tells what plays it. Every request has the header
// `x-duipai-token`.

import { readFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { Gatherer } from "./gatherer.js";

/** Greatest size of a scenario, in bytes. */
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

const CONTROL = 3;

const [, , main] = process.argv;
const token = readFileSync(new URL("./token", import.meta.url), "utf8");

// What Miniflare logs is read here, and what it writes is deleted with this folder.
process.env.NO_COLOR = "1";
process.env.TMPDIR = import.meta.dirname;

const { Miniflare, Log, LogLevel } = await import(pathToFileURL(main).href);
const gatherer = new Gatherer({ Miniflare, Log, LogLevel, token });

const server = createServer(async (request, response) => {
  const [status, answer] = await serve(request).catch((error) => [503, { error: words(error) }]);
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
});
// A scenario takes as long as it takes; the harness keeps the time.
server.requestTimeout = 0;
server.headersTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  writeSync(CONTROL, `${JSON.stringify({ event: "listen", socket: "http", port })}\n`);
});

async function serve(request) {
  if (request.headers["x-duipai-token"] !== token) return [403, { error: "who is there?" }];
  switch (`${request.method} ${request.url}`) {
    case "GET /versions":
      return [200, { node: process.versions.node, miniflare: version("miniflare"), workerd: version("workerd") }];
    case "POST /scenario":
      return [200, await gatherer.play(JSON.parse(await body(request)))];
    default:
      return [404, { error: "no such thing" }];
  }
}

async function body(request) {
  const pieces = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > MAX_REQUEST_BYTES) throw new Error(`the scenario has over ${MAX_REQUEST_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** The version of a package that stands beside Miniflare or is Miniflare. */
function version(name) {
  let folder = dirname(main);
  for (;;) {
    try {
      const found = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
      return found.version;
    } catch {
      const above = dirname(folder);
      if (above === folder) return "unknown";
      folder = above;
    }
  }
}

function words(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause ? `${error.message}: ${words(error.cause)}` : error.message;
}
