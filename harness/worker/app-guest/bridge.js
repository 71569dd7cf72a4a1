// The host primitives (云工宿主的句柄桥与队列原语) that the guest imports, over a
// Worker's own objects; harness/guest/wit says what each is.

import { HostAbort } from "../app/ends.js";
import { Handles, inward, outward, TooDeep } from "./values.js";

/** Global objects that a guest reaches. */
const GLOBALS = { JSON, TextDecoder, TextEncoder };

/** Members that lead to code or to prototypes. */
const FORBIDDEN = new Set(
  [
    ["__proto__", "prototype", "constructor", "eval", "import", "globalThis"],
    ["Function", "AsyncFunction", "GeneratorFunction", "AsyncGeneratorFunction"],
    ["__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"],
    ["arguments", "callee", "caller"],
  ].flat(),
);

/**
 * The primitives of one event. After the first abort every one of them gives the
 * same, and `aborted` holds it.
 * @param {import("../app/package.js").Surroundings & {kind: string}} surroundings
 */
export function bridge({ kind, grants, env, batch }) {
  const handles = new Handles();
  const host = { aborted: null };

  const currentBatch = () => {
    if (batch === null) throw new HostAbort(`队列原语只在队列事件里可用，当前事件是 ${kind}`);
    return batch;
  };
  const messages = batch?.messages ?? [];
  const messageAt = (index) => {
    currentBatch();
    if (index >= messages.length) throw new HostAbort(`宿主没有序号为 ${index} 的队列消息`);
    return messages[index];
  };

  const invoke = async (target, method, args) => {
    permit(method);
    const values = inward(args, handles);
    const object = handles.get(target);
    if (typeof object?.[method] !== "function") {
      throw new HostAbort(`宿主对象没有此方法：${method}`);
    }
    try {
      return await object[method](...values);
    } catch (reason) {
      throw new Thrown(reason);
    }
  };

  const primitives = {
    global(name) {
      permit(name);
      if (!Object.hasOwn(GLOBALS, name)) throw new HostAbort(`宿主没有此全局对象：${name}`);
      return handles.insert(GLOBALS[name]);
    },
    construct(target, args) {
      const values = inward(args, handles);
      return handles.insert(Reflect.construct(handles.get(target), values));
    },
    async call(target, method, args) {
      return outward(await invoke(target, method, args), handles);
    },
    async callSafe(target, method, args) {
      try {
        return outward(await invoke(target, method, args), handles);
      } catch (error) {
        if (error instanceof Thrown) throw payload({ tag: "thrown", val: error.message });
        if (error instanceof TooDeep) throw payload({ tag: "too-deep" });
        throw error;
      }
    },
    get(target, property) {
      permit(property);
      return outward(handles.get(target)[property], handles);
    },
    bytesToHandle: (bytes) => handles.insert(Uint8Array.from(bytes)),
    handleToBytes(handle) {
      const value = handles.get(handle);
      if (value instanceof ArrayBuffer) return new Uint8Array(value);
      if (value instanceof Uint8Array) return value;
      throw new HostAbort("宿主对象不是二进制数据");
    },
    release: (handle) => handles.release(handle),
    eventKind: () => kind,
    queueBinding(name) {
      if (!grants.includes(name)) throw new HostAbort(`未授权的QUEUE绑定：${name}`);
      const queue = Object.hasOwn(env, name) ? env[name] : undefined;
      if (typeof queue?.sendBatch !== "function") throw new HostAbort(`绑定不存在：${name}`);
      return handles.insert(queue);
    },
    batchName: () => currentBatch().queue,
    batchCount: () => (currentBatch(), messages.length),
    messageId: (index) => messageAt(index).id,
    messageAttempts: (index) => messageAt(index).attempts,
    messageBody: (index) => outward(messageAt(index).body, handles),
    messageHandle: (index) => handles.insert(messageAt(index)),
    ack: (index) => void messageAt(index).ack(),
    retry: (index) => void messageAt(index).retry(),
    retryAfter: (index, delaySeconds) => void messageAt(index).retry({ delaySeconds }),
  };

  for (const [name, primitive] of Object.entries(primitives)) {
    host[name] = lasting(host, primitive);
  }
  return host;
}

/** What the guest's own JavaScript call threw. */
class Thrown extends Error {
  constructor(reason) {
    super(textOf(reason));
  }
}

/** The transpiled guest takes the error case of a result from this property. */
function payload(content) {
  return Object.assign(new Error("the error case of a safe call"), { payload: content });
}

/** A primitive whose errors, apart from a result's error case, end the event. */
function lasting(host, primitive) {
  const ending = (error) => {
    if (Object.hasOwn(error, "payload")) throw error;
    host.aborted ??= error instanceof HostAbort ? error : new HostAbort(textOf(error));
    throw host.aborted;
  };
  return (...args) => {
    if (host.aborted !== null) throw host.aborted;
    try {
      const result = primitive(...args);
      return result instanceof Promise ? result.catch(ending) : result;
    } catch (error) {
      return ending(error);
    }
  };
}

function permit(name) {
  if (FORBIDDEN.has(name)) throw new HostAbort(`宿主不许访问此成员：${name}`);
}

function textOf(reason) {
  if (typeof reason?.message === "string") return reason.message;
  try {
    return String(reason);
  } catch {
    return "";
  }
}
