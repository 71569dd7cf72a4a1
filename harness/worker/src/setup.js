// One event inside the subject: its set-up, its log, and the `env` made for it.

import { recordingQueue } from "./facades.js";

/** Longest report that is taken, in UTF-8 bytes. */
const MAX_REPORT_BYTES = 16 << 20;

/** Most platform calls that are kept of one event. */
const MAX_CALLS = 100_000;

/** Longest piece of text in one message to the driver, in UTF-16 units. */
const PIECE = 4 << 20;

/** An open event. */
export class Event {
  #control;
  #queues;
  #calls = [];
  #count = 0;
  #pending = [];
  #report = null;
  #failed = null;

  /** @param {string} key */
  static async begin(key, env) {
    const event = new Event();
    event.#control = env.DUIPAI_CONTROL;
    event.#queues = env.DUIPAI_DOUBLE;
    event.key = key;
    event.setup = await event.#control.begin(key);
    return event;
  }

  /** The place of the next call among all calls of the event. */
  #next() {
    if (this.#count >= MAX_CALLS) {
      const reason = `more than ${MAX_CALLS} platform calls`;
      this.fail(reason);
      throw new Error(`duipai: ${reason}`);
    }
    return this.#count++;
  }

  /** Makes a call on the batch or one of its messages, and logs it first. */
  log(call, make) {
    this.#calls.push([this.#next(), call]);
    try {
      make();
    } catch (error) {
      // Seen by the platform, but it settled nothing.
      call.threw = true;
      throw error;
    }
  }

  /** Logs a call on a queue, and answers as the plan says. */
  callQueue(method, binding, args) {
    const answer = this.#queues.call(this.key, this.#next(), method, binding, args);
    return this.wait(answer);
  }

  /** The event is not over before `promise` has settled. */
  wait(promise) {
    const settled = Promise.resolve(promise);
    this.#pending.push(
      settled.then(
        () => undefined,
        () => undefined,
      ),
    );
    return settled;
  }

  /** Waits for all that the handler has left running. */
  async settle() {
    while (this.#pending.length > 0) await Promise.all(this.#pending.splice(0));
  }

  /** The event cannot be judged; the first reason stands. */
  fail(reason) {
    this.#failed ??= reason;
  }

  /** Hands everything over. */
  async end({ thrown, console }) {
    const texts = { report: this.#report, console };
    // One message to another Worker has a greatest size, and costs its time.
    const together = console.length + (this.#report?.length ?? 0) <= PIECE;
    if (!together) {
      for (const [field, text] of Object.entries(texts)) await this.#put(field, text ?? "");
    }
    await this.#control.end(this.key, {
      calls: this.#calls,
      thrown,
      failed: this.#failed,
      texts: together ? texts : {},
    });
  }

  /** Takes the program's own report. */
  async report(request) {
    const chunks = [];
    let length = 0;
    for await (const chunk of request.body ?? []) {
      length += chunk.byteLength;
      if (length > MAX_REPORT_BYTES) {
        return this.fail(`the report is longer than ${MAX_REPORT_BYTES} bytes`);
      }
      chunks.push(chunk);
    }
    this.#report = await new Blob(chunks).text();
  }

  async #put(field, text) {
    for (let at = 0; at < text.length; at += PIECE) {
      await this.#control.piece(this.key, field, text.slice(at, at + PIECE));
    }
  }
}

/**
 * The `env` of one event: the Worker's own bindings without the harness's, the
 * queues of the plan and no others, and `DUIPAI`.
 */
export function environment(env, event) {
  const made = {};
  // Defined, since a binding may be called `__proto__`.
  const ordinary = { enumerable: true, writable: true, configurable: true };
  const put = (name, value) => Object.defineProperty(made, name, { ...ordinary, value });
  const { bindings, mode } = event.setup;
  for (const name of Object.keys(env)) {
    const planned = bindings.includes(name);
    if (!/^DUIPAI(?:_|$)/.test(name) && !planned && !isQueue(env[name])) put(name, env[name]);
  }
  for (const name of bindings) {
    if (mode === "double") put(name, recordingQueue(name, event));
    else if (isQueue(env[name])) put(name, env[name]);
    else event.fail(`the configuration has no queue binding ${JSON.stringify(name)}`);
  }
  put("DUIPAI", harness(event));
  return made;
}

function isQueue(binding) {
  return Object.prototype.toString.call(binding) === "[object WorkerQueue]";
}

/** `env.DUIPAI`: where a Worker fetches its plan and leaves its report. */
function harness(event) {
  const fetch = async (...args) => {
    const request = new Request(...args);
    const { pathname } = new URL(request.url);
    const headers = { "content-type": "application/json" };
    if (pathname === "/plan") return new Response(event.setup.plan, { headers });
    if (pathname === "/report" && request.method === "POST") {
      await event.wait(event.report(request));
      return new Response(null, { status: 204 });
    }
    return new Response("the harness has /plan and, to be posted to, /report", { status: 404 });
  };
  return { fetch };
}
