// Producer and consumer of one scenario. Sends what the scenario says when it is
// told to, answers batches as the scenario's script says, and keeps a log.
//
// The platform does not say which id a sent message gets. A delivered message is
// taken for the first one sent with that body that has not been seen yet.

/** Labels by id. */
const labels = {};

/** Labels that have no id yet, by what the consumer will find in the body. */
const unseen = new Map();

const sends = [];
const deliveries = [];
const invocations = {};
let origin = 0;

export default {
  async fetch(request, env) {
    if (request.headers.get("x-duipai-token") !== env.TOKEN) return new Response("who is there?", { status: 403 });
    const question = await request.json();
    switch (new URL(request.url).pathname.split("/")[2]) {
      case "warm":
        await backlog(env);
        return Response.json({});
      case "begin":
        origin = question.origin;
        return Response.json({});
      case "send":
        sends[question.index] = await send(env.INPUTS[question.index], env);
        return Response.json({});
      case "end":
        return Response.json({ sends, deliveries, labels, backlog: await backlog(env) });
      default:
        return new Response("no such thing", { status: 404 });
    }
  },

  async queue(batch, env, ctx) {
    const queue = batch.queue.slice(env.PREFIX.length);
    invocations[queue] = (invocations[queue] ?? 0) + 1;
    const delivery = {
      at: Date.now() - origin,
      queue,
      invocation: invocations[queue],
      messages: batch.messages.map(delivered),
      end: null,
    };
    deliveries.push(delivery);
    const later = [];
    const end = (outcome) => (delivery.end ??= { at: Date.now() - origin, outcome });
    try {
      await handle(env.HANDLERS[queue]?.rules ?? [], delivery, batch, (promise) => {
        later.push(promise);
        ctx.waitUntil(promise);
      });
    } catch (error) {
      end("exception");
      throw error;
    }
    // The platform's own verdict comes once these are over; nobody waits here.
    Promise.all(later).then(() => end("ok"), () => end("exception"));
  },
};

/** How many messages wait in each queue. */
async function backlog(env) {
  const metrics = env.PRODUCERS.map((name) => env[name].metrics());
  return (await Promise.all(metrics)).map((one) => one.backlogCount);
}

async function send({ queue, call }, env) {
  const producer = env[env.PRODUCERS[env.QUEUES.indexOf(queue)]];
  const at = Date.now() - origin;
  try {
    if (call.send) {
      expect(call.send);
      await producer.send(body(call.send), options(call.send));
    } else {
      const { messages, delay } = call.send_batch;
      messages.forEach(expect);
      const items = messages.map((message) => ({ body: body(message), ...options(message) }));
      await producer.sendBatch(items, delay == null ? undefined : { delaySeconds: delay });
    }
    return { at, refused: null };
  } catch (error) {
    return { at, refused: { name: String(error?.name), message: String(error?.message) } };
  }
}

function options(message) {
  const options = {};
  if (message.content_type != null) options.contentType = message.content_type;
  if (message.delay != null) options.delaySeconds = message.delay;
  return options;
}

function body({ label, body }) {
  if (body == null) return label;
  if (body.json !== undefined) return JSON.parse(body.json);
  if (body.letters !== undefined) return "x".repeat(body.letters);
  if (body.bytes !== undefined) return new Uint8Array(body.bytes);
  switch (body.special) {
    case "undefined":
      return undefined;
    case "function":
      // As it is written, it stands in messages.
      return ()=>1;
    case "symbol":
      return Symbol();
    case "big_int":
      return 1n;
    case "circular": {
      const ring = {};
      ring.self = ring;
      return ring;
    }
    default:
      throw new Error(`unknown body ${JSON.stringify(body)}`);
  }
}

/** Notes what the consumer will find in the body of `message`. */
function expect(message) {
  const sent = body(message);
  let found;
  try {
    found = key(arrived(sent, message.content_type));
  } catch {
    // It cannot be sent this way.
    return;
  }
  if (!unseen.has(found)) unseen.set(found, []);
  unseen.get(found).push(message.label);
}

function arrived(sent, contentType) {
  // The runtime cuts a text at its first U+0000, and it has no lone surrogates.
  if (contentType === "text") return sent.split("\0", 1)[0].toWellFormed();
  if (contentType === "bytes" || contentType === "v8") return sent;
  return JSON.parse(JSON.stringify(sent));
}

function key(value) {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `bytes ${[...new Uint8Array(value.buffer ?? value)]}`;
  return `json ${JSON.stringify(value)}`;
}

function delivered({ id, attempts, timestamp, body }) {
  if (labels[id] === undefined) labels[id] = unseen.get(key(body))?.shift() ?? "?";
  const bytes = body instanceof ArrayBuffer || ArrayBuffer.isView(body);
  const text = bytes ? null : (JSON.stringify(body) ?? null);
  return { label: labels[id], id, attempts, timestamp: timestamp.getTime() - origin, body: text };
}

/** Plays every rule that applies, in order. */
async function handle(rules, { invocation, messages: seen }, batch, waitUntil) {
  const messages = batch.messages.map((message, index) => ({ message, label: seen[index].label }));
  for (const rule of rules) {
    if (rule.invocation != null && rule.invocation !== invocation) continue;
    const these = messages.filter(
      ({ message, label }) =>
        (rule.label == null || rule.label === label) && (rule.attempts == null || rule.attempts === message.attempts),
    );
    if (these.length === 0) continue;
    for (const action of rule.actions) await act(action, these, messages, batch, waitUntil);
  }
}

async function act(action, these, messages, batch, waitUntil) {
  if (action === "throw") throw new Error("thrown by the scenario");
  if (action === "hang") return new Promise(() => {});
  if (action.sleep !== undefined) return sleep(action.sleep);
  if (action.call !== undefined) return make(action.call, these, messages, batch);
  if (action.wait_until !== undefined) {
    const { after, calls, rejects } = action.wait_until;
    const later = async () => {
      await sleep(after);
      for (const call of calls ?? []) make(call, these, messages, batch);
      if (rejects) throw new Error("rejected by the scenario");
    };
    return waitUntil(later());
  }
  throw new Error(`unknown action ${JSON.stringify(action)}`);
}

function make(call, these, messages, batch) {
  const options = ({ delay }) => (delay == null ? [] : [{ delaySeconds: delay }]);
  const each = (which, does) => {
    let chosen = these;
    if (which.label !== undefined) chosen = messages.filter(({ label }) => label === which.label);
    else if (which.index !== undefined) chosen = messages.slice(which.index, which.index + 1);
    for (const { message } of chosen) does(message);
  };
  if (call === "ack_all") batch.ackAll();
  else if (call.ack !== undefined) each(call.ack, (message) => message.ack());
  else if (call.retry !== undefined) each(call.retry.which, (message) => message.retry(...options(call.retry)));
  else if (call.retry_all !== undefined) batch.retryAll(...options(call.retry_all));
  else throw new Error(`unknown call ${JSON.stringify(call)}`);
}

function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
