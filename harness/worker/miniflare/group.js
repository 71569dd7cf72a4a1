// One Miniflare with a Worker for each of several scenarios.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { losses, Notes } from "./notes.js";

const WORKER = readFileSync(new URL("./worker.js", import.meta.url), "utf8");

const ROUTER_NAME = "router";

/** The Worker behind the port; the path begins with a scenario's name. */
const ROUTER = `
export default {
  fetch(request, env) {
    const [, name] = new URL(request.url).pathname.split("/");
    return env[name]?.fetch(request) ?? new Response("no such thing", { status: 404 });
  },
};
`;

/** Of the Worker that only hands on. */
const COMPATIBILITY_DATE = "2026-10-01";

/** Between the starts of two scenarios, so that their timers do not all ring at
 * once, in milliseconds. */
const STAGGER = 80;

/** What an answer takes at most on a machine that has time, in milliseconds. */
const CALM = 100;

/** How long a scenario waits for that at most, in milliseconds. */
const LONGEST_TURN = 2000;

/** From the announcement of a scenario to its start, in milliseconds. */
const AHEAD = 100;

/** How often it is looked how long an answer takes, in milliseconds. */
const LOOK = 200;

export class Group {
  #miniflare;
  #scenarios;
  #notes;
  #token;
  #address;
  #pulse;
  #turns = Promise.resolve();

  static async start(scenarios, { Miniflare, Log, LogLevel, token }) {
    const group = new Group();
    group.#scenarios = scenarios;
    group.#token = token;
    group.#notes = new Notes();
    group.#miniflare = new Miniflare({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      enableDevRegistry: false,
      logRequests: false,
      log: group.#notes.log(Log, LogLevel),
      workers: [router(scenarios.length), ...scenarios.map((scenario, at) => worker(scenario, at, token))],
    });
    try {
      await group.#miniflare.ready;
      group.#address = await group.#miniflare.unsafeGetDirectURL(ROUTER_NAME);
      // Isolates, bindings and brokers are made on first use, which takes time.
      for (const at of scenarios.keys()) await group.#ask(at, "warm", {});
      group.#pulse = new Pulse(() => group.#ask(0, "warm", {}));
    } catch (error) {
      await group.end();
      throw error;
    }
    return group;
  }

  async end() {
    await this.#pulse?.stop();
    await this.#miniflare.dispose();
  }

  /** Plays the scenario at index `at`. */
  async play(at) {
    await this.#turn();
    const scenario = this.#scenarios[at];
    const queues = names(scenario);
    const origin = Date.now() + AHEAD;
    await this.#ask(at, "begin", { origin });
    const until = (time) => sleep(Math.max(0, origin + time - Date.now()));
    for (const [index, input] of scenario.inputs.entries()) {
      await until(input.at);
      await this.#ask(at, "send", { index });
    }
    await until(scenario.until);
    const seen = await this.#ask(at, "end", {});
    const backlog = Object.fromEntries(queues.map((name, index) => [name, seen.backlog[index]]));
    const { dead, dropped } = losses(this.#notes.of(prefix(at)), seen.labels, backlog, origin, scenario);
    return {
      history: { sends: seen.sends, deliveries: seen.deliveries, inside: null },
      dead,
      dropped,
      backlog,
      ...this.#pulse.since(origin),
    };
  }

  /** Waits for those before, and until the machine is not too busy for another. */
  #turn() {
    this.#turns = this.#turns.then(async () => {
      await sleep(STAGGER);
      for (let waited = 0; this.#pulse.now() > CALM && waited < LONGEST_TURN; waited += STAGGER) await sleep(STAGGER);
    });
    return this.#turns;
  }

  async #ask(at, what, question) {
    const response = await fetch(new URL(`/${name(at)}/${what}`, this.#address), {
      method: "POST",
      headers: { "x-duipai-token": this.#token },
      body: JSON.stringify(question),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the scenario's Worker answered ${response.status}: ${text.slice(0, 400)}`);
    return JSON.parse(text);
  }
}

/** How long a Worker's answer takes: a machine that is too busy for it is too busy
 * for what is measured. */
class Pulse {
  #beats = [];
  #stopped = false;
  #running;

  constructor(ask) {
    // Should Miniflare die, the scenarios tell; what has no answer lasts for ever.
    this.#running = this.#run(ask).catch(() => {});
  }

  async #run(ask) {
    while (!this.#stopped) {
      const beat = { from: Date.now(), until: Infinity };
      this.#beats.push(beat);
      await ask();
      beat.until = Date.now();
      await sleep(LOOK);
    }
  }

  /** How long the last answer took, or the next has taken already. */
  now() {
    const [beat, before] = this.#beats.slice(-2).reverse();
    const length = ({ from, until }) => Math.min(until, Date.now()) - from;
    return Math.max(length(beat), beat.until === Infinity && before ? length(before) : 0);
  }

  /** The longest time since `origin`, and the time that was lost in all, in
   * milliseconds. */
  since(origin) {
    const now = Date.now();
    const beats = this.#beats.filter(({ until }) => until > origin);
    const lengths = beats.map(({ from, until }) => Math.min(until, now) - from);
    const lost = lengths.reduce((sum, length) => sum + Math.max(0, length - CALM), 0);
    return { lag: Math.max(0, ...lengths), lost };
  }

  async stop() {
    this.#stopped = true;
    await this.#running;
  }
}

const name = (at) => `scenario-${at}`;

/** Queues have a name of their own in each scenario. */
const prefix = (at) => `s${at}-`;

/** The queues of a scenario, those included that are named for dead letters only. */
function names(scenario) {
  const all = new Set(Object.keys(scenario.queues));
  for (const { consumer } of Object.values(scenario.queues)) {
    if (consumer?.dead_letter_queue != null) all.add(consumer.dead_letter_queue);
  }
  return [...all];
}

/** It hands on what is for a scenario. */
function router(count) {
  const all = Array.from({ length: count }, (_, at) => [name(at), { type: "worker", worker: name(at) }]);
  return {
    config: {
      name: ROUTER_NAME,
      compatibilityDate: COMPATIBILITY_DATE,
      manifest: { mainModule: "router.js", modules: { "router.js": { type: "esm", contents: ROUTER } } },
      env: Object.fromEntries(all),
    },
    // Miniflare's own port leads through a Worker that costs more than all others.
    dev: { unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] },
  };
}

function worker(scenario, at, token) {
  const queues = names(scenario);
  const full = (queue) => prefix(at) + queue;
  const given = (value) => value ?? undefined;
  // Miniflare keeps one producer for each name of a binding, whosever it is.
  const producers = queues.map((_, index) => `QUEUE_${at}_${index}`);
  const bindings = queues.map((queue, index) => [
    producers[index],
    { type: "queue", name: full(queue), deliveryDelay: given(scenario.queues[queue]?.delivery_delay) },
  ]);
  const texts = { TOKEN: token, PREFIX: prefix(at) };
  const values = { QUEUES: queues, PRODUCERS: producers, INPUTS: scenario.inputs, HANDLERS: scenario.handlers };
  const triggers = Object.entries(scenario.queues)
    .filter(([, { consumer }]) => consumer != null)
    .map(([queue, { consumer }]) => ({
      type: "queue",
      name: full(queue),
      maxBatchSize: given(consumer.max_batch_size),
      maxBatchTimeout: given(consumer.max_batch_timeout),
      maxRetries: given(consumer.max_retries),
      retryDelay: given(consumer.retry_delay),
      maxConcurrency: given(consumer.max_concurrency),
      deadLetterQueue: consumer.dead_letter_queue == null ? undefined : full(consumer.dead_letter_queue),
    }));
  return {
    config: {
      name: name(at),
      compatibilityDate: scenario.compatibility_date,
      manifest: { mainModule: "worker.js", modules: { "worker.js": { type: "esm", contents: WORKER } } },
      env: Object.fromEntries([
        ...bindings,
        ...Object.entries(texts).map(([name, value]) => [name, { type: "text", value }]),
        ...Object.entries(values).map(([name, value]) => [name, { type: "json", value }]),
      ]),
      triggers,
    },
  };
}
