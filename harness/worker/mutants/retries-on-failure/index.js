// Fault: when the program fails, the host asks for every message again itself,
// instead of leaving that to the platform.

import { Package } from "../../app/package.js";
import { worker } from "../../app/protocol.js";

const app = worker((surroundings) => new Package(surroundings));

export default {
  ...app,
  async queue(batch, env) {
    try {
      await app.queue(batch, env);
    } catch (error) {
      batch.retryAll();
      throw error;
    }
  },
};
