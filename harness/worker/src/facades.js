// What the user's handler gets in place of the runtime's own objects: the same
// shape, every call logged and handed on.

import { parseTagged, writeTagged } from "./tagged.js";

/** What a queue answers when it accepts. */
const ACCEPTED = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };

/** A queue of the plan, under its binding's name. */
export function recordingQueue(binding, event) {
  return new RecordingQueue(binding, event);
}

class RecordingQueue {
  #binding;
  #event;

  constructor(binding, event) {
    this.#binding = binding;
    this.#event = event;
  }

  async send(...args) {
    return this.#call("send", args);
  }

  async sendBatch(...args) {
    return this.#call("sendBatch", args);
  }

  async #call(method, args) {
    const answer = await this.#event.callQueue(method, this.#binding, writeTagged(args));
    if (answer.rejected !== undefined) throw parseTagged(answer.rejected);
    return structuredClone(ACCEPTED);
  }
}

/** The batch of a queue event. */
export function recordingBatch(batch, event) {
  const messages = batch.messages.map(
    (message, index) => new RecordingMessage(message, index, event),
  );
  return new RecordingBatch(batch, messages, event);
}

class RecordingBatch {
  #batch;
  #event;

  constructor(batch, messages, event) {
    this.#batch = batch;
    this.#event = event;
    const metrics = { backlogCount: 0, backlogBytes: 0 };
    show(this, "metadata", () => ({ metrics }));
    show(this, "queue", () => batch.queue);
    // The runtime makes a new array for each reader, of the same messages.
    show(this, "messages", () => [...messages]);
  }

  ackAll() {
    this.#event.log({ method: "ackAll" }, () => this.#batch.ackAll());
  }

  retryAll(...args) {
    const call = { method: "retryAll", options: options(args) };
    this.#event.log(call, () => this.#batch.retryAll(...args));
  }
}

class RecordingMessage {
  #message;
  #index;
  #event;
  #made;

  constructor(message, index, event) {
    this.#message = message;
    this.#index = index;
    this.#event = event;
    const made = event.setup.messages[index];
    this.#made = made;
    const body = made.body === null ? undefined : parseTagged(made.body);
    show(this, "attempts", () => made.attempts ?? message.attempts);
    show(this, "body", () => (made.body === null ? message.body : body));
    show(this, "timestamp", () => (made.time === null ? message.timestamp : time(made.time)));
    show(this, "id", () => message.id);
  }

  ack() {
    this.#event.log({ method: "ack", message: this.#index }, () => {
      throwing(this.#made.ackThrows);
      this.#message.ack();
    });
  }

  retry(...args) {
    const call = { method: "retry", message: this.#index, options: options(args) };
    this.#event.log(call, () => {
      throwing(this.#made.retryThrows);
      this.#message.retry(...args);
    });
  }
}

/** Defines a property as the runtime has it: own, enumerable, read-only. */
function show(object, name, get) {
  Object.defineProperty(object, name, { get, enumerable: true });
}

function time({ date, number }) {
  return date === undefined ? number : new Date(date);
}

function options(args) {
  return args.length === 0 ? null : writeTagged(args[0]);
}

function throwing(text) {
  if (text !== null) throw new Error(text);
}

/** The context of an event, which is not over before what is given to `waitUntil`. */
export function recordingContext(ctx, event) {
  return {
    props: ctx.props,
    exports: ctx.exports,
    waitUntil(promise) {
      ctx.waitUntil(event.wait(promise));
    },
    passThroughOnException() {
      ctx.passThroughOnException();
    },
    abort(reason) {
      ctx.abort(reason);
    },
  };
}

/** The controller of a timer's event, without the harness's key. */
export function recordingController(controller) {
  return {
    type: "scheduled",
    cron: "* * * * *",
    scheduledTime: controller.scheduledTime,
    noRetry() {
      controller.noRetry();
    },
  };
}
