// What the driver knows of one event: its plan, and everything seen of it.

import { madeInside } from "./scene.js";

/** Longest report and console of an event, and longest log of its queue calls, in
 * UTF-16 units. The shim keeps within the first two. */
const MAX_UNITS = { report: 16 << 20, console: 1 << 20, log: 64 << 20 };

/** The recording of one event. */
export class Recording {
  #event;
  #mode;
  #calls = [];
  #logged = 0;
  #texts = { report: null, console: "" };
  #response = null;
  #result = null;
  #thrown = null;
  #ended = false;
  #failed = null;

  constructor(event, mode) {
    this.#event = event;
    this.#mode = mode;
  }

  /** The shim's set-up. */
  begin() {
    return {
      mode: this.#mode,
      plan: JSON.stringify(this.#event.plan),
      bindings: Object.keys(this.#event.bindings),
      messages: madeInside(this.#event.batch?.messages ?? []),
    };
  }

  /** How the queue of this name answers. */
  behaviourOf(binding) {
    const { bindings } = this.#event;
    if (!Object.hasOwn(bindings, binding)) throw new Error("duipai: there is no such queue");
    return bindings[binding];
  }

  /** A platform call at its place among all of the event. */
  log(at, call) {
    this.#logged += call.arguments?.length ?? 0;
    if (this.#logged > MAX_UNITS.log) {
      this.#fail(`the arguments of the platform calls are longer than ${MAX_UNITS.log} characters`);
      throw new Error("duipai: the log is full");
    }
    this.#calls[at] = call;
  }

  /** A piece of a text. */
  append(field, text) {
    if (!Object.hasOwn(this.#texts, field)) throw new Error("duipai: there is no such text");
    const whole = (this.#texts[field] ?? "") + text;
    if (whole.length > MAX_UNITS[field]) this.#fail(`the ${field} is too long`);
    else this.#texts[field] = whole;
  }

  /** The handler has settled. */
  end({ calls, thrown, failed, texts }) {
    this.#ended = true;
    for (const [field, text] of Object.entries(texts)) {
      if (text !== null) this.append(field, text);
    }
    for (const [at, call] of calls) this.log(at, call);
    this.#thrown = thrown;
    if (failed !== null) this.#fail(failed);
  }

  /** The handler answered a request. */
  answered(status, body) {
    this.#response = { status, body };
  }

  /** The runtime's own result of an event that is not a request. */
  settled(result) {
    this.#result = result;
  }

  /** The runtime refused the event, or handed back what the handler threw. */
  dispatchFailed(error) {
    if (this.#ended && this.#thrown !== null) return;
    this.#fail(`the runtime refused the event: ${error?.message ?? error}`);
  }

  /** All of it, as the harness gets it. */
  seen() {
    if (!this.#ended) this.#fail("the handler did not settle");
    const report = this.#report();
    return {
      response: this.#response,
      report,
      thrown: this.#thrown,
      result: this.#result,
      // A call whose log never arrived leaves a hole.
      calls: this.#calls.filter((call) => call !== undefined),
      console: this.#texts.console,
      failed: this.#failed,
    };
  }

  #report() {
    const posted = this.#texts.report;
    const text = posted ?? this.#response?.body ?? "";
    let report = null;
    try {
      report = JSON.parse(text);
    } catch (error) {
      if (posted !== null) this.#fail(`the report is not JSON: ${error.message}`);
    }
    return typeof report === "object" && report !== null && "outcomes" in report ? report : null;
  }

  /** The first failure stands. */
  #fail(reason) {
    this.#failed ??= reason;
  }
}
