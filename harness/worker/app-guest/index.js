// The guest component of harness/guest in a Worker: the same WebAssembly as in the
// harness's own engine, behind the trial app's protocol. Every event runs on an
// instance of its own.

import { HostAbort, PackageException } from "../app/ends.js";
import { worker } from "../app/protocol.js";
import { bridge } from "./bridge.js";
import core from "./generated/guest.core.wasm";
import table from "./generated/guest.core2.wasm";
import fixups from "./generated/guest.core3.wasm";
import { instantiate } from "./generated/guest.js";

/** The runtime compiled these before the Worker started; it compiles none later. */
const MODULES = {
  "guest.core.wasm": core,
  "guest.core2.wasm": table,
  "guest.core3.wasm": fixups,
};

export default worker((surroundings) => {
  const host = bridge(surroundings);
  const { producer, consumer } = instantiate(
    (name) => MODULES[name],
    { "yuyan:queue/bridge": host },
    (module, imports) => new WebAssembly.Instance(module, imports),
  );
  const ended = (error) => {
    // The error case of a result is thrown as it is, a text.
    if (typeof error === "string") return new PackageException(error);
    return host.aborted ?? new HostAbort(error instanceof Error ? error.message : String(error));
  };
  const call = async (run) => {
    if (host.aborted !== null) throw host.aborted;
    try {
      return await run();
    } catch (error) {
      throw ended(error);
    }
  };
  return {
    send: (binding, body, delay) => call(() => producer.send(binding, body, BigInt(delay))),
    sendBatch: (binding, items) => call(() => producer.sendBatch(binding, items)),
    readBatch: () => call(() => consumer.readBatch()),
    ack: (index) => call(() => consumer.ack(BigInt(index))),
    retry: (index, delay) => call(() => consumer.retry(BigInt(index), BigInt(delay))),
  };
});
