// The harness's scene, checked, and the messages as the platform gets them.

import { parseTagged, survivesCloning, TaggedError } from "./tagged.js";

/** The driver cannot carry a plan out; the message says why. */
export class PlanError extends Error {
  name = "PlanError";
}

/** Names in `env` that belong to the harness. */
const RESERVED = /^DUIPAI(?:_|$)/;

/** Greatest number of deliveries that the platform can tell a Worker of. */
const MAX_ATTEMPTS = 65_535;

/** Farthest time from 1970 that the platform carries, in milliseconds: it counts
 * nanoseconds in 64 bits. */
const MAX_PLATFORM_TIME = 9_223_372_036_854;

/** Farthest time from 1970 that a `Date` holds, in milliseconds. */
const MAX_DATE = 8_640_000_000_000_000;

/** Undefined in the platform's own serialization, since it cannot be a plain body. */
const SERIALIZED_UNDEFINED = new Uint8Array([0xff, 0x0f, 0x5f]);

/**
 * The scene of a request's text.
 * @throws {PlanError} when it cannot be played
 */
export function checkedScene(text) {
  let scene;
  try {
    scene = JSON.parse(text);
  } catch (error) {
    throw new PlanError(`the scene is not JSON: ${error.message}`);
  }
  expect(scene?.mode === "double" || scene?.mode === "wire", "mode must be double or wire");
  expect(Array.isArray(scene.events), "events must be an array");
  scene.events.forEach(checkEvent);
  return scene;
}

function checkEvent(event, at) {
  const here = (problem) => `event ${at}: ${problem}`;
  expect(["fetch", "queue", "scheduled"].includes(event?.kind), here("no such kind of event"));
  expect(isRecord(event.plan), here("plan must be an object"));
  expect(isRecord(event.bindings), here("bindings must be an object"));
  for (const [name, behaviour] of Object.entries(event.bindings)) {
    expect(!RESERVED.test(name), here(`the binding name ${name} is the harness's`));
    checkBehaviour(behaviour, here);
  }
  if (event.kind === "fetch") {
    const { method, path, body } = event.request ?? {};
    const complete = [method, path, body].every((part) => typeof part === "string");
    expect(complete, here("request must have method, path and body"));
    expect(path.startsWith("/"), here("path must begin with /"));
  }
  if (event.batch) {
    expect(typeof event.batch.queue === "string", here("queue must be a text"));
    expect(Array.isArray(event.batch.messages), here("messages must be an array"));
    event.batch.messages.forEach((message, index) =>
      checkMessage(message, (problem) => here(`message ${index}: ${problem}`)),
    );
  }
}

function checkBehaviour(behaviour, here) {
  switch (behaviour?.binding) {
    case "accepts":
      return;
    case "rejects-error":
      return expect(typeof behaviour.with === "string", here("a rejection must have a text"));
    case "rejects-value":
      return void tagged(behaviour.with, here);
    default:
      throw new PlanError(here("a binding must be accepts, rejects-error or rejects-value"));
  }
}

function checkMessage(message, here) {
  expect(typeof message?.id === "string", here("id must be a text"));
  expect(Number.isSafeInteger(message.attempts), here("attempts must be an integer"));
  const { date, number } = message.timestamp ?? {};
  expect(Number.isSafeInteger(date ?? number), here("timestamp must be an integer"));
  expect(Math.abs(date ?? 0) <= MAX_DATE, here("timestamp is beyond every Date"));
  const { json, tagged: text } = message.body ?? {};
  expect(typeof (json ?? text) === "string", here("body must be a text"));
  if (json === undefined) tagged(text, here);
  else parsed(json, here);
}

/**
 * The messages as `queue()` of a service binding takes them. What the runtime
 * cannot carry is replaced; the shim makes it inside the subject, by
 * {@link madeInside}.
 */
export function platformMessages(messages) {
  return messages.map(({ id, attempts, timestamp, body }) => ({
    id,
    attempts: Math.min(Math.max(attempts, 0), MAX_ATTEMPTS),
    timestamp: new Date(carried(timestamp) ? timestamp.date : 0),
    ...platformBody(body),
  }));
}

function platformBody(body) {
  if (body.json !== undefined) return { body: JSON.parse(body.json) };
  if (!survivesCloning(body.tagged)) return { body: null };
  const value = parseTagged(body.tagged);
  return value === undefined ? { serializedBody: SERIALIZED_UNDEFINED } : { body: value };
}

/**
 * What the shim has to make of each message: `body` (tagged text), `time`
 * (`{date}` or `{number}`), `attempts`, where the runtime cannot carry them, and
 * the texts with which `ack` and `retry` throw.
 */
export function madeInside(messages) {
  return messages.map(({ attempts, timestamp, body, ack_throws, retry_throws }) => ({
    body: body.json === undefined && !survivesCloning(body.tagged) ? body.tagged : null,
    time: carried(timestamp) ? null : timestamp,
    attempts: attempts >= 0 && attempts <= MAX_ATTEMPTS ? null : attempts,
    ackThrows: ack_throws ?? null,
    retryThrows: retry_throws ?? null,
  }));
}

/** Whether a timestamp is a `Date` that the runtime hands on as it is. */
function carried(timestamp) {
  return timestamp.date !== undefined && Math.abs(timestamp.date) <= MAX_PLATFORM_TIME;
}

function tagged(text, here) {
  expect(typeof text === "string", here("a value must be tagged text"));
  try {
    return parseTagged(text);
  } catch (error) {
    if (!(error instanceof TaggedError)) throw error;
    throw new PlanError(here(error.message));
  }
}

function parsed(text, here) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PlanError(here(error.message));
  }
}

function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function expect(condition, problem) {
  if (!condition) throw new PlanError(problem);
}
