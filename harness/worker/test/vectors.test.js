// Holds the trial app's package against every verdict vector in Node alone, and
// against a part of them in the runtime, where the guest answers as well.

import assert from "node:assert/strict";
import { test } from "node:test";

import { PackageException } from "../app/ends.js";
import { Package } from "../app/package.js";
import { writeTagged } from "../src/tagged.js";
import { withRuntime } from "./runtime.js";
import { APP, fetchEvent, GUEST, step } from "./scenes.js";
import { check, FILES, textOf, vectorsOf } from "./vectors.js";

const TIMEOUT = { timeout: 120_000 };

/** Every so many lines of a file are played in the runtime. */
const STRIDE = 7;

/** Events of one scene. */
const SCENE = 40;

for (const file of FILES) {
  test(`every line of ${file}`, TIMEOUT, async () => {
    for (const vector of vectorsOf(file)) {
      const calls = [];
      check(vector, await verdict(vector, calls), calls);
    }
  });
}

for (const [name, worker] of Object.entries({ APP, GUEST })) {
  test(`one line in ${STRIDE} in the runtime: ${name}`, TIMEOUT, async () => {
    const vectors = FILES.flatMap((file) => vectorsOf(file).filter((_, at) => at % STRIDE === 0));
    await withRuntime(worker, async (runtime) => {
      for (let at = 0; at < vectors.length; at += SCENE) {
        const part = vectors.slice(at, at + SCENE);
        const seen = await runtime.scene("double", ...part.map(event));
        seen.forEach(({ report, calls, failed }, index) => {
          assert.equal(failed, null, part[index].name);
          const [outcome] = report.outcomes;
          assert.ok(["returned", "threw"].includes(outcome.outcome), part[index].name);
          check(part[index], outcome.message ?? null, calls);
        });
      }
    });
  });
}

function event(vector) {
  const { binding, op, delay, platform_error: refusal } = vector;
  const text = textOf(vector);
  const steps = [op === "send" ? step.send(binding, text, delay) : step.sendBatch(binding, text)];
  const accepts = { binding: "accepts" };
  const answer = refusal === undefined ? accepts : { binding: "rejects-error", with: refusal };
  return fetchEvent(steps, { grants: [binding], bindings: { [binding]: answer } });
}

/** The message of the exception, or null; notes the platform calls in `calls`. */
async function verdict(vector, calls) {
  const answer = async (method, args) => {
    calls.push({ method, arguments: writeTagged(args) });
    if (vector.platform_error !== undefined) throw new Error(vector.platform_error);
  };
  const queue = {
    send: (...args) => answer("send", args),
    sendBatch: (...args) => answer("sendBatch", args),
  };
  const { binding, delay } = vector;
  const subject = new Package({ grants: [binding], env: { [binding]: queue }, batch: null });
  try {
    if (vector.op === "send") await subject.send(binding, textOf(vector), delay);
    else await subject.sendBatch(binding, textOf(vector));
    return null;
  } catch (error) {
    assert.ok(error instanceof PackageException, `${vector.name}: ${error.stack}`);
    return error.message;
  }
}
