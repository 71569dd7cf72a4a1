// The Workers beside the trial app: the guest, the stand-in, and the mutants, each
// of which must differ from the trial app in the scene that is made for its fault.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { generated } from "../app-guest/transpile.js";
import { withRuntime } from "./runtime.js";
import { APP, fetchEvent, GUEST, mutant, queueEvent, request, step, YUYAN } from "./scenes.js";

const TIMEOUT = { timeout: 60_000 };
const raise = { op: "raise", message: "坏了", caught: false };

/** What is seen of these scenes, one after the other. */
async function play(worker, ...scenes) {
  const seen = [];
  await withRuntime(worker, async (runtime) => {
    for (const events of scenes) seen.push(...(await runtime.scene("double", ...events)));
  });
  return seen;
}

test("what is checked in of the guest is current", TIMEOUT, async () => {
  const folder = new URL("../app-guest/generated/", import.meta.url);
  const files = await generated();
  assert.deepEqual(readdirSync(folder).sort(), Object.keys(files).sort());
  for (const [name, content] of Object.entries(files)) {
    const current = readFileSync(new URL(name, folder)).equals(Buffer.from(content));
    assert.ok(current, `generated/${name} is out of date; run \`npm run guest\``);
  }
});

test("the guest does what the trial app does", TIMEOUT, async () => {
  const bindings = {
    A: { binding: "accepts" },
    "\ufeffB": { binding: "rejects-error", with: "满\u0000" },
    C: { binding: "rejects-value", with: '{"#symbol":"s"}' },
  };
  const grants = [...Object.keys(bindings), "D"];
  const nested = (levels) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
  const steps = [
    step.send("A", '{"__proto__":{"$句柄":"1"}}'),
    step.send("A", '"\\ud800\\u2028"', 43_200),
    step.send("A", `\ufeff1`),
    step.send("A", nested(24)),
    step.send("A", nested(25)),
    step.send("A", nested(100_000)),
    step.sendBatch("\ufeffB", '[{"body":"],[","delaySeconds":1}]'),
    step.sendBatch("A", `[${Array(101).fill('{"body":1}')}]`),
    step.send("C", "1"),
    step.readBatch(),
    step.ack(0),
    step.send("D", "1"),
    step.send("A", "1"),
  ];
  const read = (tagged) => queueEvent([step.readBatch()], { messages: [{ body: { tagged } }] });
  const scene = [
    fetchEvent(steps, { bindings, grants }),
    fetchEvent([step.send("A", "1")], { bindings, grants: [] }),
    queueEvent([step.readBatch(), step.ack(0), step.retry(1, 30), step.retry(1), raise], {
      queue: '"引\u0000\ud83d\ude00',
      messages: [{ id: "\ufeff\u007f", timestamp: { number: 0 } }, { attempts: 9 }, {}],
    }),
    queueEvent([step.ack(-1), step.ack(3), step.retry(0, -1), step.retry(0, 43_201)]),
    queueEvent([step.ack(0), step.ack(0)], { messages: [{ ack_throws: "no" }] }),
    ...['{"#date":0}', '[{"#nan":true}]', '{"a":{"#class":{}}}', '{"#undefined":true}'].map(read),
    ...[nested(32), nested(33), '{"__proto__":1,"toJSON":2}', '{"#minus-zero":true}'].map(read),
    queueEvent([step.readBatch()], { messages: Array(1000).fill({}) }),
  ];
  const [app, guest] = [await play(APP, scene), await play(GUEST, scene)];
  // What a symbol is as text, the documents leave open.
  for (const [seen] of [app, guest]) {
    assert.match(seen.report.outcomes[8].message, /^队列发送失败：/);
    delete seen.report.outcomes[8].message;
    delete seen.response;
  }
  guest.forEach((seen, index) => assert.deepEqual(seen, app[index], `event ${index}`));
});

test("an abort of the guest ends its event alone", TIMEOUT, async () => {
  const deep = queueEvent([step.readBatch(), step.ack(0)], {
    messages: [{ body: { json: `${"[".repeat(40)}${"]".repeat(40)}` } }],
  });
  const [first, second] = await play(GUEST, [deep, queueEvent([step.readBatch(), step.ack(0)])]);
  assert.deepEqual(first.report.end, { end: "aborted", reason: "宿主结果嵌套过深" });
  assert.equal(first.result.outcome, "exception");
  assert.deepEqual(second.report.end, { end: "fulfilled" });
});

test("the stand-in speaks its protocol", TIMEOUT, async () => {
  const answers = async (...requests) => {
    const bindings = { Q: { binding: "accepts" }, R: { binding: "rejects-error", with: "满" } };
    const events = requests.map(([path, body]) => request("POST", path, body, { bindings }));
    return (await play(YUYAN, events)).map(({ response, calls }) => [
      response && `${response.status} ${response.body}`,
      calls.length,
    ]);
  };
  assert.deepEqual(
    await answers(
      ["/send?b=Q&d=30", "1"],
      ["/send?b=Q&d=-1", "1"],
      ["/send?b=R&d=0", "1"],
      ["/send?b=&d=0", "1"],
      ["/send?b=Q&d=0", "\ufeff1"],
      ["/send?b=N&d=0", "1"],
      ["/batch?b=Q", '[{"body":1}]'],
      ["/batch?b=Q", "[]"],
      ["/consume", ""],
      ["/ack", ""],
      ["/retry", ""],
      ["/other", ""],
    ),
    [
      ["200 成功", 1],
      ["400 失败：延迟秒数须在 0 至 43200 之间", 0],
      ["400 失败：队列发送失败：满", 1],
      ["400 失败：队列绑定名不得为空", 0],
      ["400 失败：消息体不是有效的 JSON 文字", 0],
      [null, 0],
      ["200 成功", 1],
      ["400 失败：批量消息不得为空", 0],
      ...Array(3).fill(["200 捕获：当前事件不是队列事件", 0]),
      ["404 没有此路径", 0],
    ],
  );
  const batch = (queue, ...messages) => queueEvent([], { queue, messages });
  const [log, err, plan, thrown] = await play(YUYAN, [
    batch("log-1", {}),
    batch("err", {}, { body: { tagged: '{"#date":0}' } }),
    batch("plan:ardysxznl", ...Array(9).fill({})),
    batch("plan:at", {}, {}),
  ]);
  assert.equal(JSON.parse(log.console).queue, "log-1");
  assert.equal(err.console, "捕获：队列消息正文不是 JSON 值：序号 1\n");
  assert.deepEqual(plan.calls, [
    { method: "ack", message: 0 },
    { method: "retry", message: 1, options: null },
    { method: "retry", message: 2, options: '{"delaySeconds":30}' },
    { method: "retry", message: 3, options: '{"delaySeconds":43200}' },
  ]);
  const [index, delay] = ["捕获：队列消息序号越界\n", "捕获：延迟秒数须在 0 至 43200 之间\n"];
  assert.equal(plan.console, index + index + delay + delay);
  assert.deepEqual([thrown.result.outcome, thrown.calls.length], ["exception", 1]);
});

/** For each mutant, scenes that show its fault. */
const SHOWS = {
  "acks-all": [[queueEvent([step.retry(0)])]],
  "catches-aborts": [[fetchEvent([step.send("N", "1"), step.send("PAGE_QUEUE", "1")])]],
  "ignores-grants": [[fetchEvent([step.send("PAGE_QUEUE", "1")], { grants: [] })]],
  "keeps-instance": [[queueEvent([step.ack(0)])], [queueEvent([step.readBatch()], { queue: "r" })]],
  "retries-on-failure": [[queueEvent([step.ack(0), raise])]],
  "swallows-exceptions": [[queueEvent([raise])]],
};

test("every mutant is told from the trial app", TIMEOUT, async () => {
  const names = readdirSync(new URL("../mutants/", import.meta.url)).sort();
  assert.deepEqual(names, Object.keys(SHOWS));
  // Without a fault there is no difference, or none below would tell anything.
  const all = names.flatMap((name) => SHOWS[name]);
  assert.deepEqual(await play(APP, ...all), await play(APP, ...all));
  const innocent = [fetchEvent([step.send("PAGE_QUEUE", "[1]", 5)])];
  for (const name of names) {
    const [app, faulty] = [
      await play(APP, innocent, ...SHOWS[name]),
      await play(mutant(name), ...SHOWS[name], innocent),
    ];
    // What its fault does not touch is as in the trial app.
    if (name !== "keeps-instance") assert.deepEqual(faulty.at(-1), app[0], name);
    assert.notDeepEqual(faulty.slice(0, -1), app.slice(1), name);
  }
});
