// Holds the trial app's package against the verdict vectors, in Node alone.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Package, PackageException } from "../app/package.js";
import { writeTagged } from "../src/tagged.js";

const VECTORS = new URL("../../../corpus/vectors/", import.meta.url);

for (const [file, lines] of [
  ["verdict-send.jsonl", 1128],
  ["verdict-batch.jsonl", 2114],
]) {
  test(`every line of ${file}`, { timeout: 120_000 }, async () => {
    const vectors = readFileSync(new URL(file, VECTORS), "utf8").trimEnd().split("\n");
    assert.equal(vectors.length, lines);
    for (const line of vectors) await check(JSON.parse(line));
  });
}

async function check(vector) {
  const calls = [];
  const message = await verdict(vector, calls);
  assert.equal(message, vector.message, vector.name);
  assert.equal(vector.verdict, message === null ? "ok" : "error", vector.name);
  assert.equal(calls.length, vector.calls.length, `${vector.name}: calls`);
  calls.forEach((call, index) => checkCall(call, vector.calls[index], vector.name));
}

/** The message of the exception, or null; notes the platform calls in `calls`. */
async function verdict(vector, calls) {
  const answer = async (method, args) => {
    calls.push({ method, args: writeTagged(args) });
    if (vector.platform_error !== undefined) throw new Error(vector.platform_error);
  };
  const queue = {
    send: (...args) => answer("send", args),
    sendBatch: (...args) => answer("sendBatch", args),
  };
  const env = { [vector.binding]: queue };
  const subject = new Package({ grants: [vector.binding], env, batch: null });
  try {
    if (vector.op === "send") await subject.send(vector.binding, text(vector), vector.delay);
    else await subject.sendBatch(vector.binding, text(vector));
    return null;
  } catch (error) {
    assert.ok(error instanceof PackageException, `${vector.name}: ${error.stack}`);
    return error.message;
  }
}

function text(vector) {
  const content = vector.text_recipe
    ? vector.text_recipe.map(([piece, times]) => piece.repeat(times)).join("")
    : Buffer.from(vector.text_b64, "base64").toString("utf8");
  const bytes = Buffer.from(content, "utf8");
  assert.equal(bytes.length, vector.text_bytes, `${vector.name}: size`);
  if (vector.text_sha256) assert.equal(sha256(bytes), vector.text_sha256, vector.name);
  return content;
}

function checkCall(call, expected, name) {
  assert.equal(call.method, expected.method, name);
  const bytes = Buffer.from(call.args, "utf8");
  assert.equal(bytes.length, expected.args_bytes, `${name}: argument size`);
  if (expected.args === null) assert.equal(sha256(bytes), expected.args_sha256, name);
  else assert.equal(call.args, expected.args, name);
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
