// Values on the handle bridge (句柄桥): bridge form ⇄ value, and the handle table.
//
// Both ways, a value more than 32 levels below the root does not cross; the root
// is at level 0.

import { HostAbort } from "../app/ends.js";

const MAX_LEVELS = 32;

/** Handles alive in one event. */
const MAX_HANDLES = 4096;

const HANDLE = "$句柄";
const UNDEFINED = "$未定义";
const BIGINT = "$大整数";
const NUMBER = "$数字";

const NON_FINITE = { NaN, Infinity, "-Infinity": -Infinity };

/** A result is nested too deep to cross. */
export class TooDeep extends Error {
  name = "TooDeep";
}

/** The handle table (句柄表) of one event. */
export class Handles {
  #alive = new Map();

  /** A new handle, a random number below 2⁵³ and above 0. */
  insert(value) {
    if (this.#alive.size >= MAX_HANDLES) throw new HostAbort(`宿主句柄超过 ${MAX_HANDLES} 个`);
    let handle;
    do {
      const [drawn] = crypto.getRandomValues(new BigUint64Array(1));
      handle = drawn >> 11n;
    } while (handle === 0n || this.#alive.has(handle));
    this.#alive.set(handle, value);
    return handle;
  }

  get(handle) {
    if (!this.#alive.has(handle)) throw new HostAbort(`宿主句柄不存在或已释放：${handle}`);
    return this.#alive.get(handle);
  }

  release(handle) {
    this.get(handle);
    this.#alive.delete(handle);
  }
}

/**
 * The bridge form of a value: plain objects and arrays are copied, anything else
 * that JSON cannot hold becomes a marker.
 * @throws {TooDeep} no new handle is then left in the table
 */
export function outward(value, handles) {
  const made = [];
  const marker = (key, content) => ({ [key]: content });
  const copy = (value, level) => {
    if (level > MAX_LEVELS) throw new TooDeep("宿主结果嵌套过深");
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) ? value : marker(NUMBER, String(value));
      case "undefined":
        return marker(UNDEFINED, true);
      case "bigint":
        return marker(BIGINT, String(value));
    }
    if (value === null) return null;
    if (Array.isArray(value)) return Array.from(value, (item) => copy(item, level + 1));
    if (isPlain(value)) return mapMembers(value, (member) => copy(member, level + 1));
    const handle = handles.insert(value);
    made.push(handle);
    return marker(HANDLE, String(handle));
  };
  try {
    return JSON.stringify(copy(value, 0));
  } catch (error) {
    for (const handle of made) handles.release(handle);
    throw error;
  }
}

/**
 * The arguments in the text of a JSON array in bridge form. Only an object with
 * exactly one own key that is a marker is turned into what it stands for.
 * @throws {HostAbort}
 */
export function inward(text, handles) {
  const build = (value, level) => {
    if (level > MAX_LEVELS) throw new HostAbort("宿主参数嵌套过深");
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => build(item, level + 1));
    const keys = Object.keys(value);
    if (keys.length === 1 && MEANINGS.has(keys[0])) {
      return MEANINGS.get(keys[0])(value[keys[0]], handles);
    }
    return mapMembers(value, (member) => build(member, level + 1));
  };
  let list;
  try {
    list = JSON.parse(text);
  } catch {
    throw new HostAbort("宿主参数不是有效的 JSON 文字");
  }
  if (!Array.isArray(list)) throw new HostAbort("宿主参数须为 JSON 数组");
  return build(list, 0);
}

const MEANINGS = new Map([
  [HANDLE, (content, handles) => handles.get(digits(HANDLE, content, /^[1-9][0-9]{0,15}$/))],
  [UNDEFINED, () => undefined],
  [BIGINT, (content) => digits(BIGINT, content, /^-?[0-9]+$/)],
  [
    NUMBER,
    (content) => {
      if (!Object.hasOwn(NON_FINITE, content)) throw new HostAbort(`宿主记号无效：${NUMBER}`);
      return NON_FINITE[content];
    },
  ],
]);

function digits(marker, content, form) {
  const fits = typeof content === "string" && form.test(content);
  if (!fits) throw new HostAbort(`宿主记号无效：${marker}`);
  return BigInt(content);
}

function isPlain(value) {
  const prototype = typeof value === "object" ? Object.getPrototypeOf(value) : undefined;
  return prototype === Object.prototype || prototype === null;
}

/** Defines each member: assigning to `__proto__` would change the object instead. */
function mapMembers(object, change) {
  const ordinary = { enumerable: true, writable: true, configurable: true };
  const made = {};
  for (const key of Object.keys(object)) {
    Object.defineProperty(made, key, { ...ordinary, value: change(object[key]) });
  }
  return made;
}
