// What the shim shows of Workers that do as they please.

import assert from "node:assert/strict";
import { test } from "node:test";

import { withRuntime } from "./runtime.js";
import { fetchEvent, queueEvent, request, scheduledEvent } from "./scenes.js";

const TIMEOUT = { timeout: 60_000 };

/** What is seen of these events on a Worker of this source. */
async function play(source, ...events) {
  let seen;
  await withRuntime({ source }, async (runtime) => {
    seen = await runtime.scene("double", ...events);
  });
  return seen;
}

test("the handler sees the platform's shapes and none of the harness's own", TIMEOUT, async () => {
  const source = `
    import { env as imported } from "cloudflare:workers";
    export default {
      async fetch(request, env, ctx) {
        return Response.json({
          header: request.headers.get("x-duipai-event"), url: request.url,
          body: await request.text(), env: Object.keys(env), imported: Object.keys(imported),
          own: Object.keys(env.PAGE_QUEUE), ctx: typeof ctx.waitUntil });
      },
      async queue(batch, env) {
        const [message] = batch.messages;
        console.log(JSON.stringify([Object.keys(batch), Object.keys(message), batch.metadata,
          batch.messages === batch.messages, batch.messages[0] === message,
          message.timestamp === message.timestamp, message.timestamp instanceof Date,
          message.body === message.body]));
        try { const { ack } = message; ack(); } catch (error) { console.log(error.name); }
      },
      async scheduled(controller) { console.log(controller.cron, typeof controller.scheduledTime); },
    };`;
  const [fetched, queued, timed] = await play(
    source,
    request("POST", "/any?x=1", "text"),
    queueEvent([], { messages: [{ body: { json: "{}" } }] }),
    scheduledEvent([]),
  );
  assert.equal(fetched.thrown, null);
  assert.deepEqual(JSON.parse(fetched.response.body), {
    header: null,
    url: "http://subject/any?x=1",
    body: "text",
    env: ["PAGE_QUEUE", "DUIPAI"],
    imported: ["PAGE_QUEUE", "DUIPAI"],
    own: [],
    ctx: "function",
  });
  assert.equal(fetched.report, null);
  const [shape, error] = queued.console.trimEnd().split("\n");
  assert.deepEqual(JSON.parse(shape), [
    ["metadata", "queue", "messages"],
    ["attempts", "body", "timestamp", "id"],
    { metrics: { backlogCount: 0, backlogBytes: 0 } },
    ...[false, true, false, true, true],
  ]);
  assert.equal(error, "TypeError");
  assert.deepEqual(queued.calls, []);
  assert.equal(timed.console, "* * * * * number\n");
});

test("a class is served like an object", TIMEOUT, async () => {
  const source = `
    import { WorkerEntrypoint } from "cloudflare:workers";
    export default class extends WorkerEntrypoint {
      async fetch() { await this.env.PAGE_QUEUE.send(1); return new Response("sent"); }
      async queue(batch) { batch.messages[0].retry({ delaySeconds: 1.5, x: undefined }); batch.ackAll(); }
    };`;
  const [fetched, queued] = await play(source, request("GET", "/", ""), queueEvent([]));
  assert.equal(fetched.response.body, "sent");
  assert.deepEqual(fetched.calls, [{ method: "send", binding: "PAGE_QUEUE", arguments: "[1]" }]);
  assert.deepEqual(queued.calls, [
    { method: "retry", message: 0, options: '{"delaySeconds":1.5,"x":{"#undefined":true}}' },
    { method: "ackAll" },
  ]);
  assert.equal(queued.result.ackAll, true);
});

test("calls that nothing waits for are seen", TIMEOUT, async () => {
  const source = `
    export default {
      async fetch(request, env, ctx) {
        env.PAGE_QUEUE.send("first").catch(() => {});
        ctx.waitUntil((async () => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          await env.PAGE_QUEUE.send("last");
        })());
        const late = new ReadableStream({ async pull(controller) {
          await env.PAGE_QUEUE.send("while writing");
          controller.enqueue(new TextEncoder().encode("done"));
          controller.close();
        } });
        return new Response(late, { status: 202 });
      },
    };`;
  const [seen] = await play(source, fetchEvent([]));
  assert.deepEqual(seen.response, { status: 202, body: "done" });
  assert.deepEqual(
    seen.calls.map((call) => call.arguments),
    ['["first"]', '["while writing"]', '["last"]'],
  );
});

test("whatever is thrown is told and handed to the platform", TIMEOUT, async () => {
  const source = `
    const thrown = [new RangeError("坏\\ud800"), "text", undefined, null, Symbol("s"),
      { toString() { throw 1; } }, 0];
    export default {
      async queue(batch) { throw thrown[batch.messages[0].body]; },
      async fetch() { throw new Error("no"); },
      scheduled() { throw new Error("at once"); },
    };`;
  const event = (index) => queueEvent([], { messages: [{ body: { json: String(index) } }] });
  const events = [...Array(7).keys()].map(event);
  const seen = await play(source, ...events, fetchEvent([]), scheduledEvent([]));
  assert.deepEqual(
    seen.map(({ thrown }) => thrown),
    [
      { name: "RangeError", message: "坏\ufffd" },
      { name: "string", message: "text" },
      { name: "undefined", message: "undefined" },
      { name: "object", message: "null" },
      { name: "symbol", message: "Symbol(s)" },
      { name: "object", message: "" },
      { name: "number", message: "0" },
      { name: "Error", message: "no" },
      { name: "Error", message: "at once" },
    ],
  );
  for (const { failed } of seen) assert.equal(failed, null);
  for (const { result } of seen.slice(0, 7)) assert.equal(result.outcome, "exception");
  assert.deepEqual(
    [seen[7].response, seen[7].result, seen[8].result.outcome],
    [null, null, "exception"],
  );
});

test("output goes to the event that printed it, up to 1 MiB", TIMEOUT, async () => {
  const source = `
    console.log("not in an event");
    export default { async queue(batch) {
      const text = batch.messages[0].body;
      console.log(text, { a: 1 }, new TypeError("x"));
      await new Promise((resolve) => setTimeout(resolve, 10));
      for (let line = 0; line < (text === "much" ? 9 : 1); line++) console.error("汉".repeat(50_000));
    } };`;
  const event = (text) => queueEvent([], { messages: [{ body: { json: JSON.stringify(text) } }] });
  const [few, much] = await play(source, event("few"), event("much"));
  const whole = (text, lines) =>
    `${text} {"a":1} TypeError: x\n${`${"汉".repeat(50_000)}\n`.repeat(lines)}`;
  assert.equal(few.console, whole("few", 1));
  assert.ok(whole("much", 9).startsWith(much.console));
  // Cut before the character that has no room.
  const bytes = Buffer.byteLength(much.console);
  assert.ok(bytes > (1 << 20) - 3 && bytes <= 1 << 20, `${bytes} bytes`);
});

test("a Worker that misbehaves costs its own event", TIMEOUT, async () => {
  const source = `
    const MUCH = "x".repeat(1 << 20);
    const handlers = {
      never: () => new Promise(() => {}),
      long: () => new Response(new ReadableStream({ pull(controller) {
        controller.enqueue(new TextEncoder().encode(MUCH)); } })),
      nothing: () => {},
      garbage: async (env) => {
        await env.DUIPAI.fetch("http://duipai/report", { method: "POST", body: "{" });
        return new Response("ok");
      },
      report: async (env) => {
        await env.DUIPAI.fetch("http://duipai/report", { method: "POST", body: MUCH.repeat(17) });
        return new Response("ok");
      },
      message: () => { throw new Error(MUCH.repeat(40)); },
      empty: () => new Response(null, { status: 204 }),
      socket: () => new Response(null, { status: 101, webSocket: new WebSocketPair()[0] }),
      arguments: async (env) => {
        for (let call = 0; call < 20; call++) await env.PAGE_QUEUE.send(MUCH.repeat(4)).catch(() => {});
        return new Response("ok");
      },
      abort: (env, ctx) => ctx.abort(new Error("gone")),
    };
    export default {
      queue(batch) { for (let call = 0; call <= 100_000; call++) batch.messages[0].ack(); },
      fetch(request, env, ctx) {
        return handlers[new URL(request.url).pathname.slice(1)](env, ctx);
      } };`;
  await withRuntime({ source }, async (runtime) => {
    const names = [
      "never",
      "long",
      "nothing",
      "garbage",
      "report",
      "message",
      "empty",
      "socket",
      "arguments",
    ];
    const events = names.map((name) => request("GET", `/${name}`, ""));
    const seen = await runtime.scene("double", ...events);
    const [never, long, nothing, garbage, report, message, empty, socket, many] = seen;
    assert.match(never.failed, /^the runtime refused the event: .*hung/);
    assert.equal(long.failed, "the answer is longer than 16777216 bytes");
    assert.deepEqual(nothing.thrown, {
      name: "TypeError",
      message: "the fetch handler did not answer with a Response",
    });
    assert.match(garbage.failed, /^the report is not JSON: /);
    assert.equal(report.failed, "the report is longer than 16777216 bytes");
    assert.equal(message.thrown.message.length, 1 << 20);
    assert.deepEqual([empty.response, empty.failed], [{ status: 204, body: "" }, null]);
    assert.equal(socket.failed, "the answer is a WebSocket");
    assert.match(many.failed, /^the arguments of the platform calls are longer than/);
    const [aborted] = await runtime.scene("double", request("GET", "/abort", ""));
    assert.match(aborted.failed, /^the runtime refused the event: .*gone/);
    const [calls] = await runtime.scene("double", queueEvent([]));
    assert.equal(calls.failed, "more than 100000 platform calls");
    const [again] = await runtime.scene("double", request("GET", "/empty", ""));
    assert.equal(again.failed, null);
  });
});

test("a handler that is missing is told", TIMEOUT, async () => {
  const seen = await play("export default {};", fetchEvent([]), queueEvent([]), scheduledEvent([]));
  assert.deepEqual(
    seen.map(({ thrown }) => thrown.message),
    ["fetch", "queue", "scheduled"].map((kind) => `the Worker has no ${kind} handler`),
  );
});

test("a Worker that does not load is told by the runtime", TIMEOUT, async () => {
  const broken = withRuntime(
    {
      source: 'throw new Error("broken at the top"); export default {};',
    },
    () => {},
  );
  await assert.rejects(broken, /broken at the top/);
});
