// The verdict vectors, and how what was seen is held against one.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const VECTORS = new URL("../../../corpus/vectors/", import.meta.url);

const LINES = { "verdict-send.jsonl": 1128, "verdict-batch.jsonl": 2114 };

/** The files' names. */
export const FILES = Object.keys(LINES);

/** The vectors of one file. */
export function vectorsOf(file) {
  const lines = readFileSync(new URL(file, VECTORS), "utf8").trimEnd().split("\n");
  assert.equal(lines.length, LINES[file]);
  return lines.map((line) => JSON.parse(line));
}

/** The message's text, checked against its size and digest. */
export function textOf(vector) {
  const content = vector.text_recipe
    ? vector.text_recipe.map(([piece, times]) => piece.repeat(times)).join("")
    : Buffer.from(vector.text_b64, "base64").toString("utf8");
  const bytes = Buffer.from(content, "utf8");
  assert.equal(bytes.length, vector.text_bytes, `${vector.name}: size`);
  if (vector.text_sha256) assert.equal(sha256(bytes), vector.text_sha256, vector.name);
  return content;
}

/**
 * Holds a verdict against the vector's.
 * @param {string | null} message of the exception
 * @param {{method: string, arguments: string}[]} calls
 */
export function check(vector, message, calls) {
  const { name } = vector;
  assert.equal(message, vector.message, name);
  assert.equal(vector.verdict, message === null ? "ok" : "error", name);
  assert.equal(calls.length, vector.calls.length, `${name}: calls`);
  calls.forEach((call, index) => {
    const expected = vector.calls[index];
    assert.equal(call.method, expected.method, name);
    const bytes = Buffer.from(call.arguments, "utf8");
    assert.equal(bytes.length, expected.args_bytes, `${name}: argument size`);
    if (expected.args === null) assert.equal(sha256(bytes), expected.args_sha256, name);
    else assert.equal(call.arguments, expected.args, name);
  });
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
