// A stand-in for the trial app of the 豫言 project: the same paths and the same
// answers, over the plain JavaScript package. It shows that the harness can check
// a deployment of theirs unchanged.
//
//   POST /send?b=BINDING&d=DELAY   the body is the message's text
//   POST /batch?b=BINDING          the body is the array's text
//        200 成功, or 400 失败：MESSAGE
//   /consume /ack /retry           the consumer in a request: 200 捕获：MESSAGE
//   a batch of a queue `log…`  prints the batch's text
//   a batch of a queue `err…`  prints 捕获：MESSAGE of reading it
//   a batch of `plan:LETTERS`  acts on the messages, one letter each, as below

import { PackageException } from "../app/ends.js";
import { Package } from "../app/package.js";

/** What a letter does with the message at `at` of `count`. */
const LETTERS = {
  a: (queue, at) => queue.ack(at),
  r: (queue, at) => queue.retry(at, 0),
  d: (queue, at) => queue.retry(at, 30),
  y: (queue, at) => queue.retry(at, 43_200),
  s: () => {},
  t: () => {
    throw new PackageException("试验异常");
  },
  x: caught((queue, _, count) => queue.ack(count)),
  z: caught((queue) => queue.ack(-1)),
  n: caught((queue, at) => queue.retry(at, -1)),
  l: caught((queue, at) => queue.retry(at, 43_201)),
};

const REQUESTS = {
  "/send": async (queue, query, body) => {
    await queue.send(query.get("b") ?? "", body, Number(query.get("d") ?? 0));
  },
  "/batch": async (queue, query, body) => {
    await queue.sendBatch(query.get("b") ?? "", body);
  },
};

const CONSUMER_REQUESTS = {
  "/consume": (queue) => queue.readBatch(),
  "/ack": (queue) => queue.ack(0),
  "/retry": (queue) => queue.retry(0, 0),
};

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    const queue = new Package({ grants: queuesOf(env), env, batch: null });
    if (Object.hasOwn(CONSUMER_REQUESTS, pathname)) {
      return new Response(caughtText(() => CONSUMER_REQUESTS[pathname](queue)) ?? "未抛出");
    }
    if (request.method !== "POST" || !Object.hasOwn(REQUESTS, pathname)) {
      return new Response("没有此路径", { status: 404 });
    }
    try {
      await REQUESTS[pathname](queue, searchParams, await textOf(request));
      return new Response("成功");
    } catch (error) {
      if (!(error instanceof PackageException)) throw error;
      return new Response(`失败：${error.message}`, { status: 400 });
    }
  },

  queue(batch, env) {
    const queue = new Package({ grants: queuesOf(env), env, batch });
    if (batch.queue.startsWith("log")) return void console.log(queue.readBatch());
    if (batch.queue.startsWith("err")) {
      return void console.log(caughtText(() => queue.readBatch()) ?? "未抛出");
    }
    if (batch.queue.startsWith("plan:"))
      return follow(batch.queue.slice("plan:".length), queue, batch);
    throw new Error(`没有此队列：${batch.queue}`);
  },
};

/** The body's text as it is: `text()` would drop a leading U+FEFF. */
async function textOf(request) {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await request.arrayBuffer());
}

/** Acts on each message in turn, by its letter. */
function follow(letters, queue, batch) {
  const count = batch.messages.length;
  [...letters].forEach((letter, at) => {
    if (!Object.hasOwn(LETTERS, letter)) throw new Error(`没有此动作：${letter}`);
    LETTERS[letter](queue, at, count);
  });
}

/** The same act, whose exception the program catches and prints. */
function caught(act) {
  return (...args) => {
    const text = caughtText(() => act(...args));
    if (text !== null) console.log(text);
  };
}

function caughtText(act) {
  try {
    act();
    return null;
  } catch (error) {
    if (!(error instanceof PackageException)) throw error;
    return `捕获：${error.message}`;
  }
}

/** Here every queue that the deployment has is granted. */
function queuesOf(env) {
  return Object.keys(env).filter((name) => typeof env[name]?.sendBatch === "function");
}
