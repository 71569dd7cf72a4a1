// Tagged text: every tag is written as it is read, and bad ones are refused.

import assert from "node:assert/strict";
import { test } from "node:test";

import { parseTagged, survivesCloning, TaggedError, writeTagged } from "../src/tagged.js";

test("every tag is written as it is read", () => {
  for (const text of [
    '[{"#undefined":true},{"#nan":true},{"#infinity":1},{"#infinity":-1}]',
    '{"a":{"#minus-zero":true},"b":0,"c":{"#bigint":"-9007199254740993"}}',
    '[{"#symbol":"x\\ud800"},{"#function":"ø"},{"#date":-86400000},{"#date":null}]',
    '{"#map":[[1,{"#set":[{"#date":0}]}],[[],{"#map":[]}]]}',
    '{"#set":[{"#bytes":"00ff"},{"#buffer":""}]}',
    '{"#class":{"x":{"#nan":true},"y":[{"#class":{}}]}}',
    '{"#a":1,"#b":2}',
    '{"a#":1,"":2}',
    '{"__proto__":{"x":1},"toJSON":2}',
    '{"#class":{"#nan":true}}',
  ]) {
    assert.equal(writeTagged(parseTagged(text)), text);
  }
});

test("unknown and unfit tags are refused", () => {
  const refused = (text, message) => {
    assert.throws(
      () => parseTagged(text),
      (error) => error instanceof TaggedError && error.message === message,
      text,
    );
  };
  refused('[{"#dat":0}]', 'unknown tag "#dat"');
  refused('{"#host":"Queue"}', 'unknown tag "#host"');
  for (const [tag, content] of [
    ["#date", '"x"'],
    ["#undefined", "1"],
    ["#infinity", "2"],
    ["#bigint", '"1.5"'],
    ["#bigint", "[1]"],
    ["#bytes", '"0"'],
    ["#bytes", '"0g"'],
    ["#map", "[[1]]"],
    ["#class", "[]"],
  ]) {
    refused(`{"${tag}":${content}}`, `the value of tag "${tag}" does not fit it`);
  }
  refused("[".repeat(5000) + "]".repeat(5000), "nested deeper than 1000 levels");
  assert.throws(() => parseTagged("["), TaggedError);
});

test("whatever is written, writing does not throw", () => {
  const cycle = [];
  cycle.push(cycle);
  const throwing = {
    get a() {
      throw new Error("no");
    },
    b: 1,
  };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  assert.equal(writeTagged([1, , 3]), '[1,{"#undefined":true},3]');
  assert.equal(writeTagged(throwing), '{"#host":"unreadable"}');
  assert.equal(writeTagged([proxy]), '[{"#host":"unreadable"}]');
  assert.match(writeTagged(cycle), /^\[+\{"#host":"nested too deep"\}\]+$/);
  assert.equal(writeTagged(new TypeError("x")), '{"#host":"TypeError"}');
  assert.equal(writeTagged(Object.create(null)), "{}");
  let bush = "x".repeat(1 << 20);
  for (let level = 0; level < 100; level++) bush = [bush, bush];
  assert.match(writeTagged(bush), /\{"#host":"too long"\}/);
});

test("what structured clone changes is known", () => {
  for (const text of ['{"#map":[["#class",{"#date":0}]]}', '"#symbol"', '{"#undefined":true}']) {
    assert.equal(survivesCloning(text), true, text);
  }
  for (const text of ['[{"#symbol":"s"}]', '{"#set":[{"#class":{}}]}', '{"a":{"#function":""}}']) {
    assert.equal(survivesCloning(text), false, text);
  }
});
