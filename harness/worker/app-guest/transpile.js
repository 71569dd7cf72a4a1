// Transpiles the guest component into app-guest/generated/ (`npm run guest`).
//
// The result is checked in, so that running the Worker needs no transpiler; a test
// requires that it is current.

import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { transpile } from "@bytecodealliance/jco-transpile";
import { transform } from "esbuild";

const COMPONENT = new URL("../../guest/package.wasm", import.meta.url).pathname;
const FOLDER = new URL("generated/", import.meta.url).pathname;

/** Primitives that wait for the platform. The guest stands still meanwhile, which
 * the engine's promise integration (JSPI) does. */
const WAITING = ["call", "call-safe"];

const FUNCTIONS = {
  "yuyan:queue/producer@0.1.0": ["send", "send-batch"],
  "yuyan:queue/consumer@0.1.0": ["read-batch", "ack", "retry"],
};

/** The generated files, by name. */
export async function generated() {
  const { files } = await transpile(COMPONENT, {
    name: "guest",
    // Every event instantiates anew, from core modules that the runtime compiled.
    instantiation: "sync",
    asyncMode: "jspi",
    asyncImports: WAITING.map((name) => `yuyan:queue/bridge@0.1.0#${name}`),
    asyncExports: Object.entries(FUNCTIONS).flatMap(([from, names]) =>
      names.map((name) => `${from}#${name}`),
    ),
    nodejsCompat: false,
    tlaCompat: false,
    wasiShim: false,
    emitTypescriptDeclarations: false,
    // The decoder below is looked for in the source as it is generated.
    minify: false,
    outDir: ".",
  });
  const named = Object.entries(files).map(([name, content]) => [path.basename(name), content]);
  return Object.fromEntries(
    await Promise.all(
      named.map(async ([name, content]) => [
        name,
        name.endsWith(".js")
          ? await smaller(keepingMarks(Buffer.from(content).toString("utf8")))
          : content,
      ]),
    ),
  );
}

/**
 * A decoder drops a leading U+FEFF unless it is told not to, and a text of the
 * guest may begin with one.
 */
function keepingMarks(source) {
  const parts = source.split("new TextDecoder()");
  if (parts.length !== 2) throw new Error("the transpiler's decoder has changed; look at it anew");
  return parts.join('new TextDecoder("utf-8", { ignoreBOM: true })');
}

async function smaller(source) {
  const { code } = await transform(source, { minify: true, format: "esm", target: "es2024" });
  return code;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = Object.entries(await generated());
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  for (const [name, content] of files) {
    await writeFile(path.join(FOLDER, name), content);
  }
}
