// The protocol "duipai 1": how a Worker offers a package of five functions to the
// harness. README.md describes it; this file serves any package.

import { PackageException } from "./ends.js";

/**
 * @typedef {object} Program the five functions, for one event; each may be async.
 *   A {@link PackageException} is an exception that the calling program may catch;
 *   whatever else is thrown is the host's end of the event (中止).
 * @property {(binding: string, body: string, delay: number) => unknown} send
 * @property {(binding: string, items: string) => unknown} sendBatch
 * @property {() => string | Promise<string>} readBatch
 * @property {(index: number) => unknown} ack
 * @property {(index: number, delay: number) => unknown} retry
 */

/**
 * A Worker that takes the harness's steps with the program that `open` makes for
 * each event.
 * @param {(surroundings: import("./package.js").Surroundings & {kind: string}) => Program | Promise<Program>} open
 */
export function worker(open) {
  return {
    async fetch(request, env) {
      const { pathname } = new URL(request.url);
      if (request.method !== "POST" || pathname !== "/duipai") {
        return new Response("POST /duipai takes the steps of an event", { status: 404 });
      }
      const plan = await request.json();
      const report = await run(open, plan, { kind: "fetch", env, batch: null });
      return Response.json(report, { status: report.end.end === "fulfilled" ? 200 : 500 });
    },

    async queue(batch, env) {
      await runAndReport(open, { kind: "queue", env, batch });
    },

    async scheduled(_, env) {
      await runAndReport(open, { kind: "scheduled", env, batch: null });
    },
  };
}

/** An event whose plan and report go through `env.DUIPAI`. */
async function runAndReport(open, { kind, env, batch }) {
  const plan = await (await env.DUIPAI.fetch("http://duipai/plan")).json();
  const report = await run(open, plan, { kind, env, batch });
  const body = JSON.stringify(report);
  await env.DUIPAI.fetch("http://duipai/report", { method: "POST", body });
  // An end that is not this one is handed back to the platform, not swallowed.
  if (report.end.end !== "fulfilled") throw new Error(report.end.reason);
}

/** Takes the steps, and reports how each ended and how the event did. */
async function run(open, { grants, steps }, surroundings) {
  const program = await open({ grants, ...surroundings });
  const outcomes = [];
  let end = { end: "fulfilled" };
  for (const step of steps) {
    if (end.end !== "fulfilled") {
      outcomes.push({ outcome: "not-reached" });
      continue;
    }
    try {
      const value = await take(step, program);
      outcomes.push({ outcome: "returned", value: value ?? null });
    } catch (error) {
      if (error instanceof PackageException) {
        outcomes.push({ outcome: "threw", message: error.message });
        if (!step.caught) end = { end: "rejected", reason: error.message };
      } else {
        const reason = error instanceof Error ? error.message : String(error);
        outcomes.push({ outcome: "aborted", reason });
        end = { end: "aborted", reason };
      }
    }
  }
  return { outcomes, end };
}

async function take(step, program) {
  switch (step.op) {
    case "send":
      await program.send(step.binding, step.body, step.delay);
      return null;
    case "send-batch":
      await program.sendBatch(step.binding, step.items);
      return null;
    case "read-batch":
      return program.readBatch();
    case "ack":
      await program.ack(step.index);
      return null;
    case "retry":
      await program.retry(step.index, step.delay);
      return null;
    case "raise":
      throw new PackageException(step.message);
    case "wait":
      await new Promise((resolve) => setTimeout(resolve, step.seconds * 1000));
      return null;
    default:
      throw new Error(`there is no step ${step.op}`);
  }
}
