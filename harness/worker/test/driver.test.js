// Plays scenes on the trial app in real workerd.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { withRuntime } from "./runtime.js";
import { APP, fetchEvent, queueEvent, scheduledEvent, step } from "./scenes.js";

const TIMEOUT = { timeout: 60_000 };
const FULFILLED = { end: "fulfilled" };
const returned = (value = null) => ({ outcome: "returned", value });
const threw = (message) => ({ outcome: "threw", message });

test("the driver needs the token and refuses what it cannot play", TIMEOUT, async () => {
  await withRuntime(APP, async (runtime) => {
    const status = async (page, init) => (await runtime.request(page, init)).status;
    assert.equal(await status("/health", { headers: { "x-duipai-token": "x" } }), 403);
    assert.equal(await (await runtime.request("/health")).text(), '{"duipai":1}');
    assert.equal(await status("/other"), 404);
    for (const [body, error] of [
      ["{", /the scene is not JSON/],
      ['{"mode":"x","events":[]}', /mode must be double or wire/],
      ['{"mode":"wire","events":[{"kind":"email"}]}', /event 0: no such kind of event/],
      [scene({ bindings: { DUIPAI: { binding: "accepts" } } }), /is the harness's/],
      [scene({ bindings: { Q: { binding: "rejects-value", with: '{"#x":1}' } } }), /unknown tag/],
      [scene({ messages: [{ body: { json: "{" } }] }), /event 0: message 0: /],
    ]) {
      const answer = await runtime.request("/scene", { method: "POST", body });
      assert.equal(answer.status, 422, body);
      assert.match((await answer.json()).error, error);
    }
  });
});

function scene(parts) {
  return JSON.stringify({ mode: "double", events: [queueEvent([], parts)] });
}

test("a fetch event sends through the doubles", TIMEOUT, async () => {
  await withRuntime(APP, async (runtime) => {
    const bindings = {
      A: { binding: "accepts" },
      B: { binding: "rejects-error", with: 'a\u0000b "no"\n满 😀\u2028\ufeff' },
      C: { binding: "rejects-value", with: '{"#undefined":true}' },
    };
    const steps = [
      step.send("A", '{"__proto__":{"x":1},"b":-0}', 30),
      step.sendBatch("A", '[{"body":"\\ud800","delaySeconds":5},{"body":[]}]'),
      step.send("B", "1"),
      step.send("C", "1"),
      step.send("A", "1e999"),
      step.send("D", "1"),
      step.send("A", "2"),
    ];
    const [seen] = await runtime.scene(
      "double",
      fetchEvent(steps, { bindings, grants: ["A", "B", "C", "D"] }),
    );
    assert.deepEqual(seen.report, {
      outcomes: [
        returned(),
        returned(),
        threw(`队列发送失败：${bindings.B.with}`),
        threw("队列发送失败：undefined"),
        threw("消息体含有不属于 JSON 的值或宿主专用记号"),
        { outcome: "aborted", reason: "绑定不存在：D" },
        { outcome: "not-reached" },
      ],
      end: { end: "aborted", reason: "绑定不存在：D" },
    });
    assert.deepEqual(seen.calls, [
      {
        method: "send",
        binding: "A",
        arguments: '[{"__proto__":{"x":1},"b":0},{"contentType":"json","delaySeconds":30}]',
      },
      {
        method: "sendBatch",
        binding: "A",
        arguments:
          '[[{"body":"\\ud800","contentType":"json","delaySeconds":5},{"body":[],"contentType":"json"}]]',
      },
      { method: "send", binding: "B", arguments: '[1,{"contentType":"json"}]' },
      { method: "send", binding: "C", arguments: '[1,{"contentType":"json"}]' },
    ]);
    assert.equal(seen.response.status, 500);
    assert.deepEqual([seen.thrown, seen.result, seen.failed], [null, null, null]);
  });
});

test("a queue event is settled, and its end is the runtime's", TIMEOUT, async () => {
  await withRuntime(APP, async (runtime) => {
    const messages = [
      { id: '引"\u0000', attempts: 3, body: { json: '{"a":[1,"é"]}' }, timestamp: { number: 5 } },
      { attempts: 65_535, timestamp: { date: 8_640_000_000_000_000 } },
      { timestamp: { date: -86_400_000 }, retry_throws: "no" },
    ];
    const steps = [step.readBatch(), step.ack(0), step.retry(1, 30), step.ack(3), step.retry(2)];
    const [seen] = await runtime.scene("double", queueEvent(steps, { messages }));
    const read = JSON.parse(seen.report.outcomes[0].value);
    assert.equal(read.queue, "q");
    assert.deepEqual(
      read.messages.map(({ id, attempts, timestamp, body }) => [id, attempts, timestamp, body]),
      [
        ['引"\u0000', 3, 5, { a: [1, "é"] }],
        ["m1", 65_535, 8_640_000_000_000_000, 1],
        ["m2", 1, -86_400_000, 2],
      ],
    );
    assert.deepEqual(seen.report.outcomes.slice(1), [
      returned(),
      returned(),
      threw("队列消息序号越界"),
      { outcome: "aborted", reason: "no" },
    ]);
    assert.deepEqual(seen.calls, [
      { method: "ack", message: 0 },
      { method: "retry", message: 1, options: '{"delaySeconds":30}' },
      { method: "retry", message: 2, options: null, threw: true },
    ]);
    assert.deepEqual(seen.thrown, { name: "Error", message: "no" });
    assert.deepEqual(seen.result, {
      outcome: "exception",
      ackAll: false,
      retryBatch: { retry: false },
      explicitAcks: ['引"\u0000'],
      retryMessages: [{ msgId: "m1", delaySeconds: 30 }],
    });
  });
});

test("bodies that are not JSON are refused, whichever way they came", TIMEOUT, async () => {
  await withRuntime(APP, async (runtime) => {
    const values = [
      '{"#date":0}',
      '{"#map":[]}',
      '{"#set":[1]}',
      '{"#bytes":"00ff"}',
      '{"#buffer":""}',
      '{"#undefined":true}',
      '{"a":{"#undefined":true}}',
      '{"#bigint":"1"}',
      '[{"#nan":true}]',
      '{"#infinity":-1}',
      '{"#class":{"a":1}}',
      '{"#symbol":"s"}',
      '[{"#function":"f"}]',
    ];
    const event = (tagged) =>
      queueEvent([step.readBatch()], { messages: [{}, { body: { tagged } }] });
    const seen = await runtime.scene("double", ...values.map(event));
    seen.forEach(({ report, failed }, index) => {
      assert.equal(failed, null, values[index]);
      assert.deepEqual(report.outcomes, [threw("队列消息正文不是 JSON 值：序号 1")], values[index]);
    });
    const nested = (levels) => event(`${"[".repeat(levels)}1${"]".repeat(levels)}`);
    const [fits, deep] = await runtime.scene("double", nested(32), nested(33));
    assert.equal(fits.report.outcomes[0].outcome, "returned");
    assert.deepEqual(deep.report.end, { end: "aborted", reason: "宿主结果嵌套过深" });
  });
});

test("events of one scene are told apart", TIMEOUT, async () => {
  await withRuntime(APP, async (runtime) => {
    const raise = { op: "raise", message: "坏了", caught: false };
    const seen = await runtime.scene(
      "double",
      scheduledEvent([step.send("PAGE_QUEUE", "1"), step.readBatch()]),
      queueEvent([step.send("PAGE_QUEUE", "2"), step.ack(0), raise, step.ack(0)]),
      fetchEvent([]),
    );
    assert.deepEqual(seen[0].report.outcomes, [returned(), threw("当前事件不是队列事件")]);
    assert.equal(seen[0].result.outcome, "ok");
    assert.equal(seen[0].calls[0].arguments, '[1,{"contentType":"json"}]');
    assert.deepEqual(seen[1].report.end, { end: "rejected", reason: "坏了" });
    assert.equal(seen[1].result.outcome, "exception");
    assert.deepEqual(
      seen[1].calls.map(({ method }) => method),
      ["send", "ack"],
    );
    assert.deepEqual(seen[2].report, { outcomes: [], end: FULFILLED });
  });
});

test("in wire mode the broker sees the requests", TIMEOUT, async () => {
  const requests = [];
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      requests.push([
        method,
        url,
        headers["x-msg-fmt"],
        headers["x-msg-delay-secs"],
        String(Buffer.concat(chunks)),
      ]);
      response.end('{"metadata":{"metrics":{"backlogCount":0,"backlogBytes":0}}}');
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const broker = { port: server.address().port, names: ["PAGE_QUEUE", "OTHER"] };
    await withRuntime({ ...APP, broker }, async (runtime) => {
      const steps = [step.send("PAGE_QUEUE", '{"a": "中"}', 7), step.send("OTHER", "1")];
      const event = fetchEvent(steps, { grants: ["PAGE_QUEUE", "OTHER"] });
      const [seen] = await runtime.scene("wire", event);
      assert.deepEqual(seen.report.end, { end: "aborted", reason: "绑定不存在：OTHER" });
      assert.deepEqual(seen.calls, []);
      assert.deepEqual(requests, [["POST", "/message", "json", "7", '{"a":"中"}']]);
      const missing = fetchEvent([], { bindings: { NONE: { binding: "accepts" } } });
      const [{ failed }] = await runtime.scene("wire", missing);
      assert.equal(failed, 'the configuration has no queue binding "NONE"');
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a Worker of an old compatibility date is served", TIMEOUT, async () => {
  await withRuntime({ ...APP, date: "2021-11-03" }, async (runtime) => {
    const [sent, read] = await runtime.scene(
      "double",
      fetchEvent([step.send("PAGE_QUEUE", '"é"', 1)]),
      queueEvent([step.readBatch(), step.retry(0)]),
    );
    assert.deepEqual([sent.failed, read.failed], [null, null]);
    assert.deepEqual(sent.report.outcomes, [returned()]);
    assert.equal(JSON.parse(read.report.outcomes[0].value).messages[0].attempts, 1);
    assert.deepEqual(read.calls, [{ method: "retry", message: 0, options: null }]);
  });
});
