// The driver: the Worker through which the harness plays events on the subject.
//
// `POST /scene` starts the events of a scene together, each as a real event of
// the subject's Worker, and answers with what was seen of them. The shim inside
// the subject fetches each event's set-up from `Control` and hands back its log;
// its queue doubles are answered by `QueueDouble`.
//
// Every request needs the token that the harness put into the configuration:
// other processes on this machine can reach the port, but not play on it.

import { WorkerEntrypoint } from "cloudflare:workers";

import { Recording } from "./recording.js";
import { checkedScene, PlanError, platformMessages } from "./scene.js";

/** The recordings of the events that are open, by key. */
const recordings = new Map();

export default {
  async fetch(request, env) {
    if (request.headers.get("x-duipai-token") !== env.TOKEN) return failure(403, "wrong token");
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json({ duipai: 1 });
    if (pathname !== "/scene" || request.method !== "POST") return failure(404, "no such page");
    try {
      const scene = checkedScene(await request.text());
      const play = (event) => playEvent(event, scene.mode, env.SUBJECT);
      return answer(await Promise.all(scene.events.map(play)));
    } catch (error) {
      if (error instanceof PlanError) return failure(422, error.message);
      throw error;
    }
  },
};

/** What the shim asks of the harness and hands to it. */
export class Control extends WorkerEntrypoint {
  /** The set-up of an event: `mode`, `plan` (text), `bindings`, `messages`. */
  begin(key) {
    return recordingOf(key).begin();
  }

  /** A piece of the event's `report` or `console`, where they are long, in order. */
  piece(key, field, text) {
    recordingOf(key).append(field, text);
  }

  /**
   * The event's handler has settled.
   * @param {{calls: [number, object][], thrown: object | null, failed: string | null,
   *   texts: {report?: string | null, console?: string}}} log
   */
  end(key, log) {
    recordingOf(key).end(log);
  }
}

/** The queues that the subject's doubles stand for. */
export class QueueDouble extends WorkerEntrypoint {
  /**
   * Logs a call and answers as the plan says.
   * @param {string} key the event's
   * @param {number} at the call's place among all calls of the event, from 0
   * @param {"send" | "sendBatch"} method
   * @param {string} binding
   * @param {string} args tagged text of the arguments
   * @returns {{accepted: true} | {rejected: string}} a rejection that is not an Error
   *   as tagged text: it could not cross to the subject as it is
   * @throws {Error} with the text of the plan
   */
  call(key, at, method, binding, args) {
    const recording = recordingOf(key);
    recording.log(at, { method, binding, arguments: args });
    const behaviour = recording.behaviourOf(binding);
    switch (behaviour.binding) {
      case "rejects-error":
        throw new Error(behaviour.with);
      case "rejects-value":
        return { rejected: behaviour.with };
      default:
        return { accepted: true };
    }
  }
}

function recordingOf(key) {
  const recording = recordings.get(key);
  if (recording === undefined) throw new Error("duipai: there is no such event");
  return recording;
}

async function playEvent(event, mode, subject) {
  const key = newKey();
  const recording = new Recording(event, mode);
  recordings.set(String(key), recording);
  try {
    await DISPATCH[event.kind](event, key, subject, recording);
  } catch (error) {
    recording.dispatchFailed(error);
  } finally {
    recordings.delete(String(key));
  }
  return recording.seen();
}

const DISPATCH = {
  async fetch(event, key, subject, recording) {
    const { method, path, body } = event.request;
    const headers = { "content-type": "application/json", "x-duipai-event": String(key) };
    const withBody = method === "GET" || method === "HEAD" ? {} : { body };
    const init = { method, headers, redirect: "manual", ...withBody };
    const response = await subject.fetch(`http://subject${path}`, init);
    recording.answered(response.status, await response.text());
  },

  async queue(event, key, subject, recording) {
    const { queue = "", messages = [] } = event.batch ?? {};
    const metadata = { metrics: { backlogCount: key, backlogBytes: 0 } };
    recording.settled(await subject.queue(queue, platformMessages(messages), metadata));
  },

  async scheduled(_, key, subject, recording) {
    recording.settled(await subject.scheduled({ cron: String(key), scheduledTime: new Date() }));
  },
};

/** A key that no Worker guesses: a random integer that a double holds exactly. */
function newKey() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high & 0xf_ffff) * 2 ** 32 + low;
}

/**
 * The answer's text. A surrogate without a partner becomes U+FFFD: strict JSON
 * readers refuse its escape.
 */
function answer(events) {
  const text = JSON.stringify({ events });
  const mended = (_, value) => (typeof value === "string" ? value.toWellFormed() : value);
  const whole = /\\ud[89a-f]/.test(text) ? JSON.stringify({ events }, mended) : text;
  return new Response(whole, { headers: { "content-type": "application/json" } });
}

function failure(status, error) {
  return Response.json({ error }, { status });
}
