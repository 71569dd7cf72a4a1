// Tagged JSON text ⇄ JavaScript values.
//
// Tagged text is JSON in which an object with exactly one key that begins with
// `#` stands for a value that JSON cannot hold. It is how plans name such values
// and how the call log shows them.
//
//   {"#undefined":true} {"#nan":true} {"#infinity":1|-1} {"#minus-zero":true}
//   {"#bigint":"1"} {"#symbol":"name"} {"#function":"name"}
//   {"#date":0|null} {"#map":[[k,v]]} {"#set":[v]}
//   {"#bytes":"00ff"} {"#buffer":"00ff"} {"#class":{…}}
//   {"#host":"Name"}  any other object of the platform; only written, never read

/** Levels that are read or written; a value nested deeper is no use to a plan. */
const MAX_LEVELS = 1000;

/** Longest text that is written, in UTF-16 units: shared parts of a value are
 * written once for each mention, so a small value can have an endless text. */
const MAX_LENGTH = 8 * 1024 * 1024;

/** The text is not tagged JSON. */
export class TaggedError extends Error {
  name = "TaggedError";
}

/**
 * The value of a tagged text.
 * @param {string} text
 * @throws {TaggedError} when the text is not JSON, or holds an unknown or unfit tag
 */
export function parseTagged(text) {
  let raw;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new TaggedError(error.message);
  }
  return meant(raw, 0);
}

/**
 * Whether structured clone keeps the value of this tagged text as it is. It
 * refuses symbols and functions and makes a plain object of a class's instance.
 * @param {string} text
 */
export function survivesCloning(text) {
  return !/"#(?:symbol|function|class)"/.test(text) || survives(parseTagged(text));
}

/**
 * The tagged text of a value. Own enumerable string keys are written in their
 * order, nothing is left out, and no `toJSON` is called.
 *
 * Never throws, whatever the value does when it is looked at: a part that cannot
 * be written is named by a `#host` tag.
 * @param {unknown} value
 */
export function writeTagged(value) {
  const out = new Output();
  write(value, 0, out);
  return out.text();
}

// Reading.

function meant(raw, level) {
  if (typeof raw !== "object" || raw === null) return raw;
  if (level > MAX_LEVELS) throw new TaggedError(`nested deeper than ${MAX_LEVELS} levels`);
  if (Array.isArray(raw)) return raw.map((item) => meant(item, level + 1));
  const keys = Object.keys(raw);
  if (keys.length === 1 && keys[0].startsWith("#")) return tagMeaning(keys[0], raw[keys[0]], level);
  return members({}, raw, level);
}

/** Defines the members one by one: assigning to `__proto__` would be lost. */
function members(object, raw, level) {
  for (const key of Object.keys(raw)) {
    const value = meant(raw[key], level + 1);
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return object;
}

const READERS = {
  "#undefined": (content) => fits(content === true) && undefined,
  "#nan": (content) => fits(content === true) && NaN,
  "#infinity": (content) => fits(content === 1 || content === -1) && content * Infinity,
  "#minus-zero": (content) => fits(content === true) && -0,
  "#bigint": (content) => fits(isInteger(content)) && BigInt(content),
  "#symbol": (content) => fits(typeof content === "string") && Symbol(content),
  "#function": (content) => fits(typeof content === "string") && namedFunction(content),
  "#date": (content) =>
    fits(typeof content === "number" || content === null) && new Date(content ?? NaN),
  "#map": (content, level) =>
    fits(Array.isArray(content) && content.every(isPair)) &&
    new Map(content.map(([key, value]) => [meant(key, level + 2), meant(value, level + 2)])),
  "#set": (content, level) =>
    fits(Array.isArray(content)) && new Set(content.map((item) => meant(item, level + 1))),
  "#bytes": (content) => fits(isHex(content)) && bytesOf(content),
  "#buffer": (content) => fits(isHex(content)) && bytesOf(content).buffer,
  "#class": (content, level) =>
    fits(isRecord(content)) && members(new Instance(), content, level + 1),
};

class Instance {}

class Unfit extends Error {}

function fits(condition) {
  if (!condition) throw new Unfit();
  return true;
}

function tagMeaning(tag, content, level) {
  if (!Object.hasOwn(READERS, tag)) throw new TaggedError(`unknown tag ${JSON.stringify(tag)}`);
  try {
    return READERS[tag](content, level);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    throw new TaggedError(`the value of tag ${JSON.stringify(tag)} does not fit it`);
  }
}

function isPair(item) {
  return Array.isArray(item) && item.length === 2;
}

function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isInteger(content) {
  return typeof content === "string" && /^-?[0-9]+$/.test(content);
}

function isHex(content) {
  return typeof content === "string" && /^(?:[0-9a-fA-F]{2})*$/.test(content);
}

function bytesOf(hex) {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

function namedFunction(name) {
  return Object.defineProperty(() => undefined, "name", { value: name });
}

function survives(value) {
  if (typeof value === "symbol" || typeof value === "function") return false;
  if (typeof value !== "object" || value === null) return true;
  if (value instanceof Instance) return false;
  if (value instanceof Map) return [...value].every((pair) => pair.every(survives));
  if (value instanceof Set) return [...value].every(survives);
  return Object.values(value).every(survives);
}

// Writing.

/** The text so far, in pieces, so that it is put together only once. */
class Output {
  #pieces = [];
  #left = MAX_LENGTH;

  /** Whether nothing more is taken. */
  get full() {
    return this.#left < 0;
  }

  /** Whether a string of so many units is still taken. */
  hasRoom(length) {
    return length <= this.#left;
  }

  push(piece) {
    this.#left -= piece.length;
    this.#pieces.push(piece);
  }

  /** Takes no more: what follows is only closed. */
  fill() {
    this.#left = -1;
  }

  mark() {
    return this.#pieces.length;
  }

  cutTo(mark) {
    this.#pieces.length = mark;
  }

  text() {
    return this.#pieces.join("");
  }
}

function write(value, level, out) {
  if (level > MAX_LEVELS) return out.push(host("nested too deep"));
  // A full output looks into nothing any more, or a value whose parts are shared
  // would be walked for ever.
  if (out.full) return out.push(host("too long"));
  const mark = out.mark();
  try {
    writeKnown(value, level, out);
  } catch {
    // A proxy or a getter of the program under test threw.
    out.cutTo(mark);
    out.push(host("unreadable"));
  }
}

function writeKnown(value, level, out) {
  switch (typeof value) {
    case "undefined":
      return out.push('{"#undefined":true}');
    case "boolean":
      return out.push(String(value));
    case "string":
      return writeString(value, out);
    case "number":
      return out.push(number(value));
    case "bigint":
      return out.push(`{"#bigint":"${value}"}`);
    case "symbol":
      return out.push(tag("#symbol", value.description ?? ""));
    case "function":
      return out.push(tag("#function", String(value.name)));
  }
  if (value === null) return out.push("null");
  writeObject(value, level, out);
}

function writeString(value, out) {
  if (out.hasRoom(value.length)) return out.push(JSON.stringify(value));
  out.fill();
  out.push(host("too long"));
}

function number(value) {
  if (Number.isNaN(value)) return '{"#nan":true}';
  if (!Number.isFinite(value)) return `{"#infinity":${Math.sign(value)}}`;
  return Object.is(value, -0) ? '{"#minus-zero":true}' : String(value);
}

function writeObject(value, level, out) {
  if (Array.isArray(value)) return writeItems("[", value, "]", level, out);
  if (value instanceof Date) {
    const time = value.getTime();
    return out.push(`{"#date":${Number.isNaN(time) ? null : time}}`);
  }
  if (value instanceof Map) return writeItems('{"#map":[', [...value], "]}", level, out);
  if (value instanceof Set) return writeItems('{"#set":[', [...value], "]}", level, out);
  if (value instanceof Uint8Array) return writeBytes("#bytes", value, out);
  if (value instanceof ArrayBuffer) return writeBytes("#buffer", new Uint8Array(value), out);
  if (ArrayBuffer.isView(value) || value instanceof Error || value instanceof Promise) {
    return out.push(host(String(value.constructor?.name)));
  }
  const prototype = Object.getPrototypeOf(value);
  const plain = prototype === Object.prototype || prototype === null;
  out.push(plain ? "{" : '{"#class":{');
  Object.keys(value).forEach((key, index) => {
    if (index > 0) out.push(",");
    out.push(JSON.stringify(key));
    out.push(":");
    write(value[key], level + 1, out);
  });
  out.push(plain ? "}" : "}}");
}

function writeItems(open, list, close, level, out) {
  out.push(open);
  // By index: `forEach` would skip the holes of a sparse array.
  for (let index = 0; index < list.length; index++) {
    if (index > 0) out.push(",");
    write(list[index], level + 1, out);
    // The holes of an array of any length would be written for ever.
    if (out.full) break;
  }
  out.push(close);
}

function writeBytes(name, bytes, out) {
  if (out.hasRoom(2 * bytes.length)) return out.push(tag(name, hexOf(bytes)));
  out.fill();
  out.push(host("too long"));
}

function tag(name, text) {
  return `{"${name}":${JSON.stringify(text)}}`;
}

function host(name) {
  return tag("#host", name);
}

function hexOf(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
