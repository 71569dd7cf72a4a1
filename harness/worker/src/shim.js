// The shim: the main module of the Worker under test, around the user's own.
//
// It runs the user's handler unchanged, with the event's own `env`, a recording
// batch and a recording context, and hands to the driver what was called, thrown
// and printed. What the handler throws is thrown on, so that the runtime sees the
// event's real end.

import * as platform from "cloudflare:workers";

// Before the user's module, so that nothing in it can reach what these capture.
import { Console, runCaptured } from "./capture.js";
import { recordingBatch, recordingContext, recordingController } from "./facades.js";
import { environment, Event } from "./setup.js";

import * as subject from "subject-main";

/** Longest answer that is read, in bytes. */
const MAX_ANSWER_BYTES = 16 << 20;

/** Statuses that have no body. */
const NULL_BODY = new Set([101, 103, 204, 205, 304]);

export default {
  async fetch(request, env, ctx) {
    const key = request.headers.get("x-duipai-event");
    const headers = new Headers(request.headers);
    headers.delete("x-duipai-event");
    const asSent = new Request(request, { headers });
    return play("fetch", key, env, ctx, () => asSent);
  },

  async queue(batch, env, ctx) {
    const key = String(batch.metadata.metrics.backlogCount);
    await play("queue", key, env, ctx, (event) => recordingBatch(batch, event));
  },

  async scheduled(controller, env, ctx) {
    const { cron } = controller;
    await play("scheduled", cron, env, ctx, () => recordingController(controller));
  },
};

/** Runs the user's handler of this kind and hands over what was seen of it. */
async function play(kind, key, env, ctx, makeArgument) {
  const event = await Event.begin(key, env);
  const output = new Console();
  let thrown = null;
  let answer;
  try {
    answer = await runCaptured(output, async () => {
      const context = recordingContext(ctx, event);
      const answer = await handle(kind, makeArgument(event), environment(env, event), context);
      return kind === "fetch" ? whole(answer, event) : undefined;
    });
  } catch (reason) {
    thrown = { reason };
  }
  await event.settle();
  await event.end({ thrown: thrown && described(thrown.reason), console: output.text() });
  if (thrown !== null) throw thrown.reason;
  return answer;
}

/** Calls the handler as the runtime would, for an object as well as for a class. */
async function handle(kind, argument, env, ctx) {
  const within = platform.withEnv ?? ((_, call) => call());
  return within(env, () => {
    const main = subject.default;
    if (typeof main === "function") {
      const instance = new main(ctx, env);
      requireHandler(instance, kind);
      return instance[kind](argument);
    }
    requireHandler(main, kind);
    return main[kind](argument, env, ctx);
  });
}

function requireHandler(main, kind) {
  if (typeof main?.[kind] !== "function") throw new Error(`the Worker has no ${kind} handler`);
}

/**
 * The response with its body read to the end: calls that are made while it is
 * written belong to the event.
 */
async function whole(response, event) {
  if (!(response instanceof Response)) {
    throw new TypeError("the fetch handler did not answer with a Response");
  }
  if (response.webSocket) {
    event.fail("the answer is a WebSocket");
    return new Response(null, { status: 204 });
  }
  const chunks = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_ANSWER_BYTES) {
      event.fail(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
      chunks.length = 0;
      break;
    }
    chunks.push(chunk);
  }
  const { status } = response;
  return new Response(NULL_BODY.has(status) ? null : new Blob(chunks), { status });
}

/** A thrown value as text. */
function described(reason) {
  try {
    if (reason instanceof Error) {
      return { name: text(reason.name), message: text(reason.message) };
    }
    return { name: typeof reason, message: text(reason) };
  } catch {
    return { name: typeof reason, message: "" };
  }
}

/** Bounded: a message of any length must not keep the event from being told. */
function text(value) {
  return String(value).slice(0, 1 << 20);
}
