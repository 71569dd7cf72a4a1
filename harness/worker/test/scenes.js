// Workers, events and steps for the tests, as the harness writes them.

import { filesIn } from "./runtime.js";

const SHARED = filesIn("app", ".js");

/** The trial app's Worker. */
export const APP = { main: "app/app.js", modules: SHARED };

/** The guest's. */
export const GUEST = {
  main: "app-guest/index.js",
  modules: [
    ...SHARED,
    ...["app-guest/bridge.js", "app-guest/index.js", "app-guest/values.js"],
    ...filesIn("app-guest/generated", ".js", ".wasm"),
  ],
};

/** The stand-in. */
export const YUYAN = {
  main: "app-yuyan/index.js",
  modules: [...SHARED, "app-yuyan/index.js"],
};

/** The mutant of this name. */
export function mutant(name) {
  const main = `mutants/${name}/index.js`;
  return { main, modules: [...SHARED, main] };
}

export const step = {
  send: (binding, body, delay = 0) => ({ op: "send", binding, body, delay, caught: true }),
  sendBatch: (binding, items) => ({ op: "send-batch", binding, items, caught: true }),
  readBatch: () => ({ op: "read-batch", caught: true }),
  ack: (index) => ({ op: "ack", index, caught: true }),
  retry: (index, delay = 0) => ({ op: "retry", index, delay, caught: true }),
};

const BINDINGS = { PAGE_QUEUE: { binding: "accepts" } };
const GRANTS = ["PAGE_QUEUE"];

export function fetchEvent(steps, { bindings = BINDINGS, grants = GRANTS } = {}) {
  const plan = { grants, steps };
  return request("POST", "/duipai", JSON.stringify(plan), { bindings, plan });
}

/** A request that need not be of the protocol. */
export function request(method, path, body, { bindings = BINDINGS, plan = {} } = {}) {
  return { kind: "fetch", request: { method, path, body }, plan, bindings, batch: null };
}

export function queueEvent(steps, parts = {}) {
  const { bindings = BINDINGS, grants = GRANTS, messages = [{}], queue = "q" } = parts;
  const batch = { queue, messages: messages.map(message) };
  return { kind: "queue", plan: { grants, steps }, bindings, batch };
}

export function scheduledEvent(steps, { bindings = BINDINGS, grants = GRANTS } = {}) {
  return { kind: "scheduled", plan: { grants, steps }, bindings, batch: null };
}

function message(parts, index) {
  return {
    id: `m${index}`,
    attempts: 1,
    timestamp: { date: 1_767_323_045_678 },
    body: { json: String(index) },
    ack_throws: null,
    retry_throws: null,
    ...parts,
  };
}
