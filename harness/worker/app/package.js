// The message-queue package (消息队列) in plain JavaScript: the five functions over
// a Worker's own `env` and `MessageBatch`, with the platform's own JSON.
//
// It is written from the interface document alone and works on values, where the
// adapter of the 豫言 project works on canonical text; that is its use: two ways
// to the same verdict. What belongs to the host there (grants, the depth of the
// bridge) is done here as well, since a plain Worker has no such host.

import { HostAbort, PackageException } from "./ends.js";

/** Sizes in UTF-8 bytes, nesting in levels of arrays and objects, delays in seconds. */
const LIMITS = {
  bodyBytes: 128_000,
  batchBytes: 256_000,
  batchTextBytes: 1_048_576,
  batchItems: 100,
  bodyLevels: 24,
  delaySeconds: 43_200,
  /** How far below the root a value may lie that crosses the host bridge (宿主桥). */
  bridgeLevels: 32,
};

/** Levels that a batch adds around each body: the array and the item. */
const ENVELOPE_LEVELS = 2;

/** Keys that stand for host values in the bridge (宿主专用记号). */
const MARKERS = new Set(["$句柄", "$未定义", "$大整数", "$数字"]);

const DELAY_RANGE = "延迟秒数须在 0 至 43200 之间";

/** What differs between a body and a batch in the messages that they share. */
const BODY = {
  notJson: "消息体不是有效的 JSON 文字",
  tooDeep: "消息体嵌套超过 24 层",
  marker: "消息体含有不属于 JSON 的值或宿主专用记号",
  levels: LIMITS.bodyLevels,
};
const BATCH = {
  notJson: "批量消息不是有效的 JSON 文字",
  tooDeep: "批量消息嵌套超过 24 层",
  marker: "批量消息含有不属于 JSON 的值或宿主专用记号",
  levels: LIMITS.bodyLevels + ENVELOPE_LEVELS,
};

/**
 * The surroundings of one event.
 * @typedef {object} Surroundings
 * @property {string[]} grants queue bindings that the program may use (授权)
 * @property {Record<string, unknown>} env the Worker's bindings
 * @property {MessageBatch | null} batch null outside queue events
 */

/** The five functions, for one event. */
export class Package {
  #grants;
  #env;
  #batch;

  /** @param {Surroundings} surroundings */
  constructor({ grants, env, batch }) {
    this.#grants = grants;
    this.#env = env;
    this.#batch = batch;
  }

  /**
   * 发送队列消息: sends one message.
   * @param {string} binding
   * @param {string} body JSON text
   * @param {number} delay seconds
   */
  async send(binding, body, delay) {
    named(binding);
    if (!isDelay(delay)) throw new PackageException(DELAY_RANGE);
    const tooLarge = () => new PackageException("消息体超过 128000 字节");
    if (bytes(body) > LIMITS.bodyBytes) throw tooLarge();
    const canonical = canonicalText(body, BODY);
    if (bytes(canonical) > LIMITS.bodyBytes) throw tooLarge();
    const options = { contentType: "json", ...delayed(delay) };
    await this.#platform(binding, "队列发送失败：", (queue) =>
      queue.send(JSON.parse(canonical), options),
    );
  }

  /**
   * 批量发送队列消息: sends a batch, or nothing at all.
   * @param {string} binding
   * @param {string} text the text of a JSON array of `{"body":…,"delaySeconds":…}`
   */
  async sendBatch(binding, text) {
    named(binding);
    if (bytes(text) > LIMITS.batchTextBytes) throw new PackageException("批量消息文字超过 1 MiB");
    const items = checkedItems(JSON.parse(canonicalText(text, BATCH)));
    await this.#platform(binding, "队列批量发送失败：", (queue) => queue.sendBatch(items));
  }

  /** 读取队列批次: the text of the current batch. Acknowledges nothing. */
  readBatch() {
    const batch = this.#queueEvent();
    const messages = batch.messages.map((message, index) => ({
      id: message.id,
      attempts: message.attempts,
      timestamp: Number(message.timestamp),
      body: readable(message.body, index),
    }));
    return JSON.stringify({ queue: batch.queue, messages });
  }

  /**
   * 确认队列消息: message `index` has been dealt with.
   * @param {number} index from 0
   */
  ack(index) {
    const message = this.#message(index);
    settled(() => message.ack());
  }

  /**
   * 重试队列消息: message `index` is to be delivered again.
   * @param {number} index from 0
   * @param {number} delay seconds; 0 is the platform's default
   */
  retry(index, delay) {
    const message = this.#message(index);
    if (!isDelay(delay)) throw new PackageException(DELAY_RANGE);
    settled(() => (delay > 0 ? message.retry({ delaySeconds: delay }) : message.retry()));
  }

  #queueEvent() {
    if (this.#batch === null) throw new PackageException("当前事件不是队列事件");
    return this.#batch;
  }

  #message(index) {
    const { messages } = this.#queueEvent();
    const within = Number.isSafeInteger(index) && index >= 0 && index < messages.length;
    if (!within) throw new PackageException("队列消息序号越界");
    return messages[index];
  }

  /** Calls the queue bound under this name; a refusal becomes an exception. */
  async #platform(binding, prefix, call) {
    if (!this.#grants.includes(binding)) throw new HostAbort(`未授权的QUEUE绑定：${binding}`);
    const queue = Object.hasOwn(this.#env, binding) ? this.#env[binding] : undefined;
    if (typeof queue?.sendBatch !== "function") throw new HostAbort(`绑定不存在：${binding}`);
    try {
      await call(queue);
    } catch (reason) {
      throw new PackageException(prefix + reasonText(reason));
    }
  }
}

function named(binding) {
  if (binding === "") throw new PackageException("队列绑定名不得为空");
}

function bytes(text) {
  return new TextEncoder().encode(text).length;
}

function isDelay(seconds) {
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= LIMITS.delaySeconds;
}

/** The platform is told of a delay only when there is one. */
function delayed(seconds) {
  return seconds > 0 ? { delaySeconds: seconds } : {};
}

/** `JSON.parse`, then `JSON.stringify` (规范化), with every check of the content. */
function canonicalText(text, messages) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new PackageException(messages.notJson);
  }
  const { levels, deepest, foreign } = survey(value);
  if (deepest > LIMITS.bridgeLevels) throw new PackageException(messages.tooDeep);
  if (foreign) throw new PackageException(messages.marker);
  if (levels > messages.levels) throw new PackageException(messages.tooDeep);
  return JSON.stringify(value);
}

/**
 * Looks at a parsed value: its levels of arrays and objects, how far below the
 * root its deepest value lies, and whether it holds an infinity (which only an
 * overflowing number can be) or an object that begins with a marker. Walks
 * without recursion: the text may be nested as deep as it is long.
 */
function survey(root) {
  const found = { levels: 0, deepest: 0, foreign: false };
  const open = [[root, 0]];
  while (open.length > 0) {
    const [value, depth] = open.pop();
    found.deepest = Math.max(found.deepest, depth);
    if (typeof value === "number" && !Number.isFinite(value)) found.foreign = true;
    if (typeof value !== "object" || value === null) continue;
    found.levels = Math.max(found.levels, depth + 1);
    if (!Array.isArray(value) && MARKERS.has(Object.keys(value)[0])) found.foreign = true;
    for (const child of Object.values(value)) open.push([child, depth + 1]);
  }
  return found;
}

/** The items of a batch as `sendBatch` takes them. */
function checkedItems(value) {
  if (!Array.isArray(value)) throw new PackageException("批量消息须为 JSON 数组");
  if (value.length === 0) throw new PackageException("批量消息不得为空");
  if (value.length > LIMITS.batchItems) throw new PackageException("批量消息不得超过 100 条");
  let total = 0;
  const items = value.map((item) => {
    const { checked, size } = checkedItem(item);
    total += size;
    return checked;
  });
  if (total > LIMITS.batchBytes) throw new PackageException("批量消息体合计超过 256000 字节");
  return items;
}

function checkedItem(item) {
  if (typeof item !== "object" || item === null || Array.isArray(item)) {
    throw new PackageException("批量消息的每一项须为 JSON 对象");
  }
  if (!Object.hasOwn(item, "body")) throw new PackageException("批量消息项缺少 body");
  if (Object.keys(item).some((key) => key !== "body" && key !== "delaySeconds")) {
    throw new PackageException("批量消息项只允许 body 与 delaySeconds 两个字段");
  }
  const delay = Object.hasOwn(item, "delaySeconds") ? item.delaySeconds : 0;
  if (!isDelay(delay)) {
    throw new PackageException("批量消息项的 delaySeconds 须为 0 至 43200 的整数");
  }
  const size = bytes(JSON.stringify(item.body));
  if (size > LIMITS.bodyBytes) throw new PackageException("批量消息体超过 128000 字节");
  return { checked: { body: item.body, contentType: "json", ...delayed(delay) }, size };
}

/** The body, once it is known to be a JSON value that the bridge can carry. */
function readable(body, index) {
  let foreign = false;
  const open = [[body, 0]];
  while (open.length > 0) {
    const [value, depth] = open.pop();
    if (depth > LIMITS.bridgeLevels) throw new HostAbort("宿主结果嵌套过深");
    if (!isJson(value)) foreign = true;
    else if (Array.isArray(value)) {
      // By index, so that the holes of a sparse array are seen as undefined.
      for (let at = 0; at < value.length; at++) open.push([value[at], depth + 1]);
    } else if (typeof value === "object" && value !== null) {
      for (const child of Object.values(value)) open.push([child, depth + 1]);
    }
  }
  if (foreign) throw new PackageException(`队列消息正文不是 JSON 值：序号 ${index}`);
  return body;
}

/** Whether a value, apart from what is inside of it, is one that JSON has. */
function isJson(value) {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object": {
      if (value === null || Array.isArray(value)) return true;
      const prototype = Object.getPrototypeOf(value);
      return prototype === Object.prototype || prototype === null;
    }
    default:
      return false;
  }
}

/** An error of the platform's own `ack` or `retry` is none of 豫言's: it ends the event. */
function settled(call) {
  try {
    call();
  } catch (reason) {
    throw new HostAbort(reasonText(reason));
  }
}

/** The platform's text of what it rejected with, which need not be an Error. */
function reasonText(reason) {
  if (typeof reason?.message === "string") return reason.message;
  try {
    return String(reason);
  } catch {
    return "";
  }
}
