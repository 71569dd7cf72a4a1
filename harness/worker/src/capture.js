// What a Worker prints, told apart by event.
//
// Events run concurrently in one isolate with one `console`. Where the runtime
// offers AsyncLocalStorage (compatibility flag `nodejs_als`), a line goes to the
// event that printed it; elsewhere to every event that is open.

/** Most that is kept of one event, in UTF-8 bytes. */
const MAX_BYTES = 1 << 20;

const METHODS = ["debug", "error", "info", "log", "trace", "warn"];

/** The console of one event. */
export class Console {
  #pieces = [];
  #room = MAX_BYTES;

  print(line) {
    if (this.#room === 0) return;
    // No unit takes less than a byte, so what is cut here is beyond the room.
    const clipped = line.slice(0, this.#room + 1).toWellFormed();
    const bytes = new Uint8Array(Math.min(this.#room, 3 * clipped.length));
    const { read, written } = new TextEncoder().encodeInto(clipped, bytes);
    this.#pieces.push(clipped.slice(0, read));
    this.#room = read < clipped.length ? 0 : this.#room - written;
  }

  text() {
    return this.#pieces.join("");
  }
}

const storage = await localStorage();
const open = new Set();

/** Runs `call` with everything that it prints going to `output`. */
export async function runCaptured(output, call) {
  open.add(output);
  try {
    return await (storage === null ? call() : storage.run(output, call));
  } finally {
    open.delete(output);
  }
}

for (const method of METHODS) {
  console[method] = (...args) => {
    const line = `${args.map(shown).join(" ")}\n`;
    const own = storage?.getStore();
    for (const output of own === undefined ? open : [own]) output.print(line);
  };
}

async function localStorage() {
  try {
    const { AsyncLocalStorage } = await import("node:async_hooks");
    return new AsyncLocalStorage();
  } catch {
    return null;
  }
}

function shown(value) {
  try {
    if (typeof value === "string") return value;
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (typeof value === "object" && value !== null) return JSON.stringify(value);
    return String(value);
  } catch {
    return "?";
  }
}
