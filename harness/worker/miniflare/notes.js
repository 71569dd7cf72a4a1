// What Miniflare's broker writes to its log, which alone tells what becomes of a
// message whose retries are used up.

const LOST = /^(Moving|Dropped) message "([^"]*)" on queue "([^"]*)"(?: to dead letter queue "([^"]*)")? after (\d+) failed/;

/** The lines about lost messages, with their times. */
export class Notes {
  #lines = [];

  /** A log for Miniflare. Everything else goes to standard error as it is. */
  log(Log, LogLevel) {
    const lines = this.#lines;
    return new (class extends Log {
      constructor() {
        super(LogLevel.WARN);
      }
      log(text) {
        const found = LOST.exec(text.replace(/^\[[^\]]*\] /, ""));
        if (found) lines.push({ time: Date.now(), found });
        else process.stderr.write(`${text}\n`);
      }
    })();
  }

  /** The lines about queues whose name begins with `prefix`, without it. */
  of(prefix) {
    const cut = (queue) => queue?.slice(prefix.length);
    return this.#lines
      .filter(({ found: [, , , from] }) => from.startsWith(prefix))
      .map(({ time, found: [, verb, id, from, to, attempts] }) => ({
        time,
        verb,
        id,
        from: cut(from),
        to: cut(to),
        attempts: Number(attempts),
      }));
  }
}

/** Dead letters and dropped messages by label, in milliseconds from `origin`.
 *
 * The broker says of every dead letter that it moves, even when nobody reads the
 * queue that it moves to; what is not there afterwards is lost. */
export function losses(notes, labels, backlog, origin, { queues, until }) {
  const isKept = (queue) => queues[queue]?.consumer != null || backlog[queue] > 0;
  const dead = [];
  const dropped = [];
  for (const { time, verb, id, from, to, attempts } of notes) {
    const at = time - origin;
    if (at > until) continue;
    const message = { label: labels[id] ?? "?", id, attempts };
    if (verb === "Dropped") dropped.push({ at, queue: from, ...message, reason: "exhausted" });
    else if (isKept(to)) dead.push({ at, from, to, ...message });
    else dropped.push({ at, queue: from, ...message, reason: "dead_letter_lost" });
  }
  return { dead, dropped };
}
